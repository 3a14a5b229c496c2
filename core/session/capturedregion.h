// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The region of a session: what is known about it as long as the session lives, and whether its file goes at the end.
#pragma once

#include "core/harvest/region.h"
#include "core/session/mappings.h"
#include "core/session/regionusers.h"

#include <QCoreApplication>
#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ct {

/// Main thread. What was read at adopt() stays readable after close().
class CapturedRegion {
    Q_DECLARE_TR_FUNCTIONS(ct::CapturedRegion)
public:
    struct Outcome {
        bool isLeftOver = false;  ///< the file was kept
        QString notice;           ///< why; empty: there is nothing to say
    };

    /// The file of a region that is yet to be opened.
    void setFile(const std::string &path) { m_file = FileIdentity::of(path); }
    void adopt(Region opened);

    Region &operator*() { return *m_region; }
    Region *operator->() { return &*m_region; }

    const FileIdentity &file() const { return m_file; }
    const std::string &path() const { return m_path; }
    /// How many a target may map and index; max_stations itself may still grow towards it.
    std::uint32_t stations() const { return m_stations; }
    bool isObserved() const { return m_isObserved; }  ///< read-only, as another engine owns it
    bool isExtended() const { return m_isExtended; }  ///< it carries this project's extension
    /// The target made it, and may go on writing into it after us.
    bool isFlightRecorder() const { return m_isFlightRecorder; }

    bool isOwnedByAnotherEngine() const;
    /// Processes that map it, without engines.
    std::vector<MappingProcess> targets() const;
    /// Processes of another user or a container, which may still use the region.
    std::vector<RegionUser> unknownTargets() const { return unknownUsers(m_file); }

    /// Removes the file after a failed start.
    void discard();
    void close() { m_region.reset(); }
    /// Closes the region, and removes its file when it has served: created or adopted live by us, drained, and used by
    /// none of `users`, nor by an unknown target. A file that was copied away for later, or that another program or the
    /// target itself made, is never removed.
    Outcome settle(const std::vector<MappingProcess> &users, bool isPostMortem);

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
