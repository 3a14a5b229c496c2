// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/harvest/processlist.h"

#include "core/region/processstat.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace ct {

namespace {

using corotracer::ProcessEntry;

/// Processes claim entries from the front, so a new entry lies at most this far behind the last known one.
constexpr std::size_t kEntriesAhead = 8;
constexpr std::uint64_t kCheckEveryNs = 1'000'000'000;
constexpr std::uint64_t kWatchEveryNs = 20'000'000;  ///< between checks of watched processes in check()
/// Shortest time from the first suspicion to the verdict.
constexpr std::uint64_t kDoubtNs = 500'000'000;

ProcessPairs pairsOf(const ProcessEntry &entry)
{
    constexpr auto kAcquire = std::memory_order_acquire;
    ProcessPairs pairs;
    // Acquire; partner: the release store by a probe that gives its counter up, after `mult`.
    pairs.kind = entry.clock_kind.load(kAcquire);
    // Relaxed: ordered by the acquire of state, which is stored last.
    pairs.initCounter = entry.init_counter.load(std::memory_order_relaxed);
    pairs.initNs = entry.init_ns.load(std::memory_order_relaxed);
    pairs.mult = entry.mult.load(std::memory_order_relaxed);
    for (int check = 0; check < 16; ++check) {
        // Acquire, all loads; partner: the writer's release stores inside the odd phase.
        const std::uint64_t seq = entry.late_seq.load(kAcquire);
        const std::uint64_t counter = entry.late_counter.load(kAcquire);
        const std::uint64_t ns = entry.late_ns.load(kAcquire);
        if ((seq & 1) == 0 && entry.late_seq.load(std::memory_order_relaxed) == seq) {
            pairs.lateCounter = seq != 0 ? counter : 0;
            pairs.lateNs = ns;
            break;
        }
    }
    return pairs;
}

/// A pid of another namespace (a container) names no process here, or a different one.
bool isOfOurNamespace(const ProcessEntry &entry)
{
    struct stat space;
    const std::uint64_t namespace_untrusted = entry.pid_namespace.load(std::memory_order_relaxed);
    return namespace_untrusted != 0 && entry.start_ticks.load(std::memory_order_relaxed) != 0 &&
           ::stat("/proc/self/ns/pid", &space) == 0 && space.st_ino == namespace_untrusted;
}

/// The offsets of the process's clocks from the clocks of the machine, as text. Readable by every user. Empty if /proc
/// hides the process, or if it has ended.
std::string clockOffsets(const std::string &process)
{
    std::ifstream file("/proc/" + process + "/timens_offsets");
    return std::string(std::istreambuf_iterator<char>(file), {});
}

/// A process in another time namespace reads another start time of itself than this process does.
bool hasOurClock(std::uint32_t pid)
{
    struct stat ours, its;
    const std::string process = std::to_string(pid);
    if (::stat("/proc/self/ns/time", &ours) != 0)
        return true;  // the kernel has no time namespaces
    if (::stat(("/proc/" + process + "/ns/time").c_str(), &its) == 0)
        return its.st_ino == ours.st_ino;
    // The kernel does not show the namespaces of another user's process.
    const std::string offsets = clockOffsets(process);
    return !offsets.empty() && offsets == clockOffsets("self");
}

std::string nameOf(const ProcessEntry &entry)
{
    std::array<char, sizeof entry.name> copy;
    std::memcpy(copy.data(), entry.name, copy.size());
    const std::uint32_t length = entry.name_length.load(std::memory_order_relaxed);
    return std::string(copy.data(), std::min<std::size_t>(length, copy.size()));
}

}  // namespace

bool processIsAlive(std::uint32_t pid, std::uint64_t startTicks)
{
    const ProcessStat stat = ProcessStat::of(static_cast<pid_t>(pid));
    if (!stat.isRead)
        return processExists(static_cast<pid_t>(pid));
    if (!stat.runs())
        return false;
    return startTicks == 0 || stat.startTicks == startTicks || !hasOurClock(pid);
}

ProcessList::ProcessList(Region &region, LaneClock &clock, IsAlive isAlive)
    : m_region(region),
      m_clock(clock),
      m_watches(!isAlive),
      m_isAlive(isAlive ? std::move(isAlive) : IsAlive(processIsAlive))
{
}

