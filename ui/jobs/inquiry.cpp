// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/inquiry.h"

#include "core/base/startthread.h"

#include <QThread>

#include <utility>

namespace ct {

namespace {

/// Deletes itself at the end.
class Asking final : public QThread {
public:
    Asking(std::function<void(const Inquiry::Stops &)> ask, Inquiry::Stops stops)
        : m_ask(std::move(ask)), m_stops(std::move(stops))
    {
        connect(this, &QThread::finished, this, &QObject::deleteLater);
    }

protected:
    void run() override { m_ask(m_stops); }

private:
    const std::function<void(const Inquiry::Stops &)> m_ask;
    const Inquiry::Stops m_stops;
};

}  // namespace

Inquiry::~Inquiry()
{
    cancel();
}

Result<void> Inquiry::start(std::function<void(const Stops &stops)> ask, std::function<void()> done)
{
    cancel();
    // Relaxed: a hint, which carries no data.
    const auto flag = std::make_shared<std::atomic<bool>>(false);
    auto *thread = new Asking(std::move(ask), [flag] { return flag->load(std::memory_order_relaxed); });
    connect(thread, &QThread::finished, this, [this, flag, done = std::move(done)] {
        if (flag != m_stops)
            return;
        m_stops.reset();
        done();
    });
    if (Result<void> started = startQThread(*thread, "to ask a server"); !started) {
        delete thread;
        return started;
    }
    m_stops = flag;
    return {};
}

void Inquiry::cancel()
{
    if (m_stops)
        m_stops->store(true, std::memory_order_relaxed);
    m_stops.reset();
}

}  // namespace ct
