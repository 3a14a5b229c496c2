// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The processes that write into a region with lanes: identity, clock, and whether they live. Harvest thread only.
#pragma once

#include "core/harvest/laneclock.h"
#include "core/harvest/processendwatch.h"
#include "core/region/region.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace ct {

/// Returns true if a process lives. `startTicks` is field 22 of /proc/PID/stat; it differs if another process has the
/// pid now. 0 = unknown.
using IsAlive = std::function<bool(std::uint32_t pid, std::uint64_t startTicks)>;
/// Returns false only for a process that is known to have ended. A process that cannot be examined may be alive, so its
/// lanes must not be reused. Reasons are a lack of descriptors, hidepid, or another time namespace.
bool processIsAlive(std::uint32_t pid, std::uint64_t startTicks);

struct HarvestedProcess {
    enum class Stage : std::uint8_t {
        Unknown,  ///< the entry is free, or was not read yet
        Live,
        Suspected,  ///< seems to be gone; confirmed unless further records arrive
        Gone,       ///< its lanes and compact stations are being read for the last time
    };
    Stage stage = Stage::Unknown;
    std::uint32_t pid = 0;
    std::uint64_t startTicks = 0;
    std::uint64_t image = 0;   ///< ProcessEntry::image
    std::uint64_t initNs = 0;  ///< ns; start of tracing, not later than the pass that discovered the process
    ProcessClock clock;
    std::uint64_t clockPair = 0;  ///< ProcessPairs::lateCounter when the clock was chosen
    bool switchedOff = false;
    std::uint64_t records = 0;      ///< records read from its lanes
    std::uint64_t recordsThen = 0;  ///< `records` when the process was suspected
    std::uint64_t suspectedNs = 0;  ///< ns; when the process was suspected
    std::uint64_t livedNs = 0;      ///< ns; latest time at which the process surely lived
    bool sawAlive = false;
    bool knowable = false;  ///< if its pid does not exist here, the process is gone
    bool retired = false;
    bool isFurther = false;  ///< another entry of the same program image was emitted already

    /// Returns true for two entries of one program image: shared objects that do not share the probe's state have one
    /// each. A process that has no descriptor left does not know its start; then the image decides.
    bool isSameImage(const HarvestedProcess &other) const
    {
        const bool isSameStart = startTicks == other.startTicks || startTicks == 0 || other.startTicks == 0;
        return image != 0 && image == other.image && pid == other.pid && isSameStart;
    }
};

class ProcessList {
public:
    /// With an empty `isAlive`, uses processIsAlive() and watches the processes that it finds alive.
    ProcessList(Region &region, LaneClock &clock, IsAlive isAlive);

    /// Returns the process of a lane or a compact station; reads its entry if it is new. Without a valid entry, the
    /// process has pid 0 and a clock in nanoseconds.
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

    /// Discovers new processes, and checks once a second, or in each heartbeat if that is longer, whether each of the
    /// others lives.
    void check(Batch &batch, std::uint64_t nowNs);
    /// Returns true if a process is gone that takeGone() has not returned yet. Costs a system call. The end of a
    /// watched process is known at once; the others depend on two checks by check().
    bool checkEnds(std::uint64_t nowNs);
    /// At the end of the capture: every process that does not live is gone, without a second check.
    void checkLast(std::uint64_t nowNs);

    /// Returns the processes that turned out to be gone since the last call. The caller reads their remains, then calls
    /// retire().
    std::vector<std::uint32_t> takeGone();
    /// Emits the end of a process, with the latest time at which it surely lived. An unwatched process is found to be
    /// gone up to two such checks after that. `reuse` frees the entry for another process.
    void retire(std::uint32_t index, bool reuse, Batch &batch);

    /// Number of processes that write at present.
    std::uint32_t active() const;
    bool anySwitchedOff() const;
    /// The pid of the only process in the list; 0 if there are more or none.
    std::uint32_t onlyPid() const;
    /// Returns true if the process was alive when its entry was read.
    bool sawAlive(std::uint32_t index) const { return index < m_processes.size() && m_processes[index].sawAlive; }
    bool anySeenAlive() const;
    /// Returns true if the counter of some process was unreliable. Times are then approximate, and do not order
    /// threads.
    bool isAnyClockApproximate() const { return m_isAnyClockApproximate; }
    bool isKnowable(std::uint32_t index) const { return index < m_processes.size() && m_processes[index].knowable; }
    /// Returns true if no other entry of the table is in use.
    bool isLast(std::uint32_t index) const;

private:
    using Stage = HarvestedProcess::Stage;
    const HarvestedProcess &read(std::uint32_t untrustedIndex, Batch &batch);
    bool seemsGone(std::uint32_t index) const;
    void setGone(std::uint32_t index);
    void chooseClock(std::uint32_t index, const ProcessPairs &pairs);
    void checkClock(std::uint32_t index);
    void checkAlive(std::uint32_t index, std::uint64_t nowNs, bool last);

    Region &m_region;
    LaneClock &m_clock;
    bool m_watches;  ///< false when the caller decides which processes live (tests)
    IsAlive m_isAlive;
    ProcessEndWatch m_watch;
    std::uint64_t m_watchedNs = 0;  ///< ns; the processes in m_watch lived then
    HarvestedProcess m_unknown;
    /// By index, up to the last entry seen in use. A deque keeps references valid, because one record may name two new
    /// processes.
    std::deque<HarvestedProcess> m_processes;
    std::vector<std::uint32_t> m_gone;
    std::size_t m_checkAt = 0;
    std::uint64_t m_checkedNs = 0;  ///< ns; time of the latest check
    bool m_isAnyClockApproximate = false;
};

}  // namespace ct
