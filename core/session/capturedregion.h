// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The region of a session: facts that stay known as long as the session lives, and the removal of its file at the end.
#pragma once

#include "core/region/region.h"
#include "core/target/mappingprocesses.h"
#include "core/target/regionusers.h"

#include <QCoreApplication>
#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ct {

/// Main thread. Values that adopt() has read stay readable after close().
class CapturedRegion {
    Q_DECLARE_TR_FUNCTIONS(ct::CapturedRegion)
public:
    struct Outcome {
        bool isLeftOver = false;  ///< the file was kept
        QString notice;           ///< the reason, for the user; empty: none
    };

    /// Sets the file of a region that is not open yet.
    void setFile(const std::string &path) { m_file = FileIdentity::of(path); }
    void adopt(Region opened);

    Region &operator*() { return *m_region; }
    Region *operator->() { return &*m_region; }

    const FileIdentity &file() const { return m_file; }
    const std::string &path() const { return m_path; }
    /// Stations that a target may map and index. max_stations itself may still grow up to this number.
    std::uint32_t stations() const { return m_stations; }
    bool isObserved() const { return m_isObserved; }  ///< read-only, see Region::observerReason()
    bool isExtended() const { return m_isExtended; }  ///< has this project's extension
    /// A target made the region in overwrite mode, and may continue to write into it after we have ended.
    bool isFlightRecorder() const { return m_isFlightRecorder; }

    bool isOwnedByAnotherEngine() const;
    /// Processes that map the region, without engines.
    std::vector<MappingProcess> targets() const;
    /// Processes of another user or a container that may still use the region.
    std::vector<RegionUser> unknownTargets() const { return unknownUsers(m_file); }

    /// Closes the region and removes its file, after a failed start.
    void discard();
    void close() { m_region.reset(); }
    /// Closes the region. Removes its file if we created it or adopted it live, and it is drained. The file stays if
    /// one of `users` or an unknown target uses it. Never removes a post-mortem region, which may be a copy for later.
    /// Never removes the region of a flight recorder or of another program.
    Outcome retire(const std::vector<MappingProcess> &users, bool isPostMortem);

private:
    std::optional<Region> m_region;
    FileIdentity m_file;
    std::string m_path;
    std::uint32_t m_stations = 0;
    bool m_isObserved = false;
    bool m_isExtended = false;
    bool m_isFlightRecorder = false;
};

}  // namespace ct
