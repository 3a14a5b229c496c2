// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The thread behind the harvest thread: it decodes what that one has collected, and calls the sinks of a session. It
// may fall behind without any loss.
#pragma once

#include "core/base/wakesignal.h"
#include "core/harvest/addednotes.h"
#include "core/harvest/decoder.h"
#include "core/harvest/postmortemclock.h"
#include "core/harvestthread/latestsums.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace ct {

class DecodeThread {
public:
    /// Called on the decoding thread.
    struct Events {
        std::function<void(const std::string &)> sinkFailed;
        std::function<void()> regionFailed;  ///< once
        std::function<void()> ended;
        std::function<void()> awaitsCollector;  ///< the collector should make a pass soon
    };

    /// Everything must outlive the thread. Sinks may be shared with readers on other threads, but are called on this
    /// thread only. `sums` is updated with every batch.
    DecodeThread(Region &region, RawQueue &queue, std::vector<std::shared_ptr<Sink>> sinks,
                 std::shared_ptr<LatestSums> sums, Events events);
    ~DecodeThread();  ///< the thread must have ended, or not be started

    /// As HarvestThread::setHeartbeat(). Before the start.
    void setHeartbeat(std::chrono::milliseconds most) { m_heartbeat = most; }
    /// As HarvestThread::setPostMortem(). Before the start.
    void setPostMortem() { m_postMortemClock.emplace(); }
    /// As HarvestThread::setAddedNotes(). Before the start.
    void setAddedNotes(std::shared_ptr<AddedNotes> notes) { m_addedNotes = std::move(notes); }
    /// As HarvestThread::latestEventNs(). After the end.
    std::uint64_t latestEventNs() const { return m_postMortemClock ? m_postMortemClock->latest() : 0; }

    Result<void> start();
    /// There is something to decode. Any thread.
    void notify() { m_signal.raise(); }
    /// As HarvestThread::requestTime().
    void requestTime();
    /// Requests the end: the thread drains what is published by then, and finishes the sinks. Any thread.
    void requestEnd();
    /// As HarvestThread::abandon().
    void abandon() { m_isAbandoned.store(true, std::memory_order_relaxed); }
    /// True when the thread needs the collector no more. Any thread; acquire.
    bool hasEnded() const { return m_hasEnded.load(std::memory_order_acquire); }
    void join();

private:
    void run();
    std::chrono::milliseconds longestWait();
    bool takeTimeRequest();
    void letCollectorPass() const;
    void pass();
    void addNotes();
    void deliver(bool tellsTime = false);
    void dropSink(std::size_t index, const Error &error);
    void publishSums();
    void drainAndFinish();

    Region &m_region;
    RawQueue &m_queue;
    Decoder m_decoder;
    std::vector<std::shared_ptr<Sink>> m_sinks;
    const std::shared_ptr<LatestSums> m_sums;
    const Events m_events;
    WakeSignal m_signal;
    std::atomic<bool> m_timeRequested{false};  ///< release by requestTime(), acquire by the decoding thread
    std::atomic<bool> m_endRequested{false};   ///< release by requestEnd(), acquire by the decoding thread
    /// Relaxed: abandon() comes before requestEnd(), which publishes it.
    std::atomic<bool> m_isAbandoned{false};
    std::atomic<bool> m_hasEnded{false};  ///< release by the decoding thread; partner: hasEnded()
    std::thread m_thread;
    std::chrono::milliseconds m_heartbeat{100};  ///< constant from the start on
    /// Set before the start; while the thread runs, only the thread uses it.
    std::optional<PostMortemClock> m_postMortemClock;
    std::shared_ptr<AddedNotes> m_addedNotes;  ///< constant from the start on; may be null

    // Decoding thread only.
    Batch m_batch;
    bool m_hadEvents = false;  ///< the latest pass decoded something
    bool m_hasRegionFailed = false;
    std::chrono::milliseconds m_poll{1};         ///< of an observer
    std::optional<std::uint64_t> m_timeRequest;  ///< number of a request to the collector, see requestTime()
    std::chrono::steady_clock::time_point m_lastDelivery{};
};

}  // namespace ct
