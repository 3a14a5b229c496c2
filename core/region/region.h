// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A mapped cTP region: created for a target, or opened from an existing file. Qt-free.
#pragma once

#include "core/base/result.h"
#include "core/protocol/lanereader.h"
#include "corotracer/layout.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ct {

enum class RegionAccess : std::uint8_t {
    Owner,       ///< has the exclusive file lock, may write
    Observer,    ///< PROT_READ, polls; another engine owns the region, or this process may not own it
    PostMortem,  ///< PROT_READ, shared file lock; post-mortem: no process writes the region any more
};

/// The purpose of opening a region.
enum class RegionUse : std::uint8_t {
    Harvest,     ///< adopt the region if no engine owns it, else observe it
    PostMortem,  ///< read a region that no process uses any more, and change nothing
};

/// A directory for regions.
struct RegionDirectory {
    std::string directory;  ///< once chosen: exists, mode 0700, belongs to this user
    std::string warning;    ///< disadvantage of this directory; empty for the best one
};
/// Chooses from regionDirectories().
Result<RegionDirectory> chooseRegionDirectory();
/// Returns the first candidate that exists or can be created, has mode 0700, belongs to this user, and has 32 MiB free.
Result<RegionDirectory> chooseRegionDirectory(const std::vector<RegionDirectory> &candidates);
/// Returns the candidates on this machine, best first: /dev/shm/corotracer-UID, $XDG_RUNTIME_DIR/corotracer, and
/// $TMPDIR/corotracer-UID (or in /tmp). Regions of earlier runs are in these directories, too.
std::vector<RegionDirectory> regionDirectories();

/// Limits of one lane and of the lane pool, in bytes. The layout limits the lane; the pool must fit a mapping.
inline constexpr std::uint64_t kLaneBytesMin = corotracer::kLaneRecordsMin * sizeof(corotracer::LaneRecord);
inline constexpr std::uint64_t kLaneBytesMax = corotracer::kLaneRecordsMax * sizeof(corotracer::LaneRecord);
inline constexpr std::uint64_t kLanePoolMin = 2 * kLaneBytesMin;
inline constexpr std::uint64_t kLanePoolMax = 1ULL << 40;
/// Room for two million events: 160 ms of a thread with 12 million events a second, 20 ms of the fastest one. A system
/// whose processors are all busy lets the engine wait so long. Memory is used only as far as a thread writes.
inline constexpr std::uint64_t kUsualLaneBytes = 64ULL << 20;
/// Lanes of the usual size for the first 32 threads.
inline constexpr std::uint64_t kUsualLanePoolBytes = 4ULL << 30;

struct RegionSpec {
    std::string path;  ///< empty: a new name in chooseRegionDirectory()
    /// Number of full stations, and also of compact stations: the most coroutines at a time. Memory is allocated as
    /// needed.
    std::uint32_t stations = corotracer::kMostStations;
    /// True: allocates the memory of all full stations at creation, as far as there is room. This is for version-1
    /// probes with bursts of births. False: allocates the first 32,768 (see stationHeadroom()), and more as needed.
    bool stationsAtStart = false;
    bool lanes = true;                          ///< false: probes of the extension use full stations, too
    std::uint64_t laneBytes = kUsualLaneBytes;  ///< bytes of one thread's lane; rounded down to a power of two
    /// Bytes of all lanes. Each lane gets at most 1/32 of the remaining pool.
    std::uint64_t lanePoolBytes = kUsualLanePoolBytes;
    std::uint32_t laneRetentionMs = 0;  ///< time after a thread's end before another thread may claim its lane
};

class Region {
public:
    /// Creates the file (O_EXCL, O_NOFOLLOW, 0600), locks it, and writes the header and the extension.
    static Result<Region> create(const RegionSpec &spec);
    /// Opens an existing file. For Harvest: Owner, if the file has the extension, belongs to this user, is writable,
    /// and no other process has locked it. For PostMortem: PostMortem, if it has the extension, belongs to this user,
    /// and no owner has locked it. Otherwise Observer.
    static Result<Region> open(const std::string &path, RegionUse use = RegionUse::Harvest);

    Region(Region &&) noexcept;
    Region &operator=(Region &&) noexcept;
    ~Region();  ///< unmaps and unlocks; the file stays

    const std::string &path() const;
    RegionAccess access() const;
    /// The reason for Observer: "owned by process 123", "not created by corotracer-gui", "read-only file". Otherwise
    /// empty.
    const std::string &observerReason() const;
    bool hasExtension() const;  ///< true: the extension exists and was checked
    bool isAdopted() const;     ///< opened, not created: targets may have connections to an engine that is gone
    /// A warning for the user: a worse directory, or less room than requested. Empty if there is none.
    const std::string &warning() const;

    const corotracer::GlobalHeader &header() const;
    corotracer::GlobalHeader *writableHeader();  ///< nullptr unless Owner
    /// Number of full stations that lie inside the file.
    std::uint32_t stationCapacity() const;
    const corotracer::StationData &station(std::uint32_t index) const;  ///< `index` must be below stationCapacity()
    /// Both areas lie inside the file, and are empty without the extension. Their contents are untrusted.
    std::span<const corotracer::SiteRecord> siteRecords() const;
    std::span<const char> siteStrings() const;

    // The areas of the extension lie inside the file, and are empty without it. Their contents are untrusted.
    std::uint32_t laneMode() const;  ///< corotracer::kLanesNone without the extension
    std::span<const corotracer::ProcessEntry> processes() const;
    std::span<const corotracer::LaneHeader> laneDirectory() const;
    std::span<const corotracer::CompactState>
    compactStations() const;  ///< read only below compact_stations_committed: others lack memory
    std::span<const corotracer::CompactBirth> births() const;  ///< as large as compactStations()
    /// Returns a lane that was checked to lie inside the pool. Returns nullopt for any other lane, and in discard mode
    /// (except post-mortem) for a lane that a thread is claiming.
    std::optional<LaneView> lane(std::uint32_t index) const;
    // Writable views of these areas; empty or null unless Owner.
    std::span<corotracer::ProcessEntry> writableProcesses();
    std::span<corotracer::LaneHeader> writableLanes();
    std::span<corotracer::CompactState> writableCompactStations();
    std::span<corotracer::CompactBirth> writableBirths();
    corotracer::StationData *writableStation(std::uint32_t index);

    /// Keeps stationHeadroom() full stations free for version-1 probes, up to the reserved number. Allocates memory,
    /// then raises max_stations (release; partner: the probes' loads at birth). Returns NoSpace if the file system is
    /// full; later calls try again every 250 ms. No effect unless Owner.
    Result<void> growStations();
    /// Births that found no station, because there were more births between two calls of growStations() than it keeps
    /// free. RegionSpec::stationsAtStart prevents them. An upper bound: a probe of the extension may offer the station
    /// itself.
    std::uint64_t overtakenBirths() const;
    /// Free bytes of the file system; ~0 without a limit.
    std::uint64_t freeBytes() const;
    /// Bytes of memory that the file uses at present.
    std::uint64_t committedBytes() const;
    /// Returns false for good once the file was shorter than the mapping: accesses could then raise SIGBUS.
    bool isWhole() const;

    Result<void> remove();  ///< unlinks the file, and its socket if no process listens on it

private:
    struct Data;
    explicit Region(std::unique_ptr<Data> data);
    std::unique_ptr<Data> m_data;
};

/// Returns the socket path of a region, or an error if it is longer than kSocketPathMax.
Result<std::string> socketPathFor(const std::string &regionPath);

}  // namespace ct
