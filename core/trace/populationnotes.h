// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The notes of a Population, which only some targets report: processes, names, wakes and waits. One writer, any number
// of readers, as in population.h.
#pragma once

#include "core/base/chunkedarray.h"
#include "core/base/sparsearray.h"
#include "core/trace/latestring.h"
#include "core/trace/objectnotes.h"
#include "core/trace/population.h"
#include "core/trace/samplelog.h"

#include <string_view>
#include <unordered_map>

namespace ct {

/// Texts without duplicates. Index 0 = none.
class NameTable {
public:
    /// Stores names as long as they need at most `mostBytes`.
    explicit NameTable(std::uint64_t mostBytes) : m_mostBytes(mostBytes) {}

    /// Writer only. Returns 0 and counts the call when the table is full, or its names need too much memory.
    std::uint32_t addName(const std::string &name);
    /// Any thread: how many calls of addName() found no room.
    std::uint64_t overflow() const { return m_overflow.load(std::memory_order_relaxed); }
    /// Any thread.
    std::uint64_t bytes() const { return m_bytes.load(std::memory_order_relaxed); }
    /// Any thread. `index` was loaded with acquire from where the writer stored it with release.
    const std::string &at(std::uint32_t index) const { return index == 0 ? m_none : m_names[index - 1]; }

private:
    const std::string m_none;
    ChunkedArray<std::string, 10, 14> m_names;  ///< constant once published
    std::unordered_map<std::string_view, std::uint32_t> m_indexOf;
    const std::uint64_t m_mostBytes;
    std::atomic<std::uint64_t> m_bytes{0};     ///< approximate; relaxed: an independent counter
    std::atomic<std::uint64_t> m_overflow{0};  ///< relaxed: an independent counter
};

/// Names and ends of threads.
class ThreadTable {
public:
    /// Writer only.
    void setName(std::uint32_t pid, std::uint32_t tid, std::uint32_t name);
    /// Writer only. Takes the ends of threads from samples. The end of a process ends no thread here: its coroutines
    /// keep the states in which they were last seen.
    void consume(const Notes &notes);
    /// Any thread. Returns the time (ns) of the latest visit that did not find the thread, while its process lived; 0 =
    /// it was always there. Process 0 stands for any.
    std::uint64_t endOf(std::uint32_t pid, std::uint32_t tid) const;
    /// Any thread. Returns an index of the NameTable; 0 = unknown.
    std::uint32_t nameOf(std::uint32_t pid, std::uint32_t tid) const;
    /// Any thread.
    std::vector<ThreadName> all(const NameTable &names) const;

private:
    struct Entry {
        std::uint64_t key = 0;   ///< constant once published
        std::uint32_t next = 0;  ///< index + 1 of the next entry with this hash; constant once published
        std::atomic<std::uint32_t> name{0};
        std::atomic<std::uint64_t> end{0};  ///< ns; relaxed: carries no data
    };
    static constexpr unsigned kHashBits = 16;  // pid_max is 2^22: chains stay short
    static std::uint64_t keyOf(std::uint32_t pid, std::uint32_t tid) { return std::uint64_t{pid} << 32 | tid; }
    static std::size_t hashOf(std::uint64_t key)
    {
        return static_cast<std::size_t>(key * 0x9E37'79B9'7F4A'7C15U >> (64 - kHashBits));
    }
    const Entry *findThread(std::uint64_t key) const;
    Entry *makeThread(std::uint64_t key);
    void setEnd(std::uint64_t key, std::uint64_t ts);

    ChunkedArray<Entry, 8, 14> m_entries;
    /// Index + 1; release, partner: acquire in findThread().
    std::array<std::atomic<std::uint32_t>, std::size_t{1} << kHashBits> m_heads{};
    /// Writer only: ends that no sample of the process has followed yet.
    struct End {
        std::uint32_t pid = 0;
        std::uint32_t tid = 0;
        std::uint64_t ts = 0;
    };
    std::vector<End> m_pendingEnds;
};

/// The processes of a run, and whether they trace. Index 0 stands for unknown processes.
class ProcessTable {
public:
    ProcessTable();

    // Writer only.

    /// The youngest process of that pid. Adds one if the target has not reported it.
    std::uint32_t indexOf(std::uint32_t pid);
    void addReported(const Process &process, std::uint32_t name);
    void endProcess(const ProcessEnd &end);
    void setTracing(const Switch &change);
    void born(std::uint32_t index);
    void died(std::uint32_t index);
    /// True if the process switched tracing off in [from, to). Transitions may be missing in such a time.
    bool wasOff(std::uint32_t index, std::uint64_t from, std::uint64_t to) const;
    /// Returns the latest time (ns) at which any process switched tracing off. wasOff() is false for every later
    /// `from`.
    std::uint64_t latestOff() const { return m_latestOff; }

    // Any thread.

