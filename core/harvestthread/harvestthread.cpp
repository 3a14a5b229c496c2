// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvestthread/harvestthread.h"

#include "core/base/precedence.h"
#include "core/base/startthread.h"
#include "core/collect/collector.h"
#include "core/harvestthread/decodethread.h"
#include "core/harvestthread/harvestserver.h"

#include <QAbstractEventDispatcher>
#include <QEventLoop>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <future>

namespace ct {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

constexpr microseconds kSocketGap{1000};  ///< busy: how often the event loop runs
constexpr int kIdlePasses = 10;           ///< empty passes in a row before sleep
/// Asleep: interval of checks whether the flag was cleared, while a writer of version 1 may clear it without a byte.
constexpr milliseconds kFlagCheckGap{10};
/// Asleep: the same, while a process with lanes has no connection, and cannot send a byte.
constexpr milliseconds kUnconnectedGap{50};
constexpr milliseconds kSafetyGap{250};  ///< asleep: shortest interval of complete passes
constexpr int kSafetyCostFactor = 200;   ///< asleep: complete passes are at least this many times their own cost apart
/// Soon after news, the time is told at least so often: files are flushed, and frames compared, once it has passed.
constexpr milliseconds kEarlyHeartbeat{250};
constexpr milliseconds kEarly{3000};
constexpr milliseconds kPollShortest{1};   ///< without announcement: first interval of polls, doubled after each
constexpr milliseconds kPollLongest{50};   ///< without announcement: longest interval of polls
constexpr microseconds kNoMemoryGap{200};  ///< pause while the decoder has to free memory first

}  // namespace

struct HarvestThread::Data {
    Data(HarvestThread &thread, Region &theRegion, std::string path, std::vector<std::shared_ptr<Sink>> sinks,
         const BacklogSpec &backlog, std::shared_ptr<LatestSums> theSums)
        : region(theRegion),
          socketPath(std::move(path)),
          sums(std::move(theSums)),
          collector(theRegion, backlog),
          decoding(
              theRegion, collector.queue(), std::move(sinks), sums,
              {[&thread](const std::string &message) { Q_EMIT thread.sinkFailed(QString::fromStdString(message)); },
               [&thread] { thread.reportCutRegion(); }, [this] { wakeCollector(); }, [this] { wakeCollector(); }})
    {
        collector.queue().requests.setWake([this] { wakeCollector(); });
        collector.queue().spill.setNotice(
            [&thread](const std::string &message) { Q_EMIT thread.noticed(QString::fromStdString(message)); });
    }

    /// Any thread. Has no effect before the thread runs its event loop, which then makes passes anyway.
    void wakeCollector() const
    {
        // Acquire; partner: the release store in run().
        if (QAbstractEventDispatcher *const running = dispatcher.load(std::memory_order_acquire))
            running->wakeUp();
    }

    Region &region;
    const std::string socketPath;
    const std::shared_ptr<LatestSums> sums;
    Collector collector;
    DecodeThread decoding;
    std::promise<Result<void>> started;
    std::atomic<bool> pauseRequested{false};
    bool isPostMortem = false;
    std::atomic<QAbstractEventDispatcher *> dispatcher{nullptr};

    // Harvest thread only.
    int idlePasses = 0;
    bool paused = false;
    milliseconds heartbeat{100};  ///< constant from the start on
    Clock::time_point lastNews = Clock::now();
    Clock::time_point lastNotified{};
    milliseconds poll = kPollShortest;
    Clock::time_point lastSafetyPass = Clock::now();
    Clock::time_point lastSocketTurn{};
};

HarvestThread::HarvestThread(Region &region, std::string socketPath, std::vector<std::shared_ptr<Sink>> sinks,
                             const BacklogSpec &backlog, std::shared_ptr<LatestSums> sums, QObject *parent)
    : QThread(parent),
      m_data(std::make_unique<Data>(*this, region, std::move(socketPath), std::move(sinks), backlog, std::move(sums)))
{
    setObjectName(QStringLiteral("harvest"));
}

HarvestThread::~HarvestThread()
{
    requestEnd();
    wait();
}

