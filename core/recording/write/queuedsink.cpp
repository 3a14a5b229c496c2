// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/queuedsink.h"

#include "core/base/precedence.h"
#include "core/base/startthread.h"
#include "core/recording/write/batchrest.h"
#include "core/recording/write/batchsplitter.h"
#include "core/recording/write/filesink.h"
#include "core/recording/write/transitionpool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace ct {

namespace {

constexpr std::uint64_t kFewestBytes = 4ULL << 20;
/// One part in this many of the budget is for rows other than transitions.
constexpr std::uint64_t kRestShare = 4;
/// The writer waits this long after a page with few transitions. So the source does not wake it for each pass.
constexpr std::chrono::milliseconds kGather{10};
constexpr std::size_t kFew = TransitionPool::kCapacity / 8;
/// The sink gets empty batches, which only tell the time, so often: a source that idles must not keep the writer busy.
constexpr std::chrono::milliseconds kTimeEvery{500};

}  // namespace

/// The state that the source and the writer's thread share. It lives until both have released it.
class QueuedSink::Queue {
public:
    enum class End { None, Stop, Finish };

    Queue(std::shared_ptr<Sink> sink, TransitionPool chunks, std::size_t restBudget, std::chrono::milliseconds mostWait)
        : m_restBudget(restBudget),
          m_mostWait(mostWait),
          m_sink(std::move(sink)),
          m_file(dynamic_cast<FileSink *>(m_sink.get())),
          m_chunks(std::move(chunks))
    {
    }

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
    std::uint64_t m_boundary = 0;                       ///< see QueuedSink::keepApart()
    bool m_isTimeDue = false;                           ///< m_open is wanted, although it tells nothing but the time
    std::chrono::steady_clock::time_point m_takenAt{};  ///< when the writer took the latest page
    std::size_t m_restBytes = 0;                        ///< bytes of all steps that are not written yet
    End m_end = End::None;
    bool m_isOver = false;  ///< the writer is done
    Accounting m_accounting;
    std::optional<Error> m_error;
    std::string m_remark;  ///< see QueuedSink::remark()
    bool m_givenUp = false;
    std::optional<std::chrono::steady_clock::time_point> m_patienceEnd;
    std::optional<std::chrono::steady_clock::time_point> m_hungAt;
};

Result<void> QueuedSink::Queue::consume(const Batch &batch)
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
Result<void> QueuedSink::Queue::appendWhole(std::unique_lock<std::mutex> &lock, const Batch &batch,
                                            std::size_t restBytes)
{
    if (restBytes == 0)
        return append(lock, batch.transitions, {0, batch.now, nullptr, 0});
    if (m_open && batch.transitions.size() > TransitionPool::kCapacity - m_open->used)
        closePage();
    return append(lock, batch.transitions, {0, batch.now, std::make_unique<Batch>(restOf(batch)), restBytes});
}

/// Appends a step, on several pages if necessary. A step with other rows must fit on one page.
Result<void> QueuedSink::Queue::append(std::unique_lock<std::mutex> &lock, std::span<const Transition> transitions,
                                       Step step)
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
bool QueuedSink::Queue::awaitSpace(std::unique_lock<std::mutex> &lock, std::size_t restBytes)
{
    const auto hasSpace = [&] {
        // Rows that exceed the whole budget are admitted when no others are queued.
        const bool restFits = restBytes == 0 || m_restBytes == 0 || m_restBytes + restBytes <= m_restBudget;
        return m_error || m_givenUp || ((m_open || !m_chunks.isEmpty()) && restFits);
    };
    if (m_mostWait == kForEver)
        m_spaceFreed.wait(lock, hasSpace);
    else if (!m_spaceFreed.wait_for(lock, m_mostWait, hasSpace))
        discardQueued();
    if (m_error || m_givenUp)
        return false;
    if (!m_open)
        m_open = Page{m_chunks.takeChunk(), 0, {}, false};
    return true;
}

