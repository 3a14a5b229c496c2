// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Regions that a test can list, and regions without an engine.
#pragma once

#include "core/region/region.h"
#include "core/target/regionlist.h"
#include "tests/support/lanewriter.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace regionsupport {

/// A folder of the test. listRegions() finds the regions in it.
class RuntimeFolder {
public:
    /// Call this once, before a region is listed.
    bool use() const
    {
        return QDir(m_folder.path()).mkdir(QStringLiteral("corotracer")) &&
               qputenv("XDG_RUNTIME_DIR", QFile::encodeName(m_folder.path()));
    }
    std::string newPath(const char *name) const
    {
        return m_folder.filePath(QStringLiteral("corotracer/") + QLatin1String(name)).toStdString();
    }
    /// Returns a path that the list does not include.
    std::string otherPath(const char *name) const { return m_folder.filePath(QLatin1String(name)).toStdString(); }

private:
    QTemporaryDir m_folder;
};

inline std::optional<ct::RegionInfo> find(const std::string &path)
{
    for (const ct::RegionInfo &info : ct::listRegions()) {
        if (info.path == path)
            return info;
    }
    return std::nullopt;
}

/// Creates a region with one entry in its process table and without an engine. `space`: inode of the pid namespace of
/// that process, if it is not ours.
inline void leaveRegion(const std::string &path, pid_t pid, std::uint64_t startTicks, std::uint64_t space = 0)
{
    auto region = ct::Region::create({path, 64});
    QVERIFY2(region, region ? "" : region.error().message.c_str());
    const lanewriter::Process process(*region->writableHeader(), static_cast<std::uint32_t>(pid), startTicks);
    if (space != 0)
        process.entry().pid_namespace.store(space);
}

/// Maps a region as a target does, while an engine owns it.
class TargetMapping {
public:
    explicit TargetMapping(const std::string &path)
    {
        const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        struct stat status {};
        if (fd >= 0 && ::fstat(fd, &status) == 0)
            m_size = static_cast<std::size_t>(status.st_size);
        m_base = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (fd >= 0)
            ::close(fd);
    }
    ~TargetMapping()
    {
        if (isMapped())
            ::munmap(m_base, m_size);
    }
    TargetMapping(const TargetMapping &) = delete;
    TargetMapping &operator=(const TargetMapping &) = delete;

    bool isMapped() const { return m_base != MAP_FAILED; }
    corotracer::GlobalHeader &header() const { return *static_cast<corotracer::GlobalHeader *>(m_base); }

private:
    std::size_t m_size = 0;
    void *m_base = MAP_FAILED;
};

}  // namespace regionsupport
