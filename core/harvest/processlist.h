// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The processes that write into a region with lanes: who they are, how their clocks are read, whether they live.
#pragma once

#include "core/harvest/endwatch.h"
#include "core/harvest/laneclock.h"
#include "core/harvest/region.h"
#include "core/trace/stream.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace ct {

/// Whether a process lives: pid, and field 22 of /proc/PID/stat, which differs if another process has the pid now.
using IsAlive = std::function<bool(std::uint32_t pid, std::uint64_t startTicks)>;
/// False only if it is known to have ended. What cannot be asked (no descriptor left, hidepid, another time namespace)
/// may be alive: its lanes must not be given to others.
bool processIsAlive(std::uint32_t pid, std::uint64_t startTicks);

struct HarvestedProcess {
    enum class Stage : std::uint8_t {
        Unknown,    ///< its entry is free, or was not read yet
        Live,       ///
        Suspected,  ///< seems to be gone; it is, unless records of it still come
        Gone,       ///< its lanes and compact stations are being read for the last time
    };
    Stage stage = Stage::Unknown;
    std::uint32_t pid = 0;
    std::uint64_t startTicks = 0;
    std::uint64_t image = 0;   ///< ProcessEntry::image
    std::uint64_t initNs = 0;  ///< when it began to trace; not later than the pass that found it
    ProcessClock clock;
    std::uint64_t clockPair = 0;  ///< ProcessPairs::lateCounter when the clock was chosen
    bool switchedOff = false;
    std::uint64_t records = 0;      ///< read from its lanes
    std::uint64_t recordsThen = 0;  ///< when it was suspected,
    std::uint64_t suspectedNs = 0;  ///< which was then
    std::uint64_t livedNs = 0;      ///< when it is known to have lived, at the latest
    bool sawAlive = false;
    bool knowable = false;  ///< that nobody has its pid means that it is gone
    bool buried = false;
    bool isFurther = false;  ///< a further state of the probe in a process that another entry told already

    /// Another entry of the same program image: shared objects that do not share a state have one each.
    bool isSameImage(const HarvestedProcess &other) const
    {
        return image != 0 && image == other.image && pid == other.pid && startTicks == other.startTicks;
    }
};

class ProcessList {
public:
    /// Empty `isAlive`: processIsAlive(), and those that it finds alive are watched.
    ProcessList(Region &region, LaneClock &clock, IsAlive isAlive);

    /// The process of a lane or a compact station; reads its entry when it is new. One without a valid entry has pid 0
    /// and a clock in nanoseconds.
    const HarvestedProcess &at(std::uint32_t untrustedIndex, Batch &batch)
    {
        if (untrustedIndex < m_processes.size() && m_processes[untrustedIndex].stage != Stage::Unknown)
            return m_processes[untrustedIndex];
        return read(untrustedIndex, batch);
    }
    void countRecords(std::uint32_t untrustedIndex, std::uint64_t count)
    {
        if (untrustedIndex < m_processes.size())
            m_processes[untrustedIndex].records += count;
    }

    /// Finds new ones, and asks about the life of the others, each about once a second.
    void look(Batch &batch, std::uint64_t nowNs);
    /// Whether there is anybody who seems to be gone since takeGone(). Costs a system call: that a watched process has
    /// ended is known at once; the others have to wait for look(), and to be asked twice.
    bool lookForEnds(std::uint64_t nowNs);
    /// The end: all that do not live are gone, without a second look.
    void lookLast(std::uint64_t nowNs);

    /// Those that turned out to be gone since the last call; the caller reads what they left, then buries them.
    std::vector<std::uint32_t> takeGone();
    /// Tells its end: the time when it lived for sure, not when its death was noticed, which comes up to two seconds
    /// later unless it was watched. `reuse`: the entry is free for another.
    void bury(std::uint32_t index, bool reuse, Batch &batch);

    /// Processes that write at present, and whether any of them has switched tracing off.
    std::uint32_t active() const;
    bool anySwitchedOff() const;
    /// Of the one process that there ever was; else 0.
    std::uint32_t onlyPid() const;
    /// It was not dead already when we came.
    bool sawAlive(std::uint32_t index) const { return index < m_processes.size() && m_processes[index].sawAlive; }
    bool anySeenAlive() const;
    /// The counter of some process misbehaved: times are approximate, and no order of threads.
    bool isAnyClockApproximate() const { return m_isAnyClockApproximate; }
    bool isKnowable(std::uint32_t index) const { return index < m_processes.size() && m_processes[index].knowable; }
    /// No other entry of the table is in use.
    bool isLast(std::uint32_t index) const;
    /// No other entry of the table was ever in use.
    bool wasAlone(std::uint32_t untrustedIndex) const;

private:
    using Stage = HarvestedProcess::Stage;
    const HarvestedProcess &read(std::uint32_t untrustedIndex, Batch &batch);
    bool seemsGone(std::uint32_t index) const;
    void setGone(std::uint32_t index);
    void chooseClock(std::uint32_t index, const ProcessPairs &pairs);
    void checkClock(std::uint32_t index);
    void ask(std::uint32_t index, std::uint64_t nowNs, bool last);

    Region &m_region;
    LaneClock &m_clock;
    bool m_watches;  ///< not while a test decides who lives
    IsAlive m_isAlive;
    EndWatch m_watch;
    std::uint64_t m_watchedNs = 0;  ///< when those in it lived
    HarvestedProcess m_nobody;
    /// By index, as far as entries were seen in use. References stay valid: one record may make two of them known.
    std::deque<HarvestedProcess> m_processes;
    std::vector<std::uint32_t> m_gone;
    std::size_t m_askAt = 0;
    std::uint64_t m_lookedNs = 0;
    bool m_isAnyClockApproximate = false;
};

}  // namespace ct
