// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvestthread/decodethread.h"

#include "core/base/monotonic.h"
#include "core/base/precedence.h"
#include "core/base/relaxed.h"
#include "core/base/startthread.h"

#include <algorithm>
#include <pthread.h>
#include <utility>

namespace ct {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kPollShortest{1};
constexpr milliseconds kPollLongest{50};
/// Pauses of one pass while the collector is pressed, and their length.
constexpr int kMostPauses = 80;
constexpr milliseconds kPause{5};
/// Empty batches are at least so far apart. How often there is one, the collector decides.
constexpr milliseconds kTimeGap{50};

}  // namespace

DecodeThread::DecodeThread(Region &region, RawQueue &queue, std::vector<std::shared_ptr<Sink>> sinks,
                           std::shared_ptr<LatestSums> sums, Events events)
    : m_region(region),
      m_queue(queue),
      m_decoder(region, queue),
      m_sinks(std::move(sinks)),
      m_sums(std::move(sums)),
      m_events(std::move(events))
{
}

DecodeThread::~DecodeThread()
{
    join();
}

Result<void> DecodeThread::start()
{
    if (!startThread(m_thread, [this] { run(); }))
        return noThread("to decode the capture");
    return {};
}

void DecodeThread::requestTime()
{
    m_timeRequested.store(true, std::memory_order_release);
    m_signal.raise();
}

void DecodeThread::requestEnd()
{
    m_endRequested.store(true, std::memory_order_release);
    m_signal.raise();
}

void DecodeThread::join()
{
    if (m_thread.joinable())
        m_thread.join();
}

void DecodeThread::run()
{
    (void)pthread_setname_np(pthread_self(), "decode");
    giveWay();
    while (!m_endRequested.load(std::memory_order_acquire)) {
        if (takeTimeRequest()) {
            m_signal.waitFor(longestWait());  // the collector's answer ends the wait
            continue;
        }
        pass();
        if (m_decoder.hasMore())
            continue;
        if (m_decoder.awaitsCollector())
            m_events.awaitsCollector();
        m_signal.waitFor(longestWait());
    }
    drainAndFinish();
    m_hasEnded.store(true, std::memory_order_release);
    m_events.ended();
}

/// An observer gets no news from the collector: another engine reads the lanes. It polls the compact stations.
std::chrono::milliseconds DecodeThread::longestWait()
{
    if (m_region.access() != RegionAccess::Observer)
        return 2 * m_heartbeat;  // the collector calls earlier
    m_poll = m_hadEvents ? kPollShortest : std::min(m_poll * 2, kPollLongest);
    return m_poll;
}

/// Returns true if the time was requested. Only the collector can tell up to when everything is collected.
bool DecodeThread::takeTimeRequest()
{
    if (!m_timeRequested.exchange(false, std::memory_order_acquire))
        return false;
    m_timeRequest = m_queue.requests.request();
    return true;
}

/// Leaves the processors to the collector while it is pressed: to decode can wait, to collect cannot. Not for ever,
/// because the collector may have stopped.
void DecodeThread::letCollectorPass() const
{
    for (int i = 0; i < kMostPauses && m_queue.facts.isPressed(monotonicNow()); ++i)
        std::this_thread::sleep_for(kPause);
}

void DecodeThread::pass()
{
    letCollectorPass();
    m_batch.clear();
    const bool tellsTime = m_timeRequest && m_queue.requests.isAnswered(*m_timeRequest);
    if (tellsTime)
        m_timeRequest.reset();
    m_decoder.pass(m_batch);
    addNotes();
    deliver(tellsTime);
}

void DecodeThread::addNotes()
{
    m_hadEvents = !m_batch.empty();
    if (m_addedNotes)
        m_addedNotes->take(m_batch);
}

/// Passes the batch to every sink. An empty one tells the time: the collector wakes this thread for that in each
/// heartbeat. `tellsTime`: passes an empty one in any case.
void DecodeThread::deliver(bool tellsTime)
{
    const Clock::time_point now = Clock::now();
    if (m_batch.empty() && !tellsTime && now - m_lastDelivery < kTimeGap)
        return;
    m_lastDelivery = now;
    if (!m_hasRegionFailed && !m_region.isWhole()) {
        m_hasRegionFailed = true;
        m_events.regionFailed();
    }
    if (m_postMortemClock)
        m_postMortemClock->apply(m_batch, monotonicNow());
    for (std::size_t i = 0; i < m_sinks.size();) {
        if (const Result<void> consumed = m_sinks[i]->consume(m_batch); !consumed) {
            dropSink(i, consumed.error());
            continue;
        }
        ++i;
    }
    publishSums();
}

void DecodeThread::dropSink(std::size_t index, const Error &error)
{
    m_sinks.erase(m_sinks.begin() + static_cast<std::ptrdiff_t>(index));
    m_events.sinkFailed(error.message);
}

void DecodeThread::publishSums()
{
    m_sums->set(m_decoder.accounting());
}

void DecodeThread::drainAndFinish()
{
    for (bool isDone = false; !isDone;) {
        letCollectorPass();
        m_batch.clear();
        isDone = m_decoder.finalDrain(m_batch);
        addNotes();
        deliver(isDone);
        if (isDone || m_decoder.hasMore())
            continue;
        m_events.awaitsCollector();
        m_signal.waitFor(m_heartbeat);
    }
    publishSums();
    if (m_isAbandoned.load(std::memory_order_relaxed))
        return;
    const Accounting sums = m_sums->get();
    while (!m_sinks.empty()) {
        const std::shared_ptr<Sink> sink = std::move(m_sinks.front());
        m_sinks.erase(m_sinks.begin());
        if (const Result<void> finished = sink->finish(sums); !finished)
            m_events.sinkFailed(finished.error().message);
    }
}

}  // namespace ct