const HarvestedProcess &ProcessList::read(std::uint32_t untrustedIndex, Batch &batch)
{
    const std::span<const ProcessEntry> entries = m_region.processes();
    if (untrustedIndex >= entries.size())
        return m_unknown;
    const ProcessEntry &entry = entries[untrustedIndex];
    // Acquire; partner: InitTracer's release store, its last one.
    const std::uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state != corotracer::kProcessActive && state != corotracer::kProcessEnded)
        return m_unknown;
    if (untrustedIndex >= m_processes.size())
        m_processes.resize(untrustedIndex + 1);
    HarvestedProcess &process = m_processes[untrustedIndex];
    process = {};
    process.stage = Stage::Live;
    process.pid = entry.pid.load(std::memory_order_relaxed);
    process.startTicks = entry.start_ticks.load(std::memory_order_relaxed);
    process.image = entry.image.load(std::memory_order_relaxed);
    process.switchedOff = entry.switched_off.load(std::memory_order_relaxed) != 0;
    const ProcessPairs pairs = pairsOf(entry);
    // The entry may be newer than the pass, or wrong. A process must not end before it begins.
    process.initNs = std::min(pairs.initNs, batch.now);
    // Check after the watch was added: then the watch applies to this process, and not to an earlier one with its pid.
    const bool active = state == corotracer::kProcessActive;
    const bool watched = active && m_watches && m_watch.watchProcess(untrustedIndex, static_cast<pid_t>(process.pid));
    process.sawAlive = active && m_isAlive(process.pid, process.startTicks);
    if (watched && !process.sawAlive)
        m_watch.remove(untrustedIndex);
    process.knowable = process.sawAlive || isOfOurNamespace(entry);
    chooseClock(untrustedIndex, pairs);
    process.livedNs = process.sawAlive ? batch.now : std::min(std::max(pairs.initNs, pairs.lateNs), batch.now);
    process.isFurther = std::any_of(m_processes.begin(), m_processes.end(), [&process](const auto &other) {
        return &other != &process && other.stage != Stage::Unknown && process.isSameImage(other);
    });
    if (!process.isFurther)
        batch.notes.processes.push_back({process.pid, process.initNs, nameOf(entry)});
    return process;
}

void ProcessList::chooseClock(std::uint32_t index, const ProcessPairs &pairs)
{
    HarvestedProcess &process = m_processes[index];
    const bool wasEngines = process.clock.isEngines();
    process.clock = ProcessClock::choose(pairs, m_clock, process.sawAlive);
    process.clockPair = pairs.lateCounter;
    const bool fellOut = wasEngines && !process.clock.isEngines();
    m_isAnyClockApproximate = m_isAnyClockApproximate || fellOut || process.clock.isApproximate();
}

/// Chooses the clock again after a new late pair, after the process gave its counter up, or after the engine's curve
/// ended.
void ProcessList::checkClock(std::uint32_t index)
{
    const HarvestedProcess &process = m_processes[index];
    const ProcessPairs pairs = pairsOf(m_region.processes()[index]);
    if (pairs.kind == corotracer::kClockGivenUp || pairs.lateCounter != process.clockPair ||
        (process.clock.isEngines() && m_clock.hasEnded()))
        chooseClock(index, pairs);
}

bool ProcessList::seemsGone(std::uint32_t index) const
{
    const HarvestedProcess &process = m_processes[index];
    return m_region.processes()[index].state.load(std::memory_order_acquire) == corotracer::kProcessEnded ||
           (process.knowable && !m_watch.watches(index) && !m_isAlive(process.pid, process.startTicks));
}

void ProcessList::setGone(std::uint32_t index)
{
    m_processes[index].stage = Stage::Gone;
    m_watch.remove(index);
    m_gone.push_back(index);
}

bool ProcessList::checkEnds(std::uint64_t nowNs)
{
    if (!m_watch.isEmpty()) {
        for (const std::uint32_t index : m_watch.takeEnded()) {
            HarvestedProcess &process = m_processes[index];
            process.livedNs = std::max(process.livedNs, m_watchedNs);
            if (process.stage == Stage::Live || process.stage == Stage::Suspected) {
                checkClock(index);  // the process may have given its counter up since the latest check
                setGone(index);
            }
        }
        m_watchedNs = nowNs;
    }
    return !m_gone.empty();
}

