// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The harvest QThread. It collects what targets write, and sleeps until the socket wakes it. A thread behind it decodes
// that, and calls the sinks of a session.
#pragma once

#include "core/collect/backlogspec.h"
#include "core/harvestthread/latestsums.h"
#include "core/region/region.h"
#include "core/stream/stream.h"

#include <QString>
#include <QThread>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

class QEventLoop;
class QTimer;

namespace ct {

class AddedNotes;
class HarvestServer;

class HarvestThread final : public QThread {
    Q_OBJECT
public:
    /// An empty `socketPath` means no server: an observer polls. The region must outlive the thread. Sinks may be
    /// shared with readers on other threads, but are called on the decoding thread only. `sums` is updated with every
    /// batch.
    HarvestThread(Region &region, std::string socketPath, std::vector<std::shared_ptr<Sink>> sinks,
                  const BacklogSpec &backlog = {}, std::shared_ptr<LatestSums> sums = std::make_shared<LatestSums>(),
                  QObject *parent = nullptr);
    ~HarvestThread() override;  ///< requests the end and waits for it

    /// Longest time between two batches for the sinks, empty ones included; at most 250 ms in the first seconds after
    /// an event. Call it before the start.
    void setHeartbeat(std::chrono::milliseconds most);
    /// Marks the run as post-mortem. Call it before the start. For the sinks, time stands still at the region's latest
    /// event.
    void setPostMortem();
    /// Notes that come into the stream with the first batch that is not earlier. Call it before the start.
    void setAddedNotes(std::shared_ptr<AddedNotes> notes);
    /// The time of the region's latest event in ns of CLOCK_MONOTONIC, 0 = no event. Only for a post-mortem run, after
    /// its end.
    std::uint64_t latestEventNs() const;
    /// Starts the thread. Returns once the socket listens; a target may be started then.
    Result<void> startHarvest();
    /// Requests the end (any thread). The thread drains what is published by then, finishes the sinks, and emits
    /// harvestEnded().
    void requestEnd();
    /// Asks for a batch whose time is not earlier than this call (any thread). The batch may be empty. If the decoder
    /// is behind, its time may be earlier.
    void requestTime();
    /// Switches tracing off or on in the targets, see Collector::setPaused (any thread). Takes effect within some ms.
    void setPaused(bool paused);
    /// Declares the capture worthless, because the target never started (any thread, before the end). Sinks are not
    /// finished, and files that they would have replaced stay.
    void abandon();

    /// Copies the latest sums (any thread). They are as old as the latest batch.
    Accounting accounting() const;

Q_SIGNALS:
    /// Emitted on the harvest thread or on one behind it, as all signals are. A sink failed; the other sinks and the
    /// capture continue.
    void sinkFailed(const QString &message);
    /// A process connected to the socket; 0 = it has no pid here.
    void targetConnected(int pid);
    void targetDisconnected(int pid);
    /// A notice for the user; the capture continues.
    void noticed(const QString &message);
    /// The region cannot be read any more, because its file was cut short. Everything harvested so far stays.
    void regionFailed(const QString &message);
    /// The final drain is complete, and accounting() is final.
    void harvestEnded();

protected:
    void run() override;

private:
    void applyPause();
    bool runPass();  ///< returns false if nothing has happened for kIdlePasses passes
    std::chrono::milliseconds flagCheckGap(std::size_t connections) const;
    void sleepUntilWoken(QEventLoop &events, QTimer &waitTimer, const HarvestServer &server);
    void pollAgain(QEventLoop &events, QTimer &waitTimer);
    void notifyDecoder(bool any);
    std::chrono::milliseconds heartbeat() const;
    bool passWhileAsleep();
    bool isSafetyPassDue() const;
    void reportCutRegion();

    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