Result<void> HarvestThread::startHarvest()
{
    std::future<Result<void>> started = m_data->started.get_future();
    // If the thread cannot start, nothing would fulfil the promise.
    const Result<void> running = startQThread(*this, "for the capture");
    return running ? started.get() : running;
}

void HarvestThread::setHeartbeat(milliseconds most)
{
    m_data->heartbeat = most;
    m_data->decoding.setHeartbeat(most);
}

void HarvestThread::setPostMortem()
{
    m_data->isPostMortem = true;
    m_data->decoding.setPostMortem();
}

void HarvestThread::setAddedNotes(std::shared_ptr<AddedNotes> notes)
{
    m_data->decoding.setAddedNotes(std::move(notes));
}

std::uint64_t HarvestThread::latestEventNs() const
{
    return m_data->decoding.latestEventNs();
}

void HarvestThread::abandon()
{
    m_data->decoding.abandon();
}

void HarvestThread::setPaused(bool paused)
{
    // Relaxed: only the request itself is passed.
    m_data->pauseRequested.store(paused, std::memory_order_relaxed);
    m_data->wakeCollector();
}

void HarvestThread::requestTime()
{
    m_data->decoding.requestTime();
}

void HarvestThread::requestEnd()
{
    m_data->decoding.requestEnd();
}

Accounting HarvestThread::accounting() const
{
    return m_data->sums->get();
}

void HarvestThread::run()
{
    Data &data = *m_data;
    HarvestServer server;
    if (!data.socketPath.empty()) {
        if (auto listening = server.listen(data.socketPath); !listening) {
            data.started.set_value(listening);
            return;
        }
        connect(&server, &HarvestServer::connected, this, &HarvestThread::targetConnected, Qt::DirectConnection);
        connect(&server, &HarvestServer::acceptFailed, this, &HarvestThread::noticed, Qt::DirectConnection);
        connect(&server, &HarvestServer::disconnected, this, &HarvestThread::targetDisconnected, Qt::DirectConnection);
        // A process has ended, maybe: the next pass tells the decoder the time, although it is early for that.
        connect(
            &server, &HarvestServer::disconnected, this, [&data] { data.lastNotified = {}; }, Qt::DirectConnection);
    }
    if (data.collector.queue().pool.budget() == 0) {
        data.started.set_value(
            errnoError(ENOMEM, "no memory for a capture", "raise the limit of the address space (ulimit -v)"));
        return;
    }
    if (Result<void> decoding = data.decoding.start(); !decoding) {
        data.started.set_value(decoding);
        return;
    }
    if (const Result<void> spill = data.collector.queue().spill.start(); !spill)
        Q_EMIT noticed(QString::fromStdString(spill.error().message));
    data.collector.queue().pool.prepareStart();
    data.dispatcher.store(eventDispatcher(), std::memory_order_release);  // partner: wakeCollector()
    data.started.set_value({});
    takePrecedence();

    QEventLoop events;
    QTimer waitTimer;  // limits every wait for the socket
    while (!data.decoding.hasEnded()) {
        applyPause();
        if (runPass())
            continue;
        if (data.collector.mayAnnounceSleep())
            sleepUntilWoken(events, waitTimer, server);
        else
            pollAgain(events, waitTimer);
    }
    data.decoding.join();
    data.dispatcher.store(nullptr, std::memory_order_release);
    Q_EMIT harvestEnded();
}

void HarvestThread::applyPause()
{
    const bool wanted = m_data->pauseRequested.load(std::memory_order_relaxed);
    if (wanted == m_data->paused)
        return;
    m_data->paused = wanted;
    m_data->collector.setPaused(wanted);
    m_data->decoding.notify();
}

bool HarvestThread::runPass()
{
    Data &data = *m_data;
    const bool any = data.collector.pass();
    notifyDecoder(any);
    if (any)
        data.poll = kPollShortest;
    data.idlePasses = any ? 0 : data.idlePasses + 1;
    const Clock::time_point now = Clock::now();
    if (now - data.lastSocketTurn >= kSocketGap) {
        data.lastSocketTurn = now;
        eventDispatcher()->processEvents(QEventLoop::AllEvents);
    }
    if (data.collector.hasMore()) {
        QThread::usleep(static_cast<unsigned long>(kNoMemoryGap.count()));
        return true;
    }
    if (!any && data.idlePasses >= kIdlePasses)
        return false;
    QThread::usleep(static_cast<unsigned long>(data.collector.pauseNs() / 1000));
    return true;
}

