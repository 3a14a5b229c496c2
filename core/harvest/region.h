// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A mapped cTP region: created for a target, or opened from a file that something else left. Qt-free.
#pragma once

#include "core/protocol/lanereader.h"
#include "core/result.h"
#include "corotracer/layout.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ct {

enum class RegionAccess : std::uint8_t {
    Owner,     ///< we hold the file lock and may write
    Observer,  ///< PROT_READ, polling; somebody else owns it, or it is not ours to write
    Evidence,  ///< PROT_READ; no process writes it any more, so that all of it is read, any number of times
};

/// Why a region is opened.
enum class RegionUse : std::uint8_t {
    Harvest,     ///< to take over from an engine that is gone, or to observe
    PostMortem,  ///< no process maps it any more: to read it and change nothing
};

/// Where regions are placed: /dev/shm/corotracer-UID, then $XDG_RUNTIME_DIR/corotracer, then a directory on disk.
struct RegionPlace {
    std::string directory;  ///< exists, 0700, owned by us
    std::string warning;    ///< empty, or why this place is second best
};
Result<RegionPlace> chooseRegionPlace();
/// The same from a list of candidates: the first that exists or can be made, is ours alone and has room.
Result<RegionPlace> chooseRegionPlace(const std::vector<RegionPlace> &candidates);
/// The candidates on this machine, best first; also where to look for regions that were left over.
std::vector<RegionPlace> regionPlaces();

/// What one lane and the pool of all may take, in bytes: of the layout, and for the pool what a mapping may ask for.
inline constexpr std::uint64_t kLaneBytesMin = corotracer::kLaneRecordsMin * sizeof(corotracer::LaneRecord);
inline constexpr std::uint64_t kLaneBytesMax = corotracer::kLaneRecordsMax * sizeof(corotracer::LaneRecord);
inline constexpr std::uint64_t kLanePoolMin = 2 * kLaneBytesMin;
inline constexpr std::uint64_t kLanePoolMax = 1ULL << 40;

struct RegionSpec {
    std::string path;  ///< empty: a fresh name in chooseRegionPlace()
    /// At most so many coroutines at a time, of version-1 probes and of ours each. Memory is taken as it is needed.
    std::uint32_t stations = corotracer::kMostStations;
    /// All of them get memory before anybody comes, as far as there is room, for version-1 probes that bear faster than
    /// an engine can look; else the first 32,768, and more while they are used.
    bool stationsAtStart = false;
    bool lanes = true;                      ///< false: our probe writes full stations too
    std::uint64_t laneBytes = 16ULL << 20;  ///< of one thread; rounded down to a power of two
    std::uint64_t lanePoolBytes =
        512ULL << 20;                   ///< of all threads together; each lane takes at most 1/32 of what is left
    std::uint32_t laneRetentionMs = 0;  ///< how long an ended thread's lane is kept from the next one
};

class Region {
public:
    /// Creates the file (O_EXCL, O_NOFOLLOW, 0600), locks it, writes header and extension.
    static Result<Region> create(const RegionSpec &spec);
    /// Opens an existing file: owner (for PostMortem: evidence, under a shared lock) when it carries our extension, is
    /// ours and nobody holds the lock, else observer.
    static Result<Region> open(const std::string &path, RegionUse use = RegionUse::Harvest);

    Region(Region &&) noexcept;
    Region &operator=(Region &&) noexcept;
    ~Region();  ///< unmaps and unlocks; the file stays

    const std::string &path() const;
    RegionAccess access() const;
    /// Why we only observe: "owned by process 123", "not created by corotracer-gui", "read-only file"; empty for an
    /// owner.
    const std::string &observerReason() const;
    bool hasExtension() const;  ///< validated, so that sites can be read
    bool isAdopted() const;     ///< opened, not created: targets may hold connections to an engine that is gone
    /// What the user should know about the place: second best, or room for fewer stations than asked for; or empty.
    const std::string &warning() const;

    const corotracer::GlobalHeader &header() const;
    corotracer::GlobalHeader *writableHeader();  ///< nullptr for an observer
    /// Stations that the file really holds; every index below it may be addressed.
    std::uint32_t stationCapacity() const;
    const corotracer::StationData &station(std::uint32_t index) const;
    /// Both inside the file; empty without the extension. The records are untrusted.
    std::span<const corotracer::SiteRecord> siteRecords() const;
    std::span<const char> siteStrings() const;

    // The areas of the extension; each inside the file, empty without it. All of their contents are untrusted.
    std::uint32_t laneMode() const;  ///< corotracer::kLanesNone without the extension
    std::span<const corotracer::ProcessEntry> processes() const;
    std::span<const corotracer::LaneHeader> laneDirectory() const;
    std::span<const corotracer::StateLine> lines() const;   ///< only those below line_count have memory behind them
    std::span<const corotracer::BirthLine> births() const;  ///< of the same size
    /// A lane of the directory, its place checked against the pool; nullopt when it lies elsewhere.
    std::optional<LaneView> lane(std::uint32_t index) const;
    // The same for writing; empty or null for an observer.
    std::span<corotracer::ProcessEntry> writableProcesses();
    std::span<corotracer::LaneHeader> writableLanes();
    std::span<corotracer::StateLine> writableLines();
    std::span<corotracer::BirthLine> writableBirths();
    corotracer::StationData *writableStation(std::uint32_t index);

    /// Owner: keeps room ahead of version-1 probes. Commits memory and then raises max_stations (release; partner: the
    /// probes' loads at birth), so that at least max(32 Ki, a half) of what is allocated is free, up to the reserved
    /// number. NoSpace when the file system is full: what there is stays, and later calls try again now and then.
    Result<void> growStations();
    /// Births that found no station because more were born between two calls of growStations() than it keeps free. Room
    /// from the start, RegionSpec::stationsAtStart, would have helped. An upper bound: probes of the extension may
    /// offer themselves the stations that they did not find.
    std::uint64_t overtakenBirths() const;
    /// Bytes that are free in its file system; ~0 without a limit.
    std::uint64_t freeBytes() const;
    /// Bytes of memory that the file takes at present.
    std::uint64_t committedBytes() const;
    /// False once the file is shorter than what we mapped: touching the mapping would be a SIGBUS.
    bool isWhole() const;

    Result<void> remove();  ///< unlinks the file, and a socket beside it that nobody listens on

private:
    struct Data;
    explicit Region(std::unique_ptr<Data> data);
    std::unique_ptr<Data> m_data;
};

/// Socket path that belongs to a region path; an error when it is longer than kSocketPathMax.
Result<std::string> socketPathFor(const std::string &regionPath);

}  // namespace ct
