// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <optional>

namespace ct {

/// Reports once that a target shows no coroutine, some time after it came. On the session's thread.
class NothingTraced final : public QObject {
    Q_OBJECT
public:
    /// `why` returns the likely cause, one sentence; nullopt = a coroutine was traced.
    explicit NothingTraced(std::function<std::optional<QString>()> why, QObject *parent = nullptr);

    void setDelay(int milliseconds) { m_timer.setInterval(milliseconds); }  ///< 3 s if it is not called
    void targetCame();                                                      ///< begins the delay, at the first call
    void stop() { m_timer.stop(); }
    void check();  ///< reports at once, if nothing is traced

Q_SIGNALS:
    void reported(const QString &why);

private:
    const std::function<std::optional<QString>()> m_why;
    QTimer m_timer;
    bool m_hasBegun = false;
    bool m_hasReported = false;
};

}  // namespace ct