/// How long a cleared flag may stay unnoticed, if no byte comes. A connected process that is killed before it sends its
/// byte closes its connection, which wakes the engine as well.
milliseconds HarvestThread::flagCheckGap(std::size_t connections) const
{
    const Data &data = *m_data;
    if (!data.collector.areWakesSure())
        return kFlagCheckGap;
    if (connections < data.collector.processesWithLanes())
        return std::min(kUnconnectedGap, heartbeat());
    return connections == 0 ? std::min(kSafetyGap, heartbeat()) : heartbeat();
}

/// How often the time is told now.
milliseconds HarvestThread::heartbeat() const
{
    const bool isEarly = Clock::now() - m_data->lastNews < kEarly;
    return isEarly ? std::min(kEarlyHeartbeat, m_data->heartbeat) : m_data->heartbeat;
}

void HarvestThread::sleepUntilWoken(QEventLoop &events, QTimer &waitTimer, const HarvestServer &server)
{
    Data &data = *m_data;
    data.idlePasses = 0;
    if (!data.collector.prepareSleep()) {
        notifyDecoder(true);
        return;
    }
    bool any = false;
    while (!any && !data.decoding.hasEnded()) {
        const milliseconds gap = flagCheckGap(server.connectionCount());
        if (!waitTimer.isActive() || waitTimer.intervalAsDuration() != gap)
            waitTimer.start(gap);
        events.processEvents(QEventLoop::WaitForMoreEvents);
        // The flag was cleared (with or without a byte), a station was allocated, or a pause is requested.
        if (!data.collector.stillQuiet() || data.pauseRequested.load(std::memory_order_relaxed) != data.paused)
            break;
        any = passWhileAsleep();
        notifyDecoder(any);
    }
    waitTimer.stop();
    data.collector.cancelSleep();
}

/// Call it after each pass. Without news, the decoder still learns from time to time up to when everything is
/// collected.
void HarvestThread::notifyDecoder(bool any)
{
    Data &data = *m_data;
    const Clock::time_point now = Clock::now();
    if (any)
        data.lastNews = now;
    else if (now - data.lastNotified < heartbeat() / 2)  // timers are not exact
        return;
    data.lastNotified = now;
    data.decoding.notify();
}

/// Returns true if there is something for the decoder.
bool HarvestThread::passWhileAsleep()
{
    Data &data = *m_data;
    if (!isSafetyPassDue())
        return data.collector.lanePass();
    const bool any = data.collector.safetyPass();
    data.lastSafetyPass = Clock::now();
    return any;
}

void HarvestThread::pollAgain(QEventLoop &events, QTimer &waitTimer)
{
    Data &data = *m_data;
    data.idlePasses = kIdlePasses;  // one pass per poll until there is news
    // The byte that would end the wait may have been read by now.
    if (data.collector.isAwaited() || data.decoding.hasEnded())
        return;
    waitTimer.start(data.poll);
    events.processEvents(QEventLoop::WaitForMoreEvents);
    waitTimer.stop();
    data.poll = std::min(data.poll * 2, kPollLongest);
}

bool HarvestThread::isSafetyPassDue() const
{
    const nanoseconds gap = std::max<nanoseconds>(
        kSafetyGap, nanoseconds(static_cast<std::int64_t>(m_data->collector.lastPassNs()) * kSafetyCostFactor));
    return Clock::now() - m_data->lastSafetyPass >= gap;
}

/// Called on the decoding thread.
void HarvestThread::reportCutRegion()
{
    Q_EMIT regionFailed(QStringLiteral("%1 was cut short, so nothing more can be read from it; %2")
                            .arg(QString::fromStdString(m_data->region.path()),
                                 m_data->isPostMortem
                                     ? QStringLiteral("make a complete copy of the region, or delete the file")
                                     : QStringLiteral("start the target again")));
}

}  // namespace ct
