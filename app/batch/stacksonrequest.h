// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// SIGUSR2: writes the findings so far and the stacks of all coroutines to standard error, and the run continues.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/trace/population.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <string>

namespace ct {

class Diagnosis;

class StacksOnRequest final : public QObject {
    Q_OBJECT
public:
    /// `diagnosis` must outlive this object.
    StacksOnRequest(const Diagnosis &diagnosis, std::shared_ptr<const Population> population,
                    std::shared_ptr<AddressResolver> resolver, std::string target);

    /// Requests the locations of the stacks. Emits written() when they are resolved, or after a second.
    void begin();

Q_SIGNALS:
    void written(const std::string &text);  ///< several lines

private:
    void check();
    std::string text() const;

    const Diagnosis &m_diagnosis;
    const std::shared_ptr<const Population> m_population;
    const std::shared_ptr<AddressResolver> m_resolver;
    const std::string m_target;
    QTimer m_timer;
    int m_checksLeft = 0;
};

}  // namespace ct
