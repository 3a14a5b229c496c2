// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps a slow sink from holding up the source: a bounded queue, and a thread that writes.
#pragma once

#include "core/recording/transitionchunks.h"
#include "core/trace/stream.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace ct {

/// consume() copies and returns; it waits only while the queue is full. The sink behind it is called, and destroyed, on
/// a thread of its own; it gets the same stream, perhaps in other batches. Its error comes back from the next
/// consume(), or from finish(), which waits until all is written. Destruction without finish() writes what is queued.
class QueuedSink final : public Sink {
public:
    /// `budget`: bytes that the queue may take, at least some MiB. An error where the system has no address space.
    static Result<std::shared_ptr<QueuedSink>> make(std::shared_ptr<Sink> sink, std::uint64_t budget);
    /// A quarter of the machine's memory, at most 4 GiB.
    static std::uint64_t usualBudget();
    ~QueuedSink() override;

    Result<void> consume(const Batch &batch) override;
    Result<void> finish(const Accounting &accounting) override;
    /// Drops what is queued and what is still to come, but for what the sink is at: it is told of the end, and how many
    /// transitions it did not get (Accounting::eventsNotWritten). Any thread.
    void giveUp();
    /// The same some time from now, unless everything was written by then. Any thread.
    void giveUpAfter(std::chrono::milliseconds time);
    /// Transitions that were consumed and not written yet, or never will be. Any thread; relaxed, a figure for people.
    std::uint64_t pending() const { return m_pending.load(std::memory_order_relaxed); }

private:
    /// A batch, or a part of one: the transitions of its chunk up to `end`, and everything else, if there is any.
    struct Step {
        std::size_t end = 0;
        std::uint64_t now = 0;
        std::unique_ptr<Batch> rest;  ///< without transitions
        std::size_t restBytes = 0;
    };
    struct Page {
        TransitionChunks::Chunk chunk;
        std::size_t used = 0;
        std::vector<Step> steps;
    };
    enum class End { None, Stop, Finish };

    QueuedSink(std::shared_ptr<Sink> sink, TransitionChunks chunks, std::size_t restBudget);
    Result<void> appendWhole(std::unique_lock<std::mutex> &lock, const Batch &batch, std::size_t restBytes);
    Result<void> append(std::unique_lock<std::mutex> &lock, std::span<const Transition> transitions, Step step);
    bool awaitRoom(std::unique_lock<std::mutex> &lock, std::size_t restBytes);
    void closePage();
    void dropQueued();
    void end(End how);
    void run();
    std::optional<Page> take();
    Result<void> write(Page &page);
    void recycle(Page page);
    void fail(const Error &error);

    const std::size_t m_restBudget;
    std::shared_ptr<Sink> m_sink;  ///< the writer's, and
    Transitions m_buffer;          ///< this: its memory is used again
    std::atomic<std::uint64_t> m_pending{0};

    std::mutex m_mutex;  ///< guards what follows; held for a copy at most
    std::condition_variable m_work;
    std::condition_variable m_room;
    TransitionChunks m_chunks;
    std::deque<Page> m_full;
    std::optional<Page> m_open;
    std::size_t m_restBytes = 0;
    End m_end = End::None;
    Accounting m_accounting;
    std::optional<Error> m_error;
    bool m_givenUp = false;
    std::optional<std::chrono::steady_clock::time_point> m_patienceEnd;
    std::thread m_writer;
};

}  // namespace ct