void ProcessList::checkAlive(std::uint32_t index, std::uint64_t nowNs, bool last)
{
    HarvestedProcess &process = m_processes[index];
    if (process.stage != Stage::Live && process.stage != Stage::Suspected)
        return;
    process.switchedOff = m_region.processes()[index].switched_off.load(std::memory_order_relaxed) != 0;
    checkClock(index);
    if (!seemsGone(index)) {
        process.livedNs = nowNs;
        process.stage = Stage::Live;
        return;
    }
    // A process of another pid namespace is not in this /proc, but it writes records.
    const bool writes = process.records != process.recordsThen;
    if (!last && (process.stage == Stage::Live || writes)) {
        process.stage = Stage::Suspected;
        process.recordsThen = process.records;
        process.suspectedNs = nowNs;
        return;
    }
    if (!last && nowNs - process.suspectedNs < kDoubtNs)
        return;
    setGone(index);
}

void ProcessList::check(Batch &batch, std::uint64_t nowNs)
{
    const std::size_t reach = std::min(m_region.processes().size(), m_processes.size() + kEntriesAhead);
    for (std::size_t index = 0; index < reach; ++index)
        at(static_cast<std::uint32_t>(index), batch);
    if (m_processes.empty())
        return;
    if (nowNs - m_watchedNs >= kWatchEveryNs)
        checkEnds(nowNs);
    const std::uint64_t elapsed = std::min(nowNs - m_checkedNs, kCheckEveryNs);
    std::size_t checked = m_processes.size() * elapsed / kCheckEveryNs;
    if (checked == 0)
        return;  // not due yet
    m_checkedNs = nowNs;
    for (; checked > 0; --checked) {
        if (m_checkAt >= m_processes.size())
            m_checkAt = 0;
        checkAlive(static_cast<std::uint32_t>(m_checkAt++), nowNs, false);
    }
}

void ProcessList::checkLast(std::uint64_t nowNs)
{
    checkEnds(nowNs);
    for (std::size_t index = 0; index < m_processes.size(); ++index)
        checkAlive(static_cast<std::uint32_t>(index), nowNs, true);
}

std::vector<std::uint32_t> ProcessList::takeGone()
{
    return std::exchange(m_gone, {});
}

void ProcessList::retire(std::uint32_t index, bool reuse, Batch &batch)
{
    if (index >= m_processes.size() || m_processes[index].retired)
        return;
    m_processes[index].retired = true;
    // After an exec, the process continues under another entry. Of several entries of one image, the last one emits the
    // end.
    const HarvestedProcess &ended = m_processes[index];
    const std::uint64_t lived = std::min(ended.livedNs, batch.now);
    if (std::none_of(m_processes.begin(), m_processes.end(), [&ended](const auto &other) {
            return other.pid == ended.pid &&
                   (other.stage == Stage::Live || other.stage == Stage::Suspected ||
                    (other.stage == Stage::Gone && !other.retired && ended.isSameImage(other)));
        }))
        batch.notes.processEnds.push_back({ended.pid, lived});
    const std::span<ProcessEntry> entries = m_region.writableProcesses();
    if (!reuse || index >= entries.size())
        return;
    m_processes[index] = {};
    // Release; partner: the acquire compare-exchange of the process that claims the entry.
    entries[index].state.store(corotracer::kProcessFree, std::memory_order_release);
}

std::uint32_t ProcessList::active() const
{
    return static_cast<std::uint32_t>(std::count_if(m_processes.begin(), m_processes.end(), [](const auto &process) {
        return !process.isFurther && (process.stage == Stage::Live || process.stage == Stage::Suspected);
    }));
}

std::uint32_t ProcessList::onlyPid() const
{
    const bool isOne = std::all_of(m_processes.begin(), m_processes.end(), [this](const auto &process) {
        return process.pid == m_processes.front().pid && process.startTicks == m_processes.front().startTicks;
    });
    return isOne && !m_processes.empty() ? m_processes.front().pid : 0;
}

bool ProcessList::anySeenAlive() const
{
    return std::any_of(m_processes.begin(), m_processes.end(), [](const auto &process) { return process.sawAlive; });
}

bool ProcessList::anySwitchedOff() const
{
    return std::any_of(m_processes.begin(), m_processes.end(),
                       [](const auto &process) { return process.stage == Stage::Live && process.switchedOff; });
}

bool ProcessList::isLast(std::uint32_t index) const
{
    const std::span<const ProcessEntry> entries = m_region.processes();
    const std::size_t reach = std::min(entries.size(), m_processes.size() + kEntriesAhead);
    for (std::size_t other = 0; other < reach; ++other) {
        // Acquire; partner: InitTracer's compare-exchange of a free entry.
        if (other != index && entries[other].state.load(std::memory_order_acquire) != corotracer::kProcessFree)
            return false;
    }
    return true;
}

}  // namespace ct
