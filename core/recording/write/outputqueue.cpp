// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/outputqueue.h"

#include "core/base/precedence.h"
#include "core/recording/write/batchrest.h"
#include "core/recording/write/batchsplitter.h"

#include <algorithm>
#include <pthread.h>

namespace ct {

namespace {

/// The writer waits this long after a page with few transitions. So the source does not wake it for each pass.
constexpr std::chrono::milliseconds kGather{10};
constexpr std::size_t kFew = TransitionPool::kCapacity / 8;
/// The sink gets empty batches, which only tell the time, so often: a source that idles must not keep the writer busy.
constexpr std::chrono::milliseconds kTimeEvery{500};

}  // namespace

Result<void> OutputQueue::consume(const Batch &batch)
{
    std::unique_lock lock(m_mutex);
    const std::size_t restBytes = restBytesOf(batch);
    if (m_givenUp) {
        m_pending.fetch_add(batch.transitions.size(), std::memory_order_relaxed);
        m_pendingBirths.fetch_add(batch.births.size(), std::memory_order_relaxed);
        return {};
    }
    if (batch.transitions.size() <= TransitionPool::kCapacity || restBytes == 0)
        return appendWhole(lock, batch, restBytes);
    Result<void> done;
    for (const Batch &piece : piecesOf(batch, {TransitionPool::kCapacity, batch.transitions.size()})) {
        done = appendWhole(lock, piece, restBytesOf(piece));
        if (!done)
            break;
    }
    return done;
}

/// Appends a batch. If it has other rows, too, all its transitions go to one page, because those rows belong to them.
Result<void> OutputQueue::appendWhole(std::unique_lock<std::mutex> &lock, const Batch &batch, std::size_t restBytes)
{
    if (restBytes == 0)
        return append(lock, batch.transitions, {0, batch.now, nullptr, 0});
    if (m_open && batch.transitions.size() > TransitionPool::kCapacity - m_open->used)
        closePage();
    return append(lock, batch.transitions, {0, batch.now, std::make_unique<Batch>(restOf(batch)), restBytes});
}

/// Appends a step, on several pages if necessary. A step with other rows must fit on one page.
Result<void> OutputQueue::append(std::unique_lock<std::mutex> &lock, std::span<const Transition> transitions, Step step)
{
    const std::size_t count = transitions.size();
    if (step.rest)
        m_pendingBirths.fetch_add(step.rest->births.size(), std::memory_order_relaxed);
    std::size_t done = 0;
    do {
        if (!awaitSpace(lock, step.restBytes)) {
            m_pending.fetch_add(count - done, std::memory_order_relaxed);
            return m_error ? Result<void>(*m_error) : Result<void>();
        }
        const std::size_t some = std::min(count - done, TransitionPool::kCapacity - m_open->used);
        std::copy_n(transitions.data() + done, some, m_open->chunk.transitions + m_open->used);
        m_open->used += some;
        done += some;
        m_pending.fetch_add(some, std::memory_order_relaxed);
        if (done < count) {
            m_open->hasRows = true;
            m_open->steps.push_back({m_open->used, step.now, nullptr, 0});
            closePage();
        }
    } while (done < count);
    // Merge steps that have nothing but transitions.
    std::vector<Step> &steps = m_open->steps;
    step.end = m_open->used;
    m_restBytes += step.restBytes;
    if ((count > 0 || step.rest) && !std::exchange(m_open->hasRows, true))
        m_work.notify_one();
    if (!m_open->hasRows && !m_isTimeDue && std::chrono::steady_clock::now() - m_takenAt >= kTimeEvery) {
        m_isTimeDue = true;
        m_work.notify_one();
    }
    const bool isApart = !steps.empty() && steps.back().now <= m_boundary && step.now > m_boundary;
    if (!step.rest && !steps.empty() && !steps.back().rest && !isApart)
        steps.back() = std::move(step);
    else
        steps.push_back(std::move(step));
    if (m_open->used == TransitionPool::kCapacity)
        closePage();
    return {};
}

/// Waits until there is an open page and room for the other rows. Returns false when the writer has failed or was given
/// up.
bool OutputQueue::awaitSpace(std::unique_lock<std::mutex> &lock, std::size_t restBytes)
{
    const auto hasSpace = [&] {
        // Rows that exceed the whole budget are admitted when no others are queued.
        const bool restFits = restBytes == 0 || m_restBytes == 0 || m_restBytes + restBytes <= m_restBudget;
        return m_error || m_givenUp || ((m_open || !m_chunks.isEmpty()) && restFits);
    };
    if (m_mostWait == std::chrono::milliseconds::max())
        m_spaceFreed.wait(lock, hasSpace);
    else if (!m_spaceFreed.wait_for(lock, m_mostWait, hasSpace))
        discardQueued();
    if (m_error || m_givenUp)
        return false;
    if (!m_open)
        m_open = Page{m_chunks.takeChunk(), 0, {}, false};
    return true;
}

void OutputQueue::closePage()
{
    m_full.push_back(std::move(*m_open));
    m_open.reset();
    m_work.notify_one();
}

void OutputQueue::keepApart(std::uint64_t ts)
{
    const std::lock_guard lock(m_mutex);
    m_boundary = ts;
}

void OutputQueue::giveUp()
{
    const std::lock_guard lock(m_mutex);
    discardQueued();
}

void OutputQueue::giveUpAfter(std::chrono::milliseconds time, std::chrono::milliseconds hung)
{
    {
        const std::lock_guard lock(m_mutex);
        m_patienceEnd = std::chrono::steady_clock::now() + time;
        m_hungAt = *m_patienceEnd + hung;
    }
    m_over.notify_all();
}

bool OutputQueue::hasGivenUp()
{
    const std::lock_guard lock(m_mutex);
    return m_givenUp;
}

/// Requires the lock of m_mutex.
void OutputQueue::discardQueued()
{
    m_givenUp = true;
    for (const Page &page : m_full)
        m_chunks.release(page.chunk);
    m_full.clear();
    if (m_open)
        m_chunks.release(m_open->chunk);
    m_open.reset();
    m_work.notify_one();
    m_spaceFreed.notify_one();
}

/// Signals the end to the writer and waits until it is done. Returns false when it hangs. The queue is empty then, so
/// the writer ends if it ever returns.
bool OutputQueue::awaitEnd(End how, const Accounting &accounting)
{
    std::unique_lock lock(m_mutex);
    m_end = how;
    m_accounting = accounting;
    m_work.notify_one();
    while (!m_isOver && (!m_hungAt || std::chrono::steady_clock::now() < *m_hungAt)) {
        if (m_hungAt)
            m_over.wait_until(lock, *m_hungAt);
        else
            m_over.wait(lock);
    }
    if (!m_isOver)
        discardQueued();
    return m_isOver;
}

Result<void> OutputQueue::outcome()
{
    const std::lock_guard lock(m_mutex);
    return m_error ? Result<void>(*m_error) : Result<void>();
}

std::string OutputQueue::remark()
{
    const std::lock_guard lock(m_mutex);
    return m_remark;
}

void OutputQueue::run()
{
    pthread_setname_np(pthread_self(), "output");
    giveWay();
    while (std::optional<Page> page = takePage()) {
        const bool few = page->hasRows && page->used < kFew;
        const Result<void> written = write(*page);
        noteWritten();
        recycle(std::move(*page));
        if (!written) {
            fail(written.error());
            break;
        }
        std::unique_lock lock(m_mutex);
        if (few)
            m_work.wait_for(lock, kGather, [this] { return m_end != End::None || !m_full.empty(); });
    }
    finishSink();
    noteWritten();
    m_sink.reset();
    {
        const std::lock_guard lock(m_mutex);
        m_isOver = true;
    }
    m_over.notify_all();
}

/// Finishes the sink, if finish() asked for it.
void OutputQueue::finishSink()
{
    std::unique_lock lock(m_mutex);
    m_work.wait(lock, [this] { return m_end != End::None; });  // at once, unless the sink has failed
    if (m_end != End::Finish)
        return;
    if (m_givenUp) {
        m_accounting.eventsNotWritten = pending();
        m_accounting.coroutinesNotWritten = m_pendingBirths.load(std::memory_order_relaxed);
    }
    const Accounting sums = m_accounting;
    const bool hasFailed = m_error.has_value();
    lock.unlock();
    if (hasFailed)
        return m_file ? m_file->finishFailed(sums) : void();
    if (const Result<void> finished = m_sink->finish(sums); !finished)
        fail(finished.error());
    lock.lock();
    m_remark = m_file ? m_file->remark() : std::string();
}

/// Waits for the next page. Returns nullopt at the end.
std::optional<OutputQueue::Page> OutputQueue::takePage()
{
    std::unique_lock lock(m_mutex);
    const auto isWanted = [this] {
        return m_end != End::None || !m_full.empty() || (m_open && (m_open->hasRows || m_isTimeDue));
    };
    m_work.wait(lock, isWanted);
    m_isTimeDue = false;
    m_takenAt = std::chrono::steady_clock::now();
    const bool anyQueued = (m_open && m_open->hasRows) || !m_full.empty();
    if (anyQueued && m_patienceEnd && std::chrono::steady_clock::now() >= *m_patienceEnd) {
        discardQueued();
        m_work.wait(lock, isWanted);  // consume() discards everything now: wait for the end
    }
    if (m_full.empty())
        return std::exchange(m_open, std::nullopt);
    Page page = std::move(m_full.front());
    m_full.pop_front();
    return page;
}

Result<void> OutputQueue::write(Page &page)
{
    std::size_t begin = 0;
    Batch bare;
    for (Step &step : page.steps) {
        Batch &whole = step.rest ? *step.rest : bare;
        whole.now = step.now;
        whole.transitions = std::move(m_buffer);
        whole.transitions.assign(page.chunk.transitions + begin, page.chunk.transitions + step.end);
        Result<void> consumed = m_sink->consume(whole);
        m_buffer = std::move(whole.transitions);
        if (!consumed)
            return consumed;
        m_pending.fetch_sub(step.end - begin, std::memory_order_relaxed);
        m_pendingBirths.fetch_sub(whole.births.size(), std::memory_order_relaxed);
        begin = step.end;
        step.rest.reset();
    }
    return {};
}

void OutputQueue::noteWritten()
{
    if (!m_file)
        return;
    m_written.store(m_file->written(), std::memory_order_relaxed);
    m_causesWritten.store(m_file->causesWritten(), std::memory_order_relaxed);
}

void OutputQueue::recycle(Page page)
{
    const std::lock_guard lock(m_mutex);
    m_chunks.release(page.chunk);
    for (const Step &step : page.steps)
        m_restBytes -= step.restBytes;
    m_spaceFreed.notify_one();
}

void OutputQueue::fail(const Error &error)
{
    const std::lock_guard lock(m_mutex);
    m_error = error;
    m_full.clear();
    m_open.reset();
    m_pending.store(0, std::memory_order_relaxed);
    m_spaceFreed.notify_one();
}

}  // namespace ct
