// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queue and the writer's side of QueuedSink.
#pragma once

#include "core/recording/write/filesink.h"
#include "core/recording/write/transitionpool.h"
#include "core/stream/stream.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ct {

/// The state that the source and the writer's thread share. It lives until both have released it.
class OutputQueue {
public:
    enum class End { None, Stop, Finish };

    /// `mostWait`: milliseconds::max() = without limit.
    OutputQueue(std::shared_ptr<Sink> sink, TransitionPool chunks, std::size_t restBudget,
                std::chrono::milliseconds mostWait)
        : m_restBudget(restBudget),
          m_mostWait(mostWait),
          m_sink(std::move(sink)),
          m_file(dynamic_cast<FileSink *>(m_sink.get())),
          m_chunks(std::move(chunks))
    {
    }

    // As the functions of QueuedSink.
    Result<void> consume(const Batch &batch);
    void keepApart(std::uint64_t ts);
    void giveUp();
    void giveUpAfter(std::chrono::milliseconds time, std::chrono::milliseconds hung);
    bool hasGivenUp();
    std::uint64_t pending() const { return m_pending.load(std::memory_order_relaxed); }
    std::uint64_t written() const { return m_written.load(std::memory_order_relaxed); }
    std::uint64_t causesWritten() const { return m_causesWritten.load(std::memory_order_relaxed); }
    std::string remark();
    bool awaitEnd(End how, const Accounting &accounting);
    Result<void> outcome();
    /// Runs on the writer's thread.
    void run();

private:
    /// A batch, or a part of one: the transitions of its chunk up to `end`, and its other rows.
    struct Step {
        std::size_t end = 0;          ///< index in the chunk behind the last transition
        std::uint64_t now = 0;        ///< Batch::now
        std::unique_ptr<Batch> rest;  ///< all rows but the transitions; nullptr = none
        std::size_t restBytes = 0;
    };
    struct Page {
        TransitionPool::Chunk chunk;
        std::size_t used = 0;  ///< transitions
        std::vector<Step> steps;
        bool hasRows = false;  ///< false: the steps tell nothing but the time
    };

    Result<void> appendWhole(std::unique_lock<std::mutex> &lock, const Batch &batch, std::size_t restBytes);
    Result<void> append(std::unique_lock<std::mutex> &lock, std::span<const Transition> transitions, Step step);
    bool awaitSpace(std::unique_lock<std::mutex> &lock, std::size_t restBytes);
    void closePage();
    void discardQueued();
    std::optional<Page> takePage();
    Result<void> write(Page &page);
    void noteWritten();
    void recycle(Page page);
    void fail(const Error &error);
    void finishSink();

    const std::size_t m_restBudget;
    const std::chrono::milliseconds m_mostWait;
    std::shared_ptr<Sink> m_sink;                   ///< only for the writer's thread
    FileSink *const m_file;                         ///< m_sink, if it is a FileSink; only for the writer's thread
    Transitions m_buffer;                           ///< memory for reuse; only for the writer's thread
    std::atomic<std::uint64_t> m_pending{0};        ///< relaxed: source and writer change it, any thread loads it
    std::atomic<std::uint64_t> m_pendingBirths{0};  ///< relaxed: source and writer change it
    std::atomic<std::uint64_t> m_written{0};        ///< relaxed: the writer stores, any thread loads
    std::atomic<std::uint64_t> m_causesWritten{0};  ///< relaxed, like m_written

    std::mutex m_mutex;                    ///< guards the members below; locked for one copy at most
    std::condition_variable m_work;        ///< wakes the writer
    std::condition_variable m_spaceFreed;  ///< wakes consume()
    std::condition_variable m_over;        ///< wakes awaitEnd()
    TransitionPool m_chunks;
    std::deque<Page> m_full;                            ///< waiting for the writer
    std::optional<Page> m_open;                         ///< the page that consume() fills
    std::uint64_t m_boundary = 0;                       ///< see keepApart()
    bool m_isTimeDue = false;                           ///< m_open is wanted, although it tells nothing but the time
    std::chrono::steady_clock::time_point m_takenAt{};  ///< when the writer took the latest page
    std::size_t m_restBytes = 0;                        ///< bytes of all steps that are not written yet
    End m_end = End::None;
    bool m_isOver = false;  ///< the writer is done
    Accounting m_accounting;
    std::optional<Error> m_error;
    std::string m_remark;  ///< see remark()
    bool m_givenUp = false;
    std::optional<std::chrono::steady_clock::time_point> m_patienceEnd;
    std::optional<std::chrono::steady_clock::time_point> m_hungAt;
};

}  // namespace ct