void QueuedSink::Queue::closePage()
{
    m_full.push_back(std::move(*m_open));
    m_open.reset();
    m_work.notify_one();
}

void QueuedSink::Queue::keepApart(std::uint64_t ts)
{
    const std::lock_guard lock(m_mutex);
    m_boundary = ts;
}

void QueuedSink::Queue::giveUp()
{
    const std::lock_guard lock(m_mutex);
    discardQueued();
}

void QueuedSink::Queue::giveUpAfter(std::chrono::milliseconds time, std::chrono::milliseconds hung)
{
    {
        const std::lock_guard lock(m_mutex);
        m_patienceEnd = std::chrono::steady_clock::now() + time;
        m_hungAt = *m_patienceEnd + hung;
    }
    m_over.notify_all();
}

bool QueuedSink::Queue::hasGivenUp()
{
    const std::lock_guard lock(m_mutex);
    return m_givenUp;
}

/// Requires the lock of m_mutex.
void QueuedSink::Queue::discardQueued()
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
bool QueuedSink::Queue::awaitEnd(End how, const Accounting &accounting)
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

Result<void> QueuedSink::Queue::outcome()
{
    const std::lock_guard lock(m_mutex);
    return m_error ? Result<void>(*m_error) : Result<void>();
}

std::string QueuedSink::Queue::remark()
{
    const std::lock_guard lock(m_mutex);
    return m_remark;
}

void QueuedSink::Queue::run()
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
void QueuedSink::Queue::finishSink()
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
std::optional<QueuedSink::Queue::Page> QueuedSink::Queue::takePage()
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

Result<void> QueuedSink::Queue::write(Page &page)
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

void QueuedSink::Queue::noteWritten()
{
    if (!m_file)
        return;
    m_written.store(m_file->written(), std::memory_order_relaxed);
    m_causesWritten.store(m_file->causesWritten(), std::memory_order_relaxed);
}

void QueuedSink::Queue::recycle(Page page)
{
    const std::lock_guard lock(m_mutex);
    m_chunks.release(page.chunk);
    for (const Step &step : page.steps)
        m_restBytes -= step.restBytes;
    m_spaceFreed.notify_one();
}

void QueuedSink::Queue::fail(const Error &error)
{
    const std::lock_guard lock(m_mutex);
    m_error = error;
    m_full.clear();
    m_open.reset();
    m_pending.store(0, std::memory_order_relaxed);
    m_spaceFreed.notify_one();
}

Result<std::shared_ptr<QueuedSink>> QueuedSink::make(std::shared_ptr<Sink> sink, std::uint64_t budget,
                                                     std::chrono::milliseconds mostWait)
{
    budget = std::max(budget, kFewestBytes);
    const std::uint64_t forRest = budget / kRestShare;
    Result<TransitionPool> chunks = TransitionPool::make(budget - forRest);
    if (!chunks)
        return chunks.error();
    auto queue = std::make_shared<Queue>(std::move(sink), std::move(*chunks), forRest, mostWait);
    try {
        return std::shared_ptr<QueuedSink>(new QueuedSink(std::move(queue)));
    } catch (const std::system_error &) {
        return noThread("for the queue before the output file");
    }
}

QueuedSink::QueuedSink(std::shared_ptr<Queue> queue)
    : m_queue(std::move(queue)), m_writer([queue = m_queue] { queue->run(); })
{
}

QueuedSink::~QueuedSink()
{
    if (m_writer.joinable())
        m_queue->awaitEnd(Queue::End::Stop, {}) ? m_writer.join() : m_writer.detach();
}

Result<void> QueuedSink::consume(const Batch &batch)
{
    return m_queue->consume(batch);
}

Result<void> QueuedSink::finish(const Accounting &accounting)
{
    if (!m_writer.joinable())
        return m_queue->outcome();
    if (m_queue->awaitEnd(Queue::End::Finish, accounting)) {
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
