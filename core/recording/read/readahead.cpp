// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/readahead.h"

#include "core/recording/format/rowlayouts.h"

#include <chrono>
#include <new>
#include <pthread.h>
#include <system_error>
#include <utility>

namespace ct {

namespace {

/// Waking the caller costs some microseconds. With fewer rows than this, wait for more, but no longer than kGather.
constexpr std::size_t kWorthWaking = 4096;
constexpr std::chrono::milliseconds kGather{1};
constexpr std::size_t kMostBatches = 4096;
constexpr std::size_t kMostSpare = 64;

std::size_t rowsIn(const Batch &batch)
{
    std::size_t rows = batch.transitions.size();
    ctr::forEachSort([&](auto, const auto &sort) { rows += sort.size(); }, batch);
    return rows;
}

/// Returns the number of stream rows that need as much memory as these facts.
std::size_t rowsIn(const FileFacts &facts)
{
    std::size_t bytes = 0;
    for (const FrameLocation &location : facts.frames)
        bytes += sizeof(location) + location.file.size() + location.function.size();
    return bytes / sizeof(Transition);
}

}  // namespace

ReadAhead::ReadAhead(std::unique_ptr<StreamFile> source)
    : m_source(std::move(source)), m_accounting(m_source->accounting()), m_progress(m_source->progress())
{
    Read &read = m_lackOfMemory.emplace_back();
    read.accounting = m_accounting;
    read.progress = m_progress;
    read.outcome = Error{ErrorCode::NoSpace, "there is not enough memory to read the rest of the file; close other "
                                             "programs, and open the file again"};
    try {
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error &) {
        // next() reads on the caller's thread.
    }
}

ReadAhead::~ReadAhead()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_freed.notify_all();
    if (m_thread.joinable())
        m_thread.join();
}

/// Reads one entry. Without enough memory for all of it, that is an error, with the sums of the entry before.
std::list<ReadAhead::Read> ReadAhead::readNext(Batch spare)
{
    std::list<Read> one;
    try {
        Read &read = one.emplace_back();
        read.batch = std::move(spare);
        read.outcome = m_source->next(read.batch);
        read.accounting = m_source->accounting();
        read.progress = m_source->progress();
        read.hasEnded = m_source->hasEnded();
        read.isDamaged = m_source->isDamaged();
        if (FileFacts facts; m_source->takeFacts(facts))
            read.facts = std::make_unique<FileFacts>(std::move(facts));
        read.rows = rowsIn(read.batch) + (read.facts ? rowsIn(*read.facts) : 0);
        if (!m_lackOfMemory.empty()) {
            m_lackOfMemory.front().accounting = read.accounting;
            m_lackOfMemory.front().progress = read.progress;
        }
    } catch (const std::bad_alloc &) {
        one = std::exchange(m_lackOfMemory, {});
    }
    return one;
}

void ReadAhead::run()
{
    (void)pthread_setname_np(pthread_self(), "read-ahead");
    std::unique_lock lock(m_mutex);
    while (!m_over) {
        m_freed.wait(lock, [this] { return m_stop || (m_rows < kMostRows && m_ready.size() < kMostBatches); });
        if (m_stop)
            return;
        Batch spare;
        if (!m_spare.empty()) {
            spare = std::move(m_spare.back());
            m_spare.pop_back();
        }
        lock.unlock();
        std::list<Read> one = readNext(std::move(spare));
        lock.lock();
        m_over = !one.front().outcome || !*one.front().outcome;
        m_rows += one.front().rows;
        m_ready.splice(m_ready.end(), one);
        if (m_over || m_hungry || m_rows >= kWorthWaking)
            m_filled.notify_one();
    }
}

/// Waits for the next entry. Returns false if there is no thread that reads.
bool ReadAhead::pop(Read &read)
{
    if (!m_thread.joinable())
        return false;
    std::unique_lock lock(m_mutex);
    if (m_ready.empty()) {
        m_filled.wait_for(lock, kGather, [this] { return m_over || m_rows >= kWorthWaking; });
        m_hungry = true;
        m_filled.wait(lock, [this] { return !m_ready.empty(); });
        m_hungry = false;
    }
    if (m_spare.size() < kMostSpare)
        m_spare.push_back(std::move(read.batch));
    read = std::move(m_ready.front());
    m_ready.pop_front();
    m_rows -= read.rows;
    lock.unlock();
    m_freed.notify_one();
    return true;
}

Result<bool> ReadAhead::next(Batch &batch)
{
    if (m_ended) {
        batch.clear();
        return false;
    }
    Read read;
    read.batch = std::move(batch);
    if (!pop(read))
        read = std::move(readNext(std::move(read.batch)).front());
    batch = std::move(read.batch);
    m_accounting = read.accounting;
    m_progress = read.progress;
    m_hasEnded = read.hasEnded;
    m_isDamaged = read.isDamaged;
    if (read.facts && m_facts)
        read.facts->frames.insert(read.facts->frames.begin(), m_facts->frames.begin(), m_facts->frames.end());
    if (read.facts)
        m_facts = std::move(read.facts);
    m_ended = !read.outcome || !*read.outcome;
    return read.outcome;
}

bool ReadAhead::takeFacts(FileFacts &facts)
{
    if (!m_facts)
        return false;
    facts = std::move(*m_facts);
    m_facts.reset();
    return true;
}

}  // namespace ct
