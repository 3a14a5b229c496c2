// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvestthread/harvestthread.h"

#include "core/base/startthread.h"
#include "core/harvest/postmortemclock.h"
#include "core/harvestthread/harvestserver.h"

#include <QAbstractEventDispatcher>
#include <QEventLoop>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace ct {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

/// Pause between passes over busy stations. Polling the cache lines that a target writes slows the target.
constexpr microseconds kBusyGap{100};
constexpr microseconds kSocketGap{1000};   ///< busy: how often the event loop runs
constexpr int kIdlePasses = 10;            ///< empty passes in a row before sleep
constexpr milliseconds kFlagCheckGap{10};  ///< asleep: interval of checks whether the flag was cleared
constexpr milliseconds kSureCheckGap{50};  ///< asleep: the interval when every writer is sure to send a byte
constexpr milliseconds kSafetyGap{250};    ///< asleep: shortest interval of complete passes
constexpr int kSafetyCostFactor = 200;    ///< asleep: complete passes are at least this many times their own cost apart
constexpr milliseconds kPollShortest{1};  ///< without announcement: first interval of polls, doubled after each
constexpr milliseconds kPollLongest{50};  ///< without announcement: longest interval of polls
constexpr int kNice = -10;
constexpr milliseconds kHeartbeat{100};  ///< longest interval between batches, empty ones included

}  // namespace

struct HarvestThread::Data {
    Data(Region &theRegion, std::string path, std::vector<std::shared_ptr<Sink>> theSinks,
         std::shared_ptr<LatestSums> theSums)
        : region(theRegion), socketPath(std::move(path)), sinks(std::move(theSinks)), sums(std::move(theSums))
    {
    }

    Region &region;
    std::string socketPath;
    std::vector<std::shared_ptr<Sink>> sinks;
    const std::shared_ptr<LatestSums> sums;
    HarvestLoop loop{region};
    std::promise<Result<void>> started;
    std::atomic<bool> endRequested{false};
    std::atomic<bool> pauseRequested{false};
    /// Relaxed: abandon() comes before requestEnd(), whose release store publishes this value to the thread.
    std::atomic<bool> abandoned{false};

    std::optional<PostMortemClock>
        postMortemClock;  ///< set before the start; while the thread runs, only the thread uses it

    // Harvest thread only.
    Batch batch;
    int idlePasses = 0;
    bool paused = false;
    bool regionFailed = false;
    milliseconds poll = kPollShortest;
    Clock::time_point lastDelivery{};
    Clock::time_point lastSafetyPass = Clock::now();
    Clock::time_point lastSocketTurn{};
};

HarvestThread::HarvestThread(Region &region, std::string socketPath, std::vector<std::shared_ptr<Sink>> sinks,
                             std::shared_ptr<LatestSums> sums, QObject *parent)
    : QThread(parent), m_data(std::make_unique<Data>(region, std::move(socketPath), std::move(sinks), std::move(sums)))
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

void HarvestThread::setPostMortem()
{
    m_data->postMortemClock.emplace();
}

std::uint64_t HarvestThread::latestEventNs() const
{
    return m_data->postMortemClock ? m_data->postMortemClock->latest() : 0;
}

void HarvestThread::abandon()
{
    m_data->abandoned.store(true, std::memory_order_relaxed);
}

void HarvestThread::setPaused(bool paused)
{
    // Relaxed: only the request itself is passed.
    m_data->pauseRequested.store(paused, std::memory_order_relaxed);
}

void HarvestThread::requestEnd()
{
    // Release; partner: the acquire loads in run() and sleepUntilWoken(). The thread then sees an earlier abandon().
    // It checks the request at least every kPollLongest.
    m_data->endRequested.store(true, std::memory_order_release);
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
    }
    data.started.set_value({});
    // Without this, the kernel may prolong each pause by 50 us.
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    // With more runnable threads than cores, a reader that has only a fair share falls behind. Then records are
    // dropped. Without permission (RLIMIT_NICE) the share stays fair. On Linux this applies to this thread only.
    (void)::setpriority(PRIO_PROCESS, 0, kNice);

    QEventLoop events;
    QTimer waitTimer;  // limits every wait for the socket
    while (!data.endRequested.load(std::memory_order_acquire)) {
        applyPause();
        if (runPass())
            continue;
        if (data.loop.mayAnnounceSleep())
            sleepUntilWoken(events, waitTimer);
        else
            pollAgain(events, waitTimer);
    }
    drainAndFinish();
    Q_EMIT harvestEnded();
}

void HarvestThread::applyPause()
{
    const bool wanted = m_data->pauseRequested.load(std::memory_order_relaxed);
    if (wanted == m_data->paused)
        return;
    m_data->paused = wanted;
    m_data->loop.setPaused(wanted);
    publishAccounting();
}

