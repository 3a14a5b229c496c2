// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps a slow sink from holding up the source: a bounded queue, and a thread that writes.
#pragma once

#include "core/trace/stream.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

namespace ct {

/// consume() copies and returns; it waits only while the queue is full. The sink behind it is called, and destroyed, on
/// a thread of its own; it gets the same stream, perhaps in other batches. Its error comes back from the next
/// consume(), or from finish(), which waits until all is written. Destruction without finish() writes what is queued.
/// A sink that does not come back, as one on a disk that hangs, is left alone with its thread once patience is over.
class QueuedSink final : public Sink {
public:
    /// Of a queue that waits for its sink however long it takes.
    static constexpr std::chrono::milliseconds kForEver = std::chrono::milliseconds::max();

    /// `budget`: bytes that the queue may take, at least some MiB. `mostWait`: of one consume() for room; then the rest
    /// of the stream is given up. An error where the system has no address space.
    static Result<std::shared_ptr<QueuedSink>> make(std::shared_ptr<Sink> sink, std::uint64_t budget,
                                                    std::chrono::milliseconds mostWait = kForEver);
    /// A quarter of the machine's memory, at most 4 GiB.
    static std::uint64_t usualBudget();
    /// The same of a machine with `memory` bytes; 0 = unknown: 1 GiB.
    static std::uint64_t usualBudget(std::uint64_t memory);
    ~QueuedSink() override;

    Result<void> consume(const Batch &batch) override;
    /// Where patience ends first: an error, though the sink is told of the end if it ever comes back.
    Result<void> finish(const Accounting &accounting) override;
    /// Drops what is queued and what is still to come, but for what the sink is at: it is told of the end, and how many
    /// transitions it did not get (Accounting::eventsNotWritten). Any thread.
    void giveUp();
    /// The same some `time` from now, unless everything was written by then. `hung`: when a sink has not come back so
    /// long after that, nobody waits for it any more. Any thread.
    void giveUpAfter(std::chrono::milliseconds time, std::chrono::milliseconds hung);
    /// Whether something was given up. Any thread.
    bool hasGivenUp() const;
    /// Transitions that were consumed and not written yet, or never will be. Any thread; relaxed, a figure for people.
    std::uint64_t pending() const;
    /// FileSink::written() of the sink behind it, 0 if it is none; also when it has failed. Any thread; relaxed, exact
    /// after finish().
    std::uint64_t written() const;

private:
    class Queue;

    explicit QueuedSink(std::shared_ptr<Queue> queue);

    const std::shared_ptr<Queue> m_queue;  ///< shared with the thread
    std::thread m_writer;
};

}  // namespace ct
