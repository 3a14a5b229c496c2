// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/targetwatch.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

constexpr int kCheckMs = 1000;
/// How many processes one check examines: it reads the size of each (10 us), and the mappings (50 to 200 us) only if
/// the size has changed. Of all other processes it only checks that they exist.
constexpr std::size_t kMostRead = 8;
constexpr qint64 kSearchCostFactor = 10'000;
constexpr qint64 kSearchCostFactorAlone = 200;

bool exists(pid_t pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

}  // namespace

TargetWatch::TargetWatch(FileIdentity region, QObject *parent) : QObject(parent), m_region(std::move(region))
{
    m_timer.setTimerType(Qt::VeryCoarseTimer);  // at whole seconds, together with other timers: one wake-up for all
    m_timer.setInterval(kCheckMs);
    connect(&m_timer, &QTimer::timeout, this, &TargetWatch::checkAll);
}

void TargetWatch::start(const std::vector<pid_t> &known)
{
    for (const pid_t pid : known)
        m_targets.push_back({pid, true});
    m_seenAny = !known.empty();
    m_timer.start();
}

void TargetWatch::stop()
{
    m_timer.stop();
}

std::vector<pid_t> TargetWatch::pids() const
{
    std::vector<pid_t> pids;
    for (const Target &target : m_targets) {
        if (target.maps)
            pids.push_back(target.pid);
    }
    return pids;
}

bool TargetWatch::isEmpty() const
{
    return std::none_of(m_targets.begin(), m_targets.end(), [](const Target &target) { return target.maps; });
}

TargetWatch::Target *TargetWatch::findTarget(pid_t pid)
{
    const auto found =
        std::find_if(m_targets.begin(), m_targets.end(), [pid](const Target &target) { return target.pid == pid; });
    return found != m_targets.end() ? &*found : nullptr;
}

void TargetWatch::processConnected(int pid)
{
    if (!m_timer.isActive())
        return;
    if (pid <= 0) {  // perhaps of another pid namespace
        m_wantsSearch = true;
        return;
    }
    if (const Target *known = findTarget(pid)) {
        if (!known->maps)
            checkMappings({pid});
        return;
    }
    if (isEngine(pid))
        return;
    const bool maps = processMaps(pid, m_region);
    const bool isOver = !maps && !processRuns(pid);
    if (!isOver)
        m_targets.push_back({pid, maps});
    m_seenAny = m_seenAny || maps;
    if (maps || isOver)
        Q_EMIT seen(pid);
    if (isOver)
        Q_EMIT gone(pid);
}

void TargetWatch::processDisconnected(int pid)
{
    if (m_timer.isActive() && findTarget(pid))
        checkMappings({pid});
}

void TargetWatch::checkAll()
{
    std::vector<pid_t> pids;
    for (std::size_t i = 0; i < m_targets.size(); ++i) {
        const std::size_t turn = (i + m_targets.size() - m_next % m_targets.size()) % m_targets.size();
        if ((turn < kMostRead && hasChanged(m_targets[i])) || !exists(m_targets[i].pid))
            pids.push_back(m_targets[i].pid);
    }
    m_next += kMostRead;
    checkMappings(pids);
    if (m_timer.isActive() && isSearchDue())
        search();
}

/// A process that maps the region takes part in the capture. Others may map it at any time, or be about to end.
bool TargetWatch::hasChanged(const Target &target)
{
    return !target.maps || target.pages == 0 || target.pages != mappedPages(target.pid);
}

void TargetWatch::checkMappings(const std::vector<pid_t> &pids)
{
    std::vector<pid_t> come;
    std::vector<pid_t> left;
    for (const pid_t pid : pids) {
        Target &target = *findTarget(pid);
        target.pages = mappedPages(pid);
        const bool mapped = std::exchange(target.maps, processMaps(pid, m_region));
        if (target.maps && !mapped)
            come.push_back(pid);
        if (mapped && !target.maps)
            left.push_back(pid);
    }
    // A connected process that does not map the region yet may still do so. Remove it only when it has ended.
    std::erase_if(m_targets, [&](const Target &target) {
        return !target.maps &&
               (std::find(left.begin(), left.end(), target.pid) != left.end() || !processRuns(target.pid));
    });
    m_seenAny = m_seenAny || !come.empty();
    if (!left.empty() && isEmpty())
        m_wantsSearch = true;
    for (const pid_t pid : come)
        Q_EMIT seen(pid);
    for (const pid_t pid : left)
        Q_EMIT gone(pid);
}

bool TargetWatch::isSearchDue() const
{
    return m_wantsSearch ||
           m_sinceSearch.nsecsElapsed() >= m_searchCostNs * (isEmpty() ? kSearchCostFactorAlone : kSearchCostFactor);
}

void TargetWatch::search()
{
    m_wantsSearch = false;
    m_sinceSearch.start();
    std::vector<pid_t> come;
    for (const MappingProcess &process : processesMapping(m_region)) {
        if (process.engine)
            continue;
        Target *known = findTarget(process.pid);
        if (!known)
            known = &m_targets.emplace_back(Target{process.pid, false});
        if (!std::exchange(known->maps, true))
            come.push_back(process.pid);
    }
    m_searchCostNs = m_sinceSearch.nsecsElapsed();
    m_seenAny = m_seenAny || !come.empty();
    for (const pid_t pid : come)
        Q_EMIT seen(pid);
    if (isEmpty())
        Q_EMIT noneFound();
}

}  // namespace ct
