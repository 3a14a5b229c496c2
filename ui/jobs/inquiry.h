// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks a server something in the background. A driver that waits for a server cannot be interrupted, so a cancelled
// inquiry continues without this object until the server answers or the driver gives up. GUI thread.
#pragma once

#include "core/base/result.h"

#include <QObject>

#include <atomic>
#include <functional>
#include <memory>

namespace ct {

class Inquiry final : public QObject {
    Q_OBJECT
public:
    /// True: the answer is no longer needed.
    using Stops = std::function<bool()>;

    using QObject::QObject;
    ~Inquiry() override;  ///< cancels; waits for nothing

    /// Cancels the present inquiry. Calls `ask`, which must own everything that it uses, on another thread, and then
    /// `done` on the GUI thread unless cancelled. Returns an error if the system refuses the thread.
    Result<void> start(std::function<void(const Stops &stops)> ask, std::function<void()> done);
    void cancel();
    bool isRunning() const { return m_stops != nullptr; }

private:
    /// Set to end the work in progress. Its thread shares it.
    std::shared_ptr<std::atomic<bool>> m_stops;
};

}  // namespace ct
