// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/backlog.h"

#include "core/recording/write/queuedsink.h"

#include <algorithm>

namespace ct {

namespace {

constexpr int kCheckMs = 500;
constexpr std::uint64_t kMany = 1'000'000;  ///< events that take a while to write
constexpr qint64 kReportMs = 10'000;

}  // namespace

Backlog::Backlog(std::vector<std::shared_ptr<QueuedSink>> queues, std::function<std::uint64_t()> undecoded,
                 QString name, QObject *parent)
    : QObject(parent), m_queues(std::move(queues)), m_undecoded(std::move(undecoded)), m_name(std::move(name))
{
    connect(&m_timer, &QTimer::timeout, this, [this] { check(m_clock.elapsed()); });
}

void Backlog::beginReporting(bool bySignal)
{
    if (m_begun)
        return;
    m_begun = true;
    m_bySignal = bySignal;
    m_clock.start();
    if (pending() >= kMany)
        reportPending();
    m_timer.start(kCheckMs);
}

void Backlog::reportPending()
{
    m_reportedPending = true;
    Q_EMIT reported(tr("writing the last %1 events to %2; %3 gives up the rest")
                        .arg(QString::number(pending()), m_name, m_bySignal ? tr("a second Ctrl-C") : tr("Ctrl-C")));
}

std::uint64_t Backlog::pending() const
{
    std::uint64_t most = 0;
    for (const std::shared_ptr<QueuedSink> &queue : m_queues)
        most = std::max(most, queue->pending());
    return most + m_undecoded();
}

QString Backlog::pendingText() const
{
    const std::uint64_t waiting = pending();
    return waiting > 0 ? tr("%1 events left to write to %2").arg(QString::number(waiting), m_name)
                       : tr("completing %1").arg(m_name);
}

void Backlog::check(qint64 ms)
{
    if (m_givenUp)
        return;
    if (!m_reportedPending && pending() > 0)
        reportPending();
    Q_EMIT left(pendingText());
    if (ms < m_reportedAt + kReportMs)
        return;
    m_reportedAt = ms;
    Q_EMIT reported(pendingText());
}

void Backlog::onSignal()
{
    const std::uint64_t waiting = pending();
    if (!m_givenUp && waiting > 0 && !m_reportedPending) {
        m_bySignal = true;
        reportPending();
    } else if (!m_givenUp && waiting > 0) {
        m_givenUp = true;
        for (const std::shared_ptr<QueuedSink> &queue : m_queues)
            queue->giveUp();
        Q_EMIT reported(tr("giving up the last %1 events").arg(waiting));
    } else if (!m_warned) {
        m_warned = true;
        Q_EMIT reported(tr("completing %1; the next signal ends at once and leaves it incomplete").arg(m_name));
    } else {
        Q_EMIT endWanted();
    }
}

}  // namespace ct
