// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/populationnotes.h"

#include "core/base/relaxed.h"

#include <algorithm>
#include <thread>

namespace ct {

namespace {

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

/// WaitsOn::part in a Mark: the low bits say whether the wait is for any or for all objects.
constexpr unsigned kPartShift = 8;
constexpr std::uint32_t kPartBits = 3;

/// Limit for a recording that has ends of threads, and no samples of their process.
constexpr std::size_t kMostPendingEnds = 10'000;

/// Limit for a target that switches all the time. Beyond it, the older half is removed.
constexpr std::size_t kMostOffs = 1U << 16;

void increaseAndPublish(std::atomic<std::uint64_t> &word, std::int64_t by)
{
    word.store(word.load(kRelaxed) + static_cast<std::uint64_t>(by), kRelease);
}

}  // namespace

std::uint32_t NameTable::addName(const std::string &name)
{
    if (name.empty())
        return 0;
    if (const auto known = m_indexOf.find(name); known != m_indexOf.end())
        return known->second;
    constexpr std::uint64_t kEach = 128;  // bytes per name in the table and the index
    const std::uint64_t bytes = m_bytes.load(kRelaxed) + name.size() + kEach;
    std::string *entry = bytes <= m_mostBytes ? m_names.prepare() : nullptr;
    if (!entry) {
        increase(m_overflow, 1);
        return 0;
    }
    m_bytes.store(bytes, kRelaxed);
    *entry = name;
    m_names.publish();
    const std::uint32_t index = m_names.sizeOfWriter();
    m_indexOf.emplace(*entry, index);
    return index;
}

const ThreadTable::Entry *ThreadTable::findThread(std::uint64_t key) const
{
    // Acquire; partner: setName(). Entries behind it in the list were complete before it.
    std::uint32_t next = m_heads[hashOf(key)].load(kAcquire);
    while (next != 0) {
        const Entry &entry = m_entries[next - 1];
        if (entry.key == key)
            return &entry;
        next = entry.next;
    }
    return nullptr;
}

ThreadTable::Entry *ThreadTable::makeThread(std::uint64_t key)
{
    if (const Entry *known = findThread(key))
        return const_cast<Entry *>(known);
    Entry *entry = m_entries.prepare();
    if (!entry)
        return nullptr;
    std::atomic<std::uint32_t> &head = m_heads[hashOf(key)];
    entry->key = key;
    entry->next = head.load(kRelaxed);
    m_entries.publish();
    head.store(m_entries.sizeOfWriter(), kRelease);
    return entry;
}

void ThreadTable::setName(std::uint32_t pid, std::uint32_t tid, std::uint32_t name)
{
    if (Entry *entry = makeThread(keyOf(pid, tid)))
        entry->name.store(name, kRelease);
}

void ThreadTable::setEnd(std::uint64_t key, std::uint64_t ts)
{
    if (Entry *entry = makeThread(key))
        entry->end.store(ts, kRelaxed);
}

void ThreadTable::consume(const Notes &notes)
{
    for (const ThreadSample &row : notes.threadSamples)
        if (row.state == ThreadState::Ended && m_pendingEnds.size() < kMostPendingEnds)
            m_pendingEnds.push_back({row.pid, row.tid, row.ts});
    for (const ProcessSample &process : notes.processSamples) {
        std::erase_if(m_pendingEnds, [&](const End &end) {
            if (end.pid != process.pid || end.ts > process.ts)
                return false;
            if (process.threads != 0) {
                setEnd(keyOf(end.pid, end.tid), end.ts);
                setEnd(keyOf(0, end.tid), end.ts);
            }
            return true;
        });
    }
}

std::uint64_t ThreadTable::endOf(std::uint32_t pid, std::uint32_t tid) const
{
    const Entry *entry = findThread(keyOf(pid, tid));
    return entry ? entry->end.load(kRelaxed) : 0;
}

std::uint32_t ThreadTable::nameOf(std::uint32_t pid, std::uint32_t tid) const
{
    const Entry *entry = findThread(keyOf(pid, tid));
    return entry ? entry->name.load(kAcquire) : 0;
}

std::vector<ThreadName> ThreadTable::all(const NameTable &names) const
{
    std::vector<ThreadName> threads;
    const std::uint32_t count = m_entries.size();
    threads.reserve(count);
    for (std::uint32_t index = 0; index < count; ++index) {
        const Entry &entry = m_entries[index];
        if (entry.name.load(kAcquire) == 0)
            continue;
        threads.push_back({static_cast<std::uint32_t>(entry.key >> 32), static_cast<std::uint32_t>(entry.key),
                           names.at(entry.name.load(kAcquire))});
    }
    return threads;
}

ProcessTable::ProcessTable()
{
    append(0, 0, 0);
}

std::uint32_t ProcessTable::append(std::uint32_t pid, std::uint64_t firstTs, std::uint32_t name)
{
    Record *record = m_processes.prepare();
    if (!record)
        return 0;
    record->pid = pid;
    record->firstTs.store(firstTs, kRelaxed);
    record->name.store(name, kRelaxed);
    m_processes.publish();
    m_writerData.emplace_back();
    const std::uint32_t index = m_processes.sizeOfWriter() - 1;
    OfPid &processes = m_ofPid[pid];
    if (processes.youngest != 0)
        m_writerData[processes.youngest].nextOfPid = index;
    processes.youngest = index;
    if (processes.oldestAlive == 0)
        processes.oldestAlive = index;
    return index;
}

std::uint32_t ProcessTable::indexOf(std::uint32_t pid)
{
    if (pid == m_lastPid)
        return m_lastIndex;
    const auto known = m_ofPid.find(pid);
    m_lastIndex = known != m_ofPid.end() ? known->second.youngest : append(pid, 0, 0);
    m_lastPid = pid;
    return m_lastIndex;
}

// A pid that was reported before is a new process: after an exec, or because the pid was used again.
void ProcessTable::addReported(const Process &process, std::uint32_t name)
{
    if (process.pid == 0)
        return;
    const auto known = m_ofPid.find(process.pid);
    std::uint32_t index = known != m_ofPid.end() ? known->second.youngest : 0;
    if (index != 0 && !m_writerData[index].reported && m_processes[index].endTs.load(kRelaxed) == 0) {
        m_processes[index].firstTs.store(process.ts, kRelaxed);
        m_processes[index].name.store(name, kRelease);
    } else {
        index = append(process.pid, process.ts, name);
        if (index == 0)
            return;
    }
    m_writerData[index].reported = true;
    m_lastPid = process.pid;
    m_lastIndex = index;
}

// After an exec, the end of the old process may be reported after the start of the new one. So the oldest ends first.
void ProcessTable::endProcess(const ProcessEnd &end)
{
    const auto processes = m_ofPid.find(end.pid);
    if (processes == m_ofPid.end() || processes->second.oldestAlive == 0)
        return;
    std::uint32_t &oldest = processes->second.oldestAlive;
    m_processes[oldest].endTs.store(std::max<std::uint64_t>(end.ts, 1), kRelaxed);
    oldest = m_writerData[oldest].nextOfPid;
}

void ProcessTable::setTracing(const Switch &change)
{
    const std::uint32_t index = indexOf(change.pid);
    m_processes[index].tracing.store(change.on, kRelaxed);
    if (change.on)
        return;
    std::vector<std::uint64_t> &offs = m_writerData[index].offs;
    if (offs.size() >= kMostOffs)
        offs.erase(offs.begin(), offs.begin() + kMostOffs / 2);
    offs.insert(std::upper_bound(offs.begin(), offs.end(), change.ts), change.ts);
    m_latestOff = std::max(m_latestOff, change.ts);
}

void ProcessTable::born(std::uint32_t index)
{
    // Before `alive`: a reader that sees the coroutine alive also sees its birth.
    increaseAndPublish(m_processes[index].coroutines, 1);
    increaseAndPublish(m_processes[index].alive, 1);
}

void ProcessTable::died(std::uint32_t index)
{
    increaseAndPublish(m_processes[index].alive, -1);
}

bool ProcessTable::wasOff(std::uint32_t index, std::uint64_t from, std::uint64_t to) const
{
    const std::vector<std::uint64_t> &offs = m_writerData[index].offs;
    const auto off = std::lower_bound(offs.begin(), offs.end(), from);
    return off != offs.end() && *off < to;
}

std::vector<ProcessSnapshot> ProcessTable::snapshots(const NameTable &names) const
{
    std::vector<ProcessSnapshot> snapshots;
    const std::uint32_t count = m_processes.size();
    snapshots.reserve(count);
    for (std::uint32_t index = 1; index < count; ++index) {
        const Record &record = m_processes[index];
        ProcessSnapshot &snapshot = snapshots.emplace_back();
        snapshot.pid = record.pid;
        snapshot.name = names.at(record.name.load(kAcquire));
        snapshot.firstTs = record.firstTs.load(kRelaxed);
        snapshot.endTs = record.endTs.load(kRelaxed);
        snapshot.tracing = record.tracing.load(kRelaxed);
        snapshot.alive = record.alive.load(kAcquire);
        snapshot.coroutines = record.coroutines.load(kRelaxed);
    }
    return snapshots;
}

void Marks::prefetch(CoroutineId id)
{
    if (const Mark *mark = m_marks.find(id))
        __builtin_prefetch(mark, 1);
}

void Marks::wake(const Wake &wake)
{
    Mark &mark = m_marks.make(wake.coroutine);
    const std::uint32_t lock = mark.lock.load(kRelaxed);
    mark.lock.store(lock + 1, kRelaxed);
    mark.wakes.store(mark.wakes.load(kRelaxed) + 1, kRelease);
    // Lanes are read one after the other, so wakes can be out of order. The latest time wins.
    if (wake.ts >= mark.wakeTs.load(kRelaxed)) {
        mark.wakeBy.store(wake.by, kRelease);
        mark.wakeN.store(wake.n, kRelease);
        mark.wakeTs.store(wake.ts, kRelease);
        mark.wakePidAndTid.store(std::uint64_t{wake.pid} << 32 | wake.tid, kRelease);
    }
    mark.lock.store(lock + 2, kRelease);
}

void Marks::wait(const WaitsOn &waits)
{
    if (waits.target != kNoCoroutine)
        m_links.make(waits.target).waiter.store(std::uint64_t{waits.coroutine} + 1, kRelease);
    Mark &mark = m_marks.make(waits.coroutine);
    const std::uint64_t end = mark.waitEnd.load(kRelaxed);
    if (waits.n + 1 < end || (waits.n + 1 == end && waits.indexOfPart() != 0))
        return;
    const std::uint32_t lock = mark.lock.load(kRelaxed);
    mark.lock.store(lock + 1, kRelaxed);
    mark.waitEnd.store(waits.n + 1, kRelease);
    mark.waitObject.store(waits.object, kRelease);
    mark.waitTarget.store(waits.target, kRelease);
    mark.waitKindAndPart.store((waits.part & kPartBits) << kPartShift | static_cast<std::uint32_t>(waits.kind),
                               kRelease);
    mark.lock.store(lock + 2, kRelease);
}

void Marks::wakersLeft(const WakersLeft &left)
{
    const std::uint64_t count = std::min<std::uint64_t>(left.count, 0xFFFF'FFFE);
    m_links.make(left.coroutine).wakersLeft.store((count + 1) << 32 | static_cast<std::uint32_t>(left.n), kRelease);
}

CoroutineId Marks::latestWaiterFor(CoroutineId id) const
{
    const Link *const link = m_links.find(id);
    return link ? static_cast<CoroutineId>(link->waiter.load(kAcquire) - 1) : kNoCoroutine;  // 0 - 1 = kNoCoroutine
}

std::optional<std::uint64_t> Marks::wakersLeftAt(CoroutineId id, std::uint64_t events) const
{
    const Link *const link = m_links.find(id);
    const std::uint64_t left = link ? link->wakersLeft.load(kAcquire) : 0;
    if (left == 0 || static_cast<std::uint32_t>(left) != static_cast<std::uint32_t>(events))
        return std::nullopt;
    return (left >> 32) - 1;
}

void Marks::copyMark(const Mark &mark, CoroutineId id, CoroutineNotes &to)
{
    to.wakes = mark.wakes.load(kAcquire);
    Wake wake;
    wake.coroutine = id;
    wake.by = mark.wakeBy.load(kAcquire);
    wake.n = mark.wakeN.load(kAcquire);
    wake.ts = mark.wakeTs.load(kAcquire);
    const std::uint64_t pidAndTid = mark.wakePidAndTid.load(kAcquire);
    wake.pid = static_cast<std::uint32_t>(pidAndTid >> 32);
    wake.tid = static_cast<std::uint32_t>(pidAndTid);
    to.lastWake = to.wakes != 0 ? std::optional(wake) : std::nullopt;
    WaitsOn waits;
    waits.coroutine = id;
    const std::uint64_t end = mark.waitEnd.load(kAcquire);
    waits.n = end - 1;
    waits.object = mark.waitObject.load(kAcquire);
    waits.target = mark.waitTarget.load(kAcquire);
    const std::uint32_t kindAndPart = mark.waitKindAndPart.load(kAcquire);
    waits.kind = static_cast<WaitKind>(kindAndPart & 0xFF);
    waits.part = kindAndPart >> kPartShift;
    to.waitsOn = end != 0 ? std::optional(waits) : std::nullopt;
}

/// Calls copyOnce() until no write interferes.
template <class Copy>
void Marks::readConsistent(const Mark &mark, Copy &&copyOnce)
{
    for (unsigned tries = 1;; ++tries) {
        // Acquire; partner: the last store of wake() and wait().
        const std::uint32_t before = mark.lock.load(kAcquire);
        if ((before & 1U) == 0) {
            copyOnce();
            if (mark.lock.load(kRelaxed) == before)
                return;
        }
        if (tries % 64 == 0)
            std::this_thread::yield();  // the writer was interrupted during a write
    }
}

void Marks::copy(CoroutineId id, CoroutineNotes &to) const
{
    if (const Mark *const mark = m_marks.find(id))
        readConsistent(*mark, [&] { copyMark(*mark, id, to); });
}

std::optional<std::uint64_t> Marks::wokenAt(CoroutineId id, std::uint64_t events) const
{
    const Mark *const mark = m_marks.find(id);
    if (!mark)
        return std::nullopt;
    std::uint64_t wakes = 0;
    std::uint64_t n = 0;
    std::uint64_t ts = 0;
    readConsistent(*mark, [&] {
        wakes = mark->wakes.load(kAcquire);
        n = mark->wakeN.load(kAcquire);
        ts = mark->wakeTs.load(kAcquire);
    });
    return wakes != 0 && n == events ? std::optional(ts) : std::nullopt;
}

}  // namespace ct
