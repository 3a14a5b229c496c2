// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The cTP memory layout: version 1 byte for byte, and this project's extension, which lives only in
// places that version 1 reserves. docs/ctp.md draws it; the static_asserts below hold it.
//
//   file:  0          GlobalHeader (1024)        version 1 at 0x000, ExtensionHeader at 0x040
//          1024       StationData [stations_reserved]
//          ...        SiteRecord [site_capacity]          at site_table_offset
//          ...        string bytes [strings_capacity]     at strings_offset
//
// Every multi-byte field is little-endian. All fields that both sides touch are atomics, so that both
// sides are free of data races in the language's sense; on x86-64 they compile to plain moves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// A Qt program without QT_NO_KEYWORDS defines `slots` away; the protocol's own word wins here.
#pragma push_macro("slots")
#undef slots

namespace corotracer {

inline constexpr std::uint64_t kMagic = 0x434F524F54524352ULL;           ///< GlobalHeader::magic_number
inline constexpr std::uint32_t kVersion = 1;                             ///< GlobalHeader::version
inline constexpr std::uint64_t kExtensionMagic = 0x3130545845505443ULL;  ///< "CTPEXT01"
inline constexpr std::uint32_t kExtensionVersion = 1;
inline constexpr std::uint32_t kStationMark = 0x31505443U;  ///< "CTP1": written by this project's probe
inline constexpr std::size_t kSlotsPerStation = 8;
inline constexpr std::size_t kHeaderSize = 1024;
inline constexpr std::size_t kStationSize = 1024;
/// Largest station count that the known C++ SDK maps without overflowing its `int` arithmetic.
inline constexpr std::uint32_t kMaxStations = 2'097'151;
inline constexpr std::size_t kSocketPathMax = 100;  ///< bytes, without the terminating zero

/// Values of StationExtension::dialect.
enum : std::uint32_t { kDialectUnknown = 0, kDialectSeqlock = 1, kDialectMonotonic = 2 };

/// Values of Epoch::kind: which sort of suspension point a transition belongs to.
enum : std::uint8_t { kAwaitPoint = 0, kInitialSuspend = 1, kFinalSuspend = 2, kYieldPoint = 3 };

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<std::uint8_t>::is_always_lock_free);

/// One transition. Written only by the thread that runs the coroutine; read by the engine at any time.
///
/// Order (seqlock dialect): seq odd (relaxed), payload (release each), seq even (seq_cst; partner: the
/// engine's acquire load of seq, and its store to GlobalHeader::tracer_sleeping for the wake-up. Where
/// ExtensionHeader::engine_fences is set: release, and the engine's membarrier is the fence of both sides).
struct alignas(64) Epoch {
    std::atomic<std::uint64_t> timestamp;  ///< ns, CLOCK_MONOTONIC
    std::atomic<std::uint64_t> tid;        ///< OS thread id
    std::atomic<std::uint64_t> addr;       ///< instruction address or frame pointer; 0 on a resume
    std::atomic<std::uint64_t> seq;        ///< see docs/ctp.md, "two dialects"
    std::atomic<std::uint32_t> site;       ///< extension: id of the suspension point, 0 = unknown
    std::atomic<std::uint8_t> kind;        ///< extension: kAwaitPoint ... kYieldPoint
    char reserved[26];
    std::atomic<std::uint8_t> is_active;  ///< 1 running, 0 suspended
};

struct StationHeader {
    std::atomic<std::uint64_t> probe_id;  ///< promise address or counter; gets reused
    std::atomic<std::uint64_t> birth_ts;  ///< ns, CLOCK_MONOTONIC; stored last at birth (release), 0 = not born
    std::atomic<std::uint8_t> is_dead;    ///< stored last at death (release)
    char pad[47];
};

/// What this project's probe adds to a station; all zero under a version-1 probe.
struct StationExtension {
    std::atomic<std::uint32_t> mark;        ///< kStationMark when the rest is valid
    std::atomic<std::uint32_t> dialect;     ///< kDialectSeqlock
    std::atomic<std::uint32_t> pid;         ///< process that owns the station
    std::atomic<std::uint32_t> generation;  ///< 0; reserved for station recycling
    std::atomic<std::uint64_t> death_ts;    ///< ns, CLOCK_MONOTONIC; valid once is_dead is set
};

struct alignas(1024) StationData {
    StationHeader header;
    Epoch slots[kSlotsPerStation];
    StationExtension extension;
    char flexible[448 - sizeof(StationExtension)];
};