bool HarvestThread::runPass()
{
    Data &data = *m_data;
    data.batch.clear();
    data.loop.pass(data.batch);
    const bool any = !data.batch.empty();
    deliver();
    data.idlePasses = any ? 0 : data.idlePasses + 1;
    if (any)
        data.poll = kPollShortest;
    const Clock::time_point now = Clock::now();
    if (now - data.lastSocketTurn >= kSocketGap) {
        data.lastSocketTurn = now;
        eventDispatcher()->processEvents(QEventLoop::AllEvents);
    }
    if (data.loop.hasMore())
        return true;
    if (!any && data.idlePasses >= kIdlePasses)
        return false;
    if (!data.loop.isUrgent())
        QThread::usleep(static_cast<unsigned long>(kBusyGap.count()));
    return true;
}

void HarvestThread::sleepUntilWoken(QEventLoop &events, QTimer &waitTimer)
{
    Data &data = *m_data;
    data.idlePasses = 0;
    data.batch.clear();
    const bool quiet = data.loop.prepareSleep(data.batch);
    deliver();
    if (!quiet)
        return;
    waitTimer.start(data.loop.areWakesSure() ? kSureCheckGap : kFlagCheckGap);
    while (!data.endRequested.load(std::memory_order_acquire)) {
        events.processEvents(QEventLoop::WaitForMoreEvents);
        // The flag was cleared (with or without a byte), a station was allocated, or a pause is requested.
        if (!data.loop.stillQuiet() || data.pauseRequested.load(std::memory_order_relaxed) != data.paused)
            break;
        data.batch.clear();
        if (isSafetyPassDue())
            safetyPass();
        else if (data.loop.hasEndsToEmit())
            data.loop.emitEnds(data.batch);
        const bool any = !data.batch.empty() || data.loop.hasMore();
        deliver();
        if (any)
            break;
    }
    waitTimer.stop();
    data.loop.cancelSleep();
}

void HarvestThread::pollAgain(QEventLoop &events, QTimer &waitTimer)
{
    Data &data = *m_data;
    data.idlePasses = kIdlePasses;  // one pass per poll until there is news
    waitTimer.start(data.poll);
    events.processEvents(QEventLoop::WaitForMoreEvents);
    waitTimer.stop();
    data.poll = std::min(data.poll * 2, kPollLongest);
}

bool HarvestThread::isSafetyPassDue() const
{
    const nanoseconds gap = std::max<nanoseconds>(
        kSafetyGap, nanoseconds(static_cast<std::int64_t>(m_data->loop.lastPassNs()) * kSafetyCostFactor));
    return Clock::now() - m_data->lastSafetyPass >= gap;
}

void HarvestThread::safetyPass()
{
    m_data->loop.safetyPass(m_data->batch);
    m_data->lastSafetyPass = Clock::now();
}

/// Passes the batch to every sink. Passes an empty one at least every kHeartbeat, with the time.
void HarvestThread::deliver()
{
    Data &data = *m_data;
    const Clock::time_point now = Clock::now();
    if (data.batch.empty() && now - data.lastDelivery < kHeartbeat)
        return;
    data.lastDelivery = now;
    if (data.batch.empty())  // perhaps there was no pass, so only the time is news
        data.batch.now = static_cast<std::uint64_t>(nanoseconds(now.time_since_epoch()).count());
    if (!data.regionFailed && !data.region.isWhole()) {
        data.regionFailed = true;
        Q_EMIT regionFailed(QStringLiteral("%1 was cut short, so nothing more can be read from it; %2")
                                .arg(QString::fromStdString(data.region.path()),
                                     data.postMortemClock
                                         ? QStringLiteral("make a complete copy of the region, or delete the file")
                                         : QStringLiteral("start the target again")));
    }
    if (data.postMortemClock)
        data.postMortemClock->apply(data.batch);
    for (std::size_t i = 0; i < data.sinks.size();) {
        if (const Result<void> consumed = data.sinks[i]->consume(data.batch); !consumed) {
            dropSink(i, consumed.error());
            continue;
        }
        ++i;
    }
    publishAccounting();
}

void HarvestThread::dropSink(std::size_t index, const Error &error)
{
    m_data->sinks.erase(m_data->sinks.begin() + static_cast<std::ptrdiff_t>(index));
    Q_EMIT sinkFailed(QString::fromStdString(error.message));
}

void HarvestThread::publishAccounting()
{
    m_data->sums->set(m_data->loop.accounting());
}

void HarvestThread::drainAndFinish()
{
    Data &data = *m_data;
    bool done = false;
    while (!done) {
        data.batch.clear();
        done = data.loop.finalDrain(data.batch);
        deliver();
    }
    publishAccounting();
    if (data.abandoned.load(std::memory_order_relaxed))
        return;
    const Accounting sums = accounting();
    while (!data.sinks.empty()) {
        const std::shared_ptr<Sink> sink = std::move(data.sinks.front());
        data.sinks.erase(data.sinks.begin());
        if (const Result<void> finished = sink->finish(sums); !finished)
            Q_EMIT sinkFailed(QString::fromStdString(finished.error().message));
    }
}

}  // namespace ct
