// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps a slow sink from delaying the source: a bounded queue, and a thread that writes.
#pragma once

#include "core/stream/stream.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

namespace ct {

class OutputQueue;

/// consume() copies the batch and returns; it waits only while the queue is full. The sink behind the queue is called
/// and destroyed on its own thread. It gets the same stream, perhaps in other batches. The next consume() returns its
/// error, or finish(), which waits until everything is written. Destruction without finish() writes the queued batches.
/// A sink that hangs, for example on a disk that does not answer, is abandoned with its thread: see giveUpAfter().
class QueuedSink final : public Sink {
public:
    /// `mostWait` of a queue that waits for its sink without limit.
    static constexpr std::chrono::milliseconds kForEver = std::chrono::milliseconds::max();
    /// Bytes. Enough to keep the writer busy; what comes faster waits in raw chunks, where it needs an eighth of
    /// the memory.
    static constexpr std::uint64_t kUsualBudget = std::uint64_t{16} << 20;

    /// `budget`: memory for the queue, in bytes; raised to 4 MiB. `mostWait`: longest wait of one consume() for room;
    /// after it, the rest of the stream is given up. Returns an error when the system has no address space or thread.
    static Result<std::shared_ptr<QueuedSink>> make(std::shared_ptr<Sink> sink, std::uint64_t budget,
                                                    std::chrono::milliseconds mostWait = kForEver);
    ~QueuedSink() override;

    Result<void> consume(const Batch &batch) override;
    /// Also returns an error when the sink hangs. If it returns later, it is still finished. After an error of the
    /// sink, calls FileSink::finishFailed() and returns that error.
    Result<void> finish(const Accounting &accounting) override;
    /// Batches whose time is at most `ts` (ns, CLOCK_MONOTONIC) and later ones stay separate batches from now on, so
    /// that the sink can tell what was known at `ts`. The latest call counts. Any thread.
    void keepApart(std::uint64_t ts);
    /// Discards everything in the queue and everything still to come. The sink completes its present batches. finish()
    /// then passes it the numbers of transitions and births not written (Accounting::eventsNotWritten and
    /// coroutinesNotWritten). Any thread.
    void giveUp();
    /// Gives up `time` from now, unless everything is written by then. A sink that has not returned `hung` after that
    /// is abandoned. Any thread.
    void giveUpAfter(std::chrono::milliseconds time, std::chrono::milliseconds hung);
    /// True if something was given up. Any thread.
    bool hasGivenUp() const;
    /// Transitions that were consumed but not written, including those given up; 0 after an error of the sink. Any
    /// thread; relaxed, so the number can lag behind.
    std::uint64_t pending() const;
    /// FileSink::written() of the sink, also after it has failed; 0 if the sink is no FileSink. Any thread; relaxed,
    /// exact after finish().
    std::uint64_t written() const;
    /// FileSink::causesWritten(), in the same way.
    std::uint64_t causesWritten() const;
    /// FileSink::remark(), after finish(). Any thread.
    std::string remark() const;

private:
    explicit QueuedSink(std::shared_ptr<OutputQueue> queue);

    const std::shared_ptr<OutputQueue> m_queue;  ///< shared with the thread
    std::thread m_writer;
};

}  // namespace ct