/// Announced by `magic` in the version-1 header's reserved area. Written by the creator of the region before
/// the file is visible to any target, except for the fields marked atomic. Untrusted to every reader.
struct ExtensionHeader {
    std::uint64_t magic;              // 0x040  kExtensionMagic
    std::uint32_t version;            // 0x048
    std::uint32_t size;               // 0x04C  sizeof(ExtensionHeader) of the writer
    std::uint64_t file_size;          // 0x050  bytes
    std::uint64_t stations_reserved;  // 0x058  max_stations never exceeds it
    std::uint64_t site_table_offset;  // 0x060  bytes from the start of the file
    std::uint32_t site_capacity;      // 0x068  records
    std::uint32_t site_record_size;   // 0x06C  sizeof(SiteRecord)
    std::uint64_t strings_offset;     // 0x070  bytes from the start of the file
    std::uint64_t strings_capacity;   // 0x078  bytes
    // Written by probes, rarely.
    std::atomic<std::uint32_t> site_count;  // 0x080  fetch_add; index < site_capacity owns the record; id = index + 1
    std::atomic<std::uint32_t> sites_dropped;     // 0x084  registrations that found no room
    std::atomic<std::uint64_t> strings_used;      // 0x088  fetch_add; may exceed strings_capacity
    std::atomic<std::uint64_t> born_before_init;  // 0x090  coroutines born before InitTracer
    std::uint64_t pad_probe[5];
    // Written by the engine.
    std::atomic<std::uint64_t> allocated_wrapped;  // 0x0C0  stations subtracted from allocated_count so far
    std::uint64_t created_monotonic_ns;            // 0x0C8  CLOCK_MONOTONIC and
    std::uint64_t created_realtime_ns;             // 0x0D0  CLOCK_REALTIME, read together at creation
    std::atomic<std::uint32_t> engine_pid;         // 0x0D8  the owner, for people; ownership itself is the file lock
    /// 0x0DC  1: before it sleeps, the engine issues membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) between its store to
    /// tracer_sleeping and its rescan, so that registered probes may publish with a release store instead of a seq_cst
    /// one. A property of the region, written at its creation: every engine that adopts the region keeps to it.
    std::uint32_t engine_fences;
    std::uint32_t pad_engine[8];
};

struct alignas(1024) GlobalHeader {
    std::uint64_t magic_number;                  // 0x00
    std::uint32_t version;                       // 0x08
    std::atomic<std::uint32_t> max_stations;     // 0x0C
    std::atomic<std::uint32_t> allocated_count;  // 0x10  fetch_add; index < max_stations owns the station
    std::atomic<std::uint32_t> tracer_sleeping;  // 0x14  1 = the engine waits on the socket
    char reserved_v1[0x40 - 0x18];
    ExtensionHeader extension;  // 0x40
    char reserved[1024 - 0x40 - sizeof(ExtensionHeader)];
};

/// One suspension point. Filled by its owner, then published by ready = 1 (release; partner: the engine's
/// acquire load). Offsets count from the start of the string bytes; strings have no terminator.
struct alignas(64) SiteRecord {
    std::atomic<std::uint32_t> ready;
    std::uint32_t line;    ///< 1-based, 0 = unknown
    std::uint32_t column;  ///< 1-based, 0 = unknown
    std::uint32_t file_length;
    std::uint64_t file_offset;
    std::uint64_t function_offset;
    std::uint32_t function_length;
    char pad[28];
};

static_assert(sizeof(Epoch) == 64 && alignof(Epoch) == 64);
static_assert(offsetof(Epoch, timestamp) == 0x00 && offsetof(Epoch, tid) == 0x08 && offsetof(Epoch, addr) == 0x10);
static_assert(offsetof(Epoch, seq) == 0x18 && offsetof(Epoch, site) == 0x20 && offsetof(Epoch, is_active) == 0x3F);
static_assert(sizeof(StationHeader) == 64 && offsetof(StationHeader, is_dead) == 0x10);
static_assert(sizeof(StationData) == kStationSize && alignof(StationData) == 1024);
static_assert(offsetof(StationData, slots) == 0x40 && offsetof(StationData, extension) == 0x240);
static_assert(sizeof(GlobalHeader) == kHeaderSize && offsetof(GlobalHeader, max_stations) == 0x0C);
static_assert(offsetof(GlobalHeader, allocated_count) == 0x10 && offsetof(GlobalHeader, tracer_sleeping) == 0x14);
static_assert(offsetof(GlobalHeader, extension) == 0x40);
static_assert(offsetof(ExtensionHeader, site_count) == 0x80 - 0x40);
static_assert(offsetof(ExtensionHeader, allocated_wrapped) == 0xC0 - 0x40 && sizeof(ExtensionHeader) == 0xC0);
static_assert(offsetof(ExtensionHeader, engine_fences) == 0xDC - 0x40);
static_assert(sizeof(SiteRecord) == 64);

}  // namespace corotracer

#pragma pop_macro("slots")
