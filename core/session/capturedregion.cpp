// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/capturedregion.h"

#include <unistd.h>

namespace ct {

void CapturedRegion::adopt(Region opened)
{
    m_region.emplace(std::move(opened));
    m_path = m_region->path();
    m_file = FileIdentity::of(m_path);
    m_stations = m_region->stationCapacity();
    m_isObserved = m_region->access() == RegionAccess::Observer;
    m_isExtended = m_region->hasExtension();
    m_isFlightRecorder = m_region->laneMode() == corotracer::kLanesOverwrite;
}

bool CapturedRegion::isOwnedByAnotherEngine() const
{
    const pid_t holder = lockHolder(m_file);
    return holder != 0 && holder != getpid();
}

std::vector<MappingProcess> CapturedRegion::targets() const
{
    std::vector<MappingProcess> processes = processesMapping(m_file);
    std::erase_if(processes, [](const MappingProcess &user) { return user.engine; });
    return processes;
}

void CapturedRegion::discard()
{
    static_cast<void>(m_region->remove());
    close();
}

CapturedRegion::Outcome CapturedRegion::retire(const std::vector<MappingProcess> &users, bool isPostMortem)
{
    Outcome outcome;
    const QString path = QString::fromStdString(m_path);
    const std::vector<RegionUser> unknown = users.empty() ? unknownTargets() : std::vector<RegionUser>();
    if (!m_isObserved && !unknown.empty()) {
        outcome = {true, tr("The region was kept because it %1: %2. %3")
                             .arg(QString::fromStdString(mayBeInUse(unknown.front())), path,
                                  QString::fromStdString(onceItHasEnded(m_file)))};
    } else if (!m_isObserved && !isPostMortem && !m_isFlightRecorder && users.empty()) {
        if (const Result<void> removed = m_region->remove(); !removed)
            outcome = {true, QString::fromStdString(removed.error().message)};
    } else if (!m_isObserved) {
        outcome = {true, users.empty() ? tr("The region was kept: %1").arg(path)
                                       : tr("The region was kept because process %1 (%2) still uses it: %3")
                                             .arg(QString::number(users.front().pid),
                                                  QString::fromStdString(users.front().name), path)};
    }
    close();
    return outcome;
}

}  // namespace ct
