// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dedicated harvest QThread: owns the loop and the sinks of a session, wakes through a socket.
#pragma once

#include "core/harvest/harvestloop.h"

#include <QString>
#include <QThread>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

class QEventLoop;
class QTimer;

namespace ct {

/// The latest sums of a capture, for all who share it: some outlive the capture. Any thread.
class LatestSums {
public:
    Accounting get() const
    {
        const std::lock_guard lock(m_mutex);
        return m_sums;
    }
    void set(const Accounting &sums)
    {
        const std::lock_guard lock(m_mutex);
        m_sums = sums;
    }

private:
    mutable std::mutex m_mutex;  ///< held for a copy
    Accounting m_sums;
};

class HarvestThread final : public QThread {
    Q_OBJECT
public:
    /// `socketPath` empty: no server (an observer polls). The region must outlive the thread; sinks are shared with
    /// readers on other threads and are called on this thread only. `sums` are kept up to date.
    HarvestThread(Region &region, std::string socketPath, std::vector<std::shared_ptr<Sink>> sinks,
                  std::shared_ptr<LatestSums> sums = std::make_shared<LatestSums>(), QObject *parent = nullptr);
    ~HarvestThread() override;  ///< ends and waits

    /// Before the start: nobody writes into the region any more. For the sinks, time stands still at its latest event.
    void setPast();
    /// After the end of a thread that was set so: ns, CLOCK_MONOTONIC, of the region's latest event; 0: it has none.
    std::uint64_t latestPastNs() const;
    /// Starts the thread and returns once the socket listens, so that a target may be started.
    Result<void> startHarvest();
    /// Any thread. The thread drains to the counts of now, finishes the sinks, then emits harvestEnded().
    void requestEnd();
    /// Any thread. Switches tracing off or on in the targets, see HarvestLoop::setPaused; takes effect within 100 ms.
    void setPaused(bool paused);
    /// Any thread, before the end: nothing was captured that is worth keeping (the target never started), so sinks are
    /// not finished, and leave what they would have replaced.
    void abandon();

    /// Any thread: a consistent copy of the latest sums (updated at least every 100 ms while something happens).
    Accounting accounting() const;

Q_SIGNALS:
    /// Emitted on the harvest thread. A sink failed; the others and the capture go on.
    void sinkFailed(const QString &message);
    /// To our socket; 0: a process that has no pid here.
    void targetConnected(int pid);
    void targetDisconnected(int pid);
    /// Something that people should know; the capture goes on.
    void noticed(const QString &message);
    /// The region cannot be read any more (its file was cut short); what was harvested stays.
    void regionFailed(const QString &message);
    /// After the final drain; accounting() is final.
    void harvestEnded();

protected:
    void run() override;

private:
    void heedPause();
    bool runPass();  ///< false: nothing for a while
    void sleepUntilWoken(QEventLoop &events, QTimer &look);
    void pollAgain(QEventLoop &events, QTimer &look);
    bool safetyScanDue() const;
    void safetyScan();
    void deliver();
    void dropSink(std::size_t index, const Error &error);
    void publishAccounting();
    void drainAndFinish();

    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