    std::uint32_t pidOf(std::uint32_t index) const { return m_processes[index].pid; }
    std::vector<ProcessSnapshot> snapshots(const NameTable &names) const;

private:
    struct Record {
        std::uint32_t pid = 0;  ///< constant once published
        std::atomic<std::uint32_t> name{0};
        std::atomic<bool> tracing{true};
        std::atomic<std::uint64_t> firstTs{0};
        std::atomic<std::uint64_t> endTs{0};
        std::atomic<std::uint64_t> alive{0};  ///< release, partner: acquire in snapshots()
        std::atomic<std::uint64_t> coroutines{0};
    };
    /// Members that only the writer needs.
    struct WriterData {
        bool reported = false;
        std::uint32_t nextOfPid = 0;      ///< the next process that had this pid; 0 = none
        std::vector<std::uint64_t> offs;  ///< times of switching off, ns, ascending
    };
    std::uint32_t append(std::uint32_t pid, std::uint64_t firstTs, std::uint32_t name);

    ChunkedArray<Record, 6, 14> m_processes;
    std::vector<WriterData> m_writerData;
    /// Processes of one pid.
    struct OfPid {
        std::uint32_t youngest = 0;
        std::uint32_t oldestAlive = 0;  ///< 0 = all have ended
    };
    std::unordered_map<std::uint32_t, OfPid> m_ofPid;
    std::uint32_t m_lastPid = 0;
    std::uint32_t m_lastIndex = 0;
    std::uint64_t m_latestOff = 0;
};

/// The latest wake and the latest wait of each coroutine, who awaited it last, and the latest report of its wakers.
/// They can be as frequent as transitions, so the bytes of a coroutine are overwritten in place.
class Marks {
public:
    // Writer only.
    void wake(const Wake &wake);
    /// Of several objects, keeps the first one.
    void wait(const WaitsOn &waits);
    void wakersLeft(const WakersLeft &left);
    void prefetch(CoroutineId id);
    void release(CoroutineId first, CoroutineId end)
    {
        m_marks.release(first, end);
        m_links.release(first, end);
    }

    /// Any thread. `most`: how many coroutines have records.
    std::uint64_t bytesUsed(std::uint64_t most) const
    {
        return std::min(m_marks.bytesMade(), most * sizeof(Mark)) + std::min(m_links.bytesMade(), most * sizeof(Link));
    }
    /// Any thread. Fills lastWake and wakes, and waitsOn for any suspension, also a past one.
    void copy(CoroutineId id, CoroutineNotes &to) const;
    /// Any thread. Returns the time (ns) of the latest wake if the waker saw `events` events of the coroutine.
    std::optional<std::uint64_t> wokenAt(CoroutineId id, std::uint64_t events) const;
    /// Any thread. Returns the coroutine that began to await `id` last; kNoCoroutine = none.
    CoroutineId latestWaiterFor(CoroutineId id) const;
    /// Any thread. Returns the latest number of wakers, if it was reported when the coroutine had `events` events.
    std::optional<std::uint64_t> wakersLeftAt(CoroutineId id, std::uint64_t events) const;

private:
    /// A seqlock of atomics, as in populationdata.h.
    struct alignas(64) Mark {
        std::atomic<std::uint32_t> lock{0};
        std::atomic<CoroutineId> wakeBy{0};
        std::atomic<std::uint64_t> wakeN{0};
        std::atomic<std::uint64_t> wakeTs{0};
        std::atomic<std::uint64_t> wakePidAndTid{0};
        std::atomic<std::uint64_t> wakes{0};
        std::atomic<std::uint64_t> waitEnd{0};  ///< number of the suspension + 1; 0 = no wait reported
        std::atomic<std::uint64_t> waitObject{0};
        std::atomic<CoroutineId> waitTarget{0};
        std::atomic<std::uint32_t> waitKindAndPart{0};  ///< kind, and from bit 8 on the low bits of the part
    };
    static_assert(sizeof(Mark) == 64);
    static void copyMark(const Mark &mark, CoroutineId id, CoroutineNotes &to);
    template <class Copy>
    static void readConsistent(const Mark &mark, Copy &&copyOnce);

    /// Each on its own: release, partner: the readers' acquire.
    struct Link {
        std::atomic<std::uint64_t> wakersLeft{0};  ///< number + 1 (32 bits, at most) << 32 | low half of the events
        std::atomic<std::uint64_t> waiter{0};      ///< id + 1; 0 = none
    };

    SparseArray<Mark, 12, 14> m_marks;
    SparseArray<Link, 12, 14> m_links;
};

struct PopulationNotes {
    explicit PopulationNotes(std::uint64_t mostNameBytes) : names(mostNameBytes) {}

    NameTable names;
    ThreadTable threads;
    ProcessTable processes;
    Marks marks;
    ObjectNotes objects;
    LatestRing<4> drops;
    LatestRing<3> switches;
    LatestRing<5> doubleResumes;  ///< coroutine (32 bits, high) and site, n, firstTs, ts, firstTid (high) and tid
    SampleLog samples;
};

}  // namespace ct
