// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/queuedsink.h"

#include "core/base/startthread.h"
#include "core/recording/write/outputqueue.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace ct {

namespace {

constexpr std::uint64_t kFewestBytes = 4ULL << 20;
/// One part in this many of the budget is for rows other than transitions.
constexpr std::uint64_t kRestShare = 4;

}  // namespace

Result<std::shared_ptr<QueuedSink>> QueuedSink::make(std::shared_ptr<Sink> sink, std::uint64_t budget,
                                                     std::chrono::milliseconds mostWait)
{
    budget = std::max(budget, kFewestBytes);
    const std::uint64_t forRest = budget / kRestShare;
    Result<TransitionPool> chunks = TransitionPool::make(budget - forRest);
    if (!chunks)
        return chunks.error();
    auto queue = std::make_shared<OutputQueue>(std::move(sink), std::move(*chunks), forRest, mostWait);
    try {
        return std::shared_ptr<QueuedSink>(new QueuedSink(std::move(queue)));
    } catch (const std::system_error &) {
        return noThread("for the queue before the output file");
    }
}

QueuedSink::QueuedSink(std::shared_ptr<OutputQueue> queue)
    : m_queue(std::move(queue)), m_writer([queue = m_queue] { queue->run(); })
{
}

QueuedSink::~QueuedSink()
{
    if (m_writer.joinable())
        m_queue->awaitEnd(OutputQueue::End::Stop, {}) ? m_writer.join() : m_writer.detach();
}

Result<void> QueuedSink::consume(const Batch &batch)
{
    return m_queue->consume(batch);
}

Result<void> QueuedSink::finish(const Accounting &accounting)
{
    if (!m_writer.joinable())
        return m_queue->outcome();
    if (m_queue->awaitEnd(OutputQueue::End::Finish, accounting)) {
        m_writer.join();
        return m_queue->outcome();
    }
    m_writer.detach();
    return Error{ErrorCode::Busy,
                 std::to_string(pending()) +
                     " events could not be written: the disk does not answer; check it, or choose another folder"};
}

void QueuedSink::keepApart(std::uint64_t ts)
{
    m_queue->keepApart(ts);
}

void QueuedSink::giveUp()
{
    m_queue->giveUp();
}

void QueuedSink::giveUpAfter(std::chrono::milliseconds time, std::chrono::milliseconds hung)
{
    m_queue->giveUpAfter(time, hung);
}

bool QueuedSink::hasGivenUp() const
{
    return m_queue->hasGivenUp();
}

std::uint64_t QueuedSink::pending() const
{
    return m_queue->pending();
}

std::uint64_t QueuedSink::written() const
{
    return m_queue->written();
}

std::uint64_t QueuedSink::causesWritten() const
{
    return m_queue->causesWritten();
}

std::string QueuedSink::remark() const
{
    return m_queue->remark();
}

}  // namespace ct
