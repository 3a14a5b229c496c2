// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/addresses/addressresolver.h"

#include "core/addresses/addressresolverdata.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

namespace ct {

namespace {

/// Frames read in one task, which then runs for some ms.
constexpr std::size_t kMostAsked = 256;
/// Pages of coroutines that one readAhead() visits. It ends after the page with the last request of so many.
constexpr std::uint32_t kAheadPages = 64;
constexpr std::size_t kAheadAsks = 128;
/// Interval at which awaitCode() polls.
constexpr std::chrono::milliseconds kStep{5};
constexpr std::size_t kMostFramesAtOnce = 10'000;  ///< some ms
constexpr std::uint64_t kMapsEveryNs = 2'000'000'000;
constexpr std::uint64_t kSamplingNs = 200'000'000;  ///< without a further short suspension
constexpr std::uint64_t kEver = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kUnvisited = kEver;  ///< no version of a page

bool hasFrame(const CoroutineSnapshot &coroutine)
{
    return coroutine.site == kUnknownSite && coroutine.addr != 0 && coroutine.deathTs == 0 &&
           coroutine.state != CoroutineState::Destroyed;
}

}  // namespace

AddressResolver::Query AddressResolver::queryOf(const CoroutineSnapshot &coroutine)
{
    const bool lasts = isSuspended(coroutine.state) || coroutine.state == CoroutineState::Finished;
    return {coroutine.id, coroutine.pid, coroutine.addr, lasts ? coroutine.since : 0, lasts};
}

AddressResolver::AddressResolver(std::shared_ptr<SymbolWorker> worker, std::shared_ptr<const Population> population)
    : m_worker(std::move(worker)), m_data(std::make_shared<Data>(std::move(population)))
{
}

AddressResolver::~AddressResolver() = default;

AddressResolver::Answer AddressResolver::resolveOrRequest(const Query &query)
{
    return resolve(query, true);
}

AddressResolver::Answer AddressResolver::known(const Query &query) const
{
    return resolve(query, false);
}

AddressResolver::Answer AddressResolver::resolve(const Query &query, bool ask) const
{
    if (query.addr == 0)
        return nullptr;
    SymbolWorker::Modules modules;
    Answer stored;
    {
        const std::lock_guard lock(m_data->mutex);
        stored = m_data->storedCode(query);
        const std::uint32_t pid = m_data->processOf(query.pid);
        const auto process = m_data->processes.find(pid);
        if (process != m_data->processes.end())
            modules = process->second.modules;
        if (!modules || !modules->moduleAt(query.addr)) {
            if (stored)
                return stored;
            const bool wasWaiting = m_data->isWaiting();
            if (!modules && ask && m_data->live && pid != 0)
                m_data->wanted.insert(pid);
            Answer answer = m_data->frame(query, pid, ask);
            if (!wasWaiting && m_data->isWaiting() && m_data->awaken)
                m_data->awaken();
            return answer;
        }
    }
    Answer answer = ask ? m_worker->resolve(modules, query.addr) : m_worker->known(modules, query.addr);
    // The program may be missing here, or of another build.
    if (answer && stored && answer->reason != Unresolved::None)
        return stored;
    if (ask && answer && !answer->remedy.empty() && answer->frames.empty()) {
        const std::lock_guard lock(m_data->mutex);
        // Without a thread, the answer names no module.
        if (answer->module.empty())
            m_data->refusal = answer->remedy;
        else if (m_data->problem.empty())
            m_data->problem = answer->remedy;
    }
    return answer;
}

/// nullptr: the modules are not known, or none of them contains the address.
SymbolWorker::Modules AddressResolver::modulesOf(const Query &query) const
{
    const std::lock_guard lock(m_data->mutex);
    const auto process = m_data->processes.find(m_data->processOf(query.pid));
    if (process == m_data->processes.end() || !process->second.modules ||
        !process->second.modules->moduleAt(query.addr))
        return nullptr;
    return process->second.modules;
}

bool AddressResolver::isOpen(const Query &query) const
{
    if (const SymbolWorker::Modules modules = modulesOf(query))
        return !m_worker->known(modules, query.addr);
    if (m_worker->isRefused())
        return false;
    const std::lock_guard lock(m_data->mutex);
    return m_data->isWanted(query, m_data->processOf(query.pid), m_data->knownAt(query));
}

bool AddressResolver::requestCode(const Query &query)
{
    const SymbolWorker::Modules modules = modulesOf(query);
    if (modules)
        static_cast<void>(m_worker->resolve(modules, query.addr));
    return modules != nullptr;
}

void AddressResolver::awaitCode(std::chrono::milliseconds most, const std::atomic<bool> &givenUp) const
{
    const auto end = std::chrono::steady_clock::now() + most;
    while (!m_worker->isIdle() && !givenUp.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kStep);
}

std::uint64_t AddressResolver::lineSince(const Query &query) const
{
    const std::lock_guard lock(m_data->mutex);
    const auto known = m_data->frames.find(query.coroutine);
    const bool hasLine = known != m_data->frames.end() && known->second.frame == query.addr && known->second.location;
    return hasLine ? known->second.since : 0;
}

std::uint64_t AddressResolver::generation() const
{
    return m_worker->generation() + m_data->generation.load(std::memory_order_acquire);
}

std::string AddressResolver::problem() const
{
    const std::lock_guard lock(m_data->mutex);
    return m_data->problem.empty() && m_worker->isRefused() ? m_data->refusal : m_data->problem;
}

std::vector<RecordingInfo::Process> AddressResolver::processes() const
{
    const std::lock_guard lock(m_data->mutex);
    std::vector<RecordingInfo::Process> known;
    for (const auto &[pid, process] : m_data->processes) {
        if (!process.modules)
            continue;
        const std::span<const Module> modules = process.modules->modules();
        known.push_back({pid, {}, {modules.begin(), modules.end()}});
    }
    return known;
}

void AddressResolver::addInfo(const RecordingInfo &info)
{
    const std::lock_guard lock(m_data->mutex);
    for (const RecordingInfo::Process &process : info.processes)
        m_data->processes[process.pid].modules = std::make_shared<const ModuleMap>(process.modules);
    if (info.target)
        m_data->target = *info.target;
    else if (info.processes.size() == 1)
        m_data->target = info.processes.front().pid;
    m_data->generation.fetch_add(1, std::memory_order_release);
}

void AddressResolver::addFrames(const std::vector<FrameLocation> &frames)
{
    // In parts, because resolveOrRequest() waits for the lock during each part.
    for (std::size_t begin = 0; begin < frames.size(); begin += kMostFramesAtOnce) {
        const std::size_t count = std::min(kMostFramesAtOnce, frames.size() - begin);
        const std::lock_guard lock(m_data->mutex);
        const bool hasSpace = m_data->addFrameLocations({frames.data() + begin, count});
        m_data->generation.fetch_add(1, std::memory_order_release);
        if (!hasSpace)
            break;
    }
    report(frames, m_listeners);
}

void AddressResolver::report(const std::vector<FrameLocation> &frames, const std::vector<Listener> &to)
{
    for (const Listener &listener : to)
        if (!frames.empty())
            listener(frames);
}

void AddressResolver::setLive(bool live)
{
    const std::lock_guard lock(m_data->mutex);
    m_data->reading = live;
    if (std::exchange(m_data->live, live) != live)
        m_data->generation.fetch_add(1, std::memory_order_release);
}

void AddressResolver::stopReading()
{
    const std::lock_guard lock(m_data->mutex);
    m_data->reading = false;
}

std::vector<FrameLocation> AddressResolver::compareRest()
{
    std::vector<FrameLocation> rest;
    {
        const std::lock_guard lock(m_data->mutex);
        rest = m_data->compareReads(kEver);
    }
    report(rest, m_restListeners);
    return rest;
}

void AddressResolver::setTarget(pid_t pid)
{
    const std::lock_guard lock(m_data->mutex);
    if (std::exchange(m_data->target, static_cast<std::uint32_t>(pid)) != static_cast<std::uint32_t>(pid))
        m_data->generation.fetch_add(1, std::memory_order_release);
}

void AddressResolver::setReadsAhead(bool ahead)
{
    m_readsAhead = ahead;
}

void AddressResolver::setHistory(std::shared_ptr<const History> history)
{
    const std::lock_guard lock(m_data->mutex);
    m_data->history = std::move(history);
}

void AddressResolver::setAwaken(std::function<void()> awaken)
{
    const std::lock_guard lock(m_data->mutex);
    m_data->awaken = std::move(awaken);
}

void AddressResolver::addListener(Listener listener, bool callsCompareRest)
{
    if (!callsCompareRest)
        m_restListeners.push_back(listener);
    m_listeners.push_back(std::move(listener));
}

void AddressResolver::setFinishListener(std::function<void(const std::vector<Finish> &)> listener)
{
    m_finishListener = std::move(listener);
}

void AddressResolver::poll()
{
    if (m_readsAhead)
        readAhead();
    wantMaps();
    std::vector<FrameLocation> newLocations;
    std::vector<Finish> finishes;
    std::vector<Data::Asked> asks;
    std::set<std::uint32_t> pids;
    {
        const std::lock_guard lock(m_data->mutex);
        const std::uint64_t now = m_data->population->now();
        // Between stopReading() and setLive(false), the remaining frames are left for compareRest().
        if (!m_data->live)
            newLocations = m_data->compareReads(kEver);
        else if (m_data->reading && now > kCaptureDelayNs)
            newLocations = m_data->compareReads(now - kCaptureDelayNs);
        finishes = m_data->running.takeFinishes();
        if (!m_data->live) {
            m_data->asked.clear();
            m_data->isAsked.clear();
            m_data->wanted.clear();
        }
        // Acquire; partner: the release at the end of the task.
        const bool any = !m_data->asked.empty() || !m_data->wanted.empty();
        const bool isDue = any && !m_data->busy.load(std::memory_order_acquire);
        const Result<void> started = isDue ? m_worker->start() : Result<void>();
        if (!started) {
            m_data->refuse(started.error());
        } else if (isDue) {
            auto &asked = m_data->asked;  // the latest requests first, because they are on display now
            if (asked.size() > kMostWaiting)
                asked.erase(asked.begin(), asked.end() - kMostWaiting);
            const std::size_t count = std::min(asked.size(), kMostAsked);
            asks.assign(asked.end() - static_cast<std::ptrdiff_t>(count), asked.end());
            asked.resize(asked.size() - count);
            m_data->isAsked.clear();
            for (const Data::Asked &ask : asked)
                m_data->isAsked.insert(ask.coroutine);
            pids.swap(m_data->wanted);
            m_data->busy.store(true, std::memory_order_relaxed);
        }
    }
    if (!asks.empty() || !pids.empty()) {
        m_worker->run([core = m_data, asks = std::move(asks), pids = std::move(pids)](Symbolizer &symbolizer) {
            core->answer(symbolizer, asks, pids);
        });
    }
    report(newLocations, m_listeners);
    if (m_finishListener && !finishes.empty())
        m_finishListener(finishes);
}

/// Requests the modules of processes that were read before, because they may have mapped more.
void AddressResolver::wantMaps()
{
    const std::lock_guard lock(m_data->mutex);
    const std::uint64_t now = m_data->population->now();
    const std::uint64_t events = m_data->population->captured();
    if (!m_data->live || now < m_mapsWantedAt + kMapsEveryNs || events == m_mapsWantedEvents)
        return;
    m_mapsWantedAt = now;
    m_mapsWantedEvents = events;
    for (const auto &[pid, process] : m_data->processes) {
        if (process.readAt != 0)
            m_data->wanted.insert(pid);
    }
}

/// Requests frames of suspended coroutines that no view has requested.
void AddressResolver::readAhead()
{
    const std::lock_guard lock(m_data->mutex);
    if (!m_data->reading || !m_data->asked.empty() || m_data->busy.load(std::memory_order_acquire))
        return;
    const std::uint32_t pages = m_data->population->pageCount();
    m_withoutFrames.resize(pages, kUnvisited);
    std::uint32_t visited = 0;
    for (std::uint32_t i = 0; i < pages && visited < kAheadPages && m_data->asked.size() < kAheadAsks; ++i) {
        m_aheadPage = m_aheadPage + 1 < pages ? m_aheadPage + 1 : 0;
        const std::uint64_t version = m_data->population->pageVersion(m_aheadPage);
        if (m_withoutFrames[m_aheadPage] == version)
            continue;
        ++visited;
        m_withoutFrames[m_aheadPage] = readPageAhead(m_aheadPage) ? kUnvisited : version;
    }
}

/// Requests the frame of a coroutine that seems to run for long, because it may have finished. Returns true if that may
/// be necessary, now or later.
bool AddressResolver::readRunning(CoroutineId id)
{
    const CoroutineSnapshot coroutine = m_data->population->at(id);
    if (!m_finishListener || !RunningFrames::mayHaveFinished(coroutine) || !hasFrame(coroutine))
        return false;
    const std::uint32_t pid = m_data->processOf(coroutine.pid);
    const auto process = m_data->processes.find(pid);
    const bool isUnreadable = process != m_data->processes.end() && process->second.unreadable;
    if (pid != 0 && !isUnreadable && m_data->running.request(coroutine, m_data->population->now()))
        m_data->ask({id, pid, coroutine.addr});
    return true;
}

/// Requests frames of the coroutines in a page. Returns true if any of them has one that may have to be read, now or
/// later.
bool AddressResolver::readPageAhead(std::uint32_t page)
{
    const Population &population = *m_data->population;
    const CoroutineId begin = page * Population::kPageSize;
    const CoroutineId end = std::min(begin + Population::kPageSize, population.size());
    const std::uint64_t now = population.now();
    bool any = false;
    for (CoroutineId id = begin; id < end; ++id) {
        const std::uint64_t since = population.suspendedSince(id);
        if (since == Population::kNotSuspended) {
            any = readRunning(id) || any;
            continue;
        }
        const CoroutineSnapshot coroutine = population.at(id);
        if (!hasFrame(coroutine))
            continue;
        any = true;
        const auto known = m_data->frames.find(id);
        if (known != m_data->frames.end() && now < since + kCaptureDelayNs) {
            m_data->sampleLine(coroutine, known->second, now);
            if (known->second.function)
                continue;
        } else if (known == m_data->frames.end()) {
            m_data->takeSample({}, now);  // its first frame has a line, too
        }
        const std::uint32_t pid = m_data->processOf(coroutine.pid);
        const auto process = m_data->processes.find(pid);
        const bool isCode = process != m_data->processes.end() && process->second.modules &&
                            process->second.modules->moduleAt(coroutine.addr);
        if (!isCode)
            m_data->frame(queryOf(coroutine), pid, true);
    }
    return any;
}

bool AddressResolver::isIdle() const
{
    const std::lock_guard lock(m_data->mutex);
    return m_data->asked.empty() && m_data->wanted.empty() && m_data->reads.empty() &&
           !m_data->busy.load(std::memory_order_acquire) && m_worker->isIdle();
}

bool AddressResolver::samplesMany() const
{
    const std::lock_guard lock(m_data->mutex);
    return m_data->reading && m_data->population->now() < m_data->manySampledAt + kSamplingNs;
}

bool AddressResolver::isRead() const
{
    const std::lock_guard lock(m_data->mutex);
    return m_data->asked.empty() && !m_data->busy.load(std::memory_order_acquire);
}

void AddressResolver::retryUnresolved()
{
    const std::lock_guard lock(m_data->mutex);
    m_data->retryUnresolved();
    for (auto &[pid, process] : m_data->processes)
        process.unreadable.reset();
    m_data->problem.clear();
    m_data->generation.fetch_add(1, std::memory_order_release);
}

}  // namespace ct
