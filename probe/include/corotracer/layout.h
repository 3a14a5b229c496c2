// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The memory layout of cTP: version 1 byte for byte, and this project's extension. The extension uses only bytes that
// version 1 reserves. docs/ctp.md describes the protocol; the static_asserts below check the layout.
//
//     file:  0          GlobalHeader (1024 bytes)                 version 1 at 0x000, ExtensionHeader at 0x040
//            1024       StationData [stations_reserved]
//            ...        SiteRecord [site_capacity]                at site_table_offset
//            ...        string bytes [strings_capacity]           at strings_offset
//            ...        ProcessEntry [process_capacity]           at process_table_offset
//            ...        LaneHeader [lane_capacity]                at lane_directory_offset
//            ...        CompactState [compact_stations_reserved]  at states_offset
//            ...        CompactBirth [compact_stations_reserved]  at births_offset
//            ...        lane pool [lane_pool_size bytes]          at lane_pool_offset
//
// ExtensionHeader::lane_mode says whether a region has lanes. With lanes, a coroutine of this project's probe has a
// compact station: one CompactState and one CompactBirth. Its events go to the lane of the thread that runs it. Without
// lanes it has a full station (StationData), like a version-1 coroutine. Version-1 probes always use StationData.
//
// All multi-byte fields are little-endian. Fields that both sides access are atomics, so neither side has a data race
// in the language's sense. On x86-64 they compile to plain moves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// A Qt program without QT_NO_KEYWORDS defines `slots` as an empty macro. Here it is the protocol's own name.
#pragma push_macro("slots")
#undef slots

namespace corotracer {

inline constexpr std::uint64_t kMagic = 0x434F524F54524352ULL;           ///< GlobalHeader::magic_number
inline constexpr std::uint32_t kVersion = 1;                             ///< GlobalHeader::version
inline constexpr std::uint64_t kExtensionMagic = 0x3130545845505443ULL;  ///< "CTPEXT01"
inline constexpr std::uint32_t kExtensionVersion = 2;
inline constexpr std::uint32_t kStationMark = 0x31505443U;  ///< "CTP1": a probe of the extension uses the station
inline constexpr std::size_t kSlotsPerStation = 8;
inline constexpr std::size_t kHeaderSize = 1024;
inline constexpr std::size_t kStationSize = 1024;
/// Limit of the stations of one kind in a region. Readers refuse a region whose header claims more.
inline constexpr std::uint32_t kMaxStations = 2'097'151;
/// Most full stations that an engine offers. The existing C++ SDK computes 1024 + n * 1024 as a 32-bit int. One more
/// station overflows it: its mmap(2) fails, and the program runs untraced.
inline constexpr std::uint32_t kMostStations = 2'097'150;
/// Limits of the other counts in a header. The file is sparse, so its size limits no count. A reader that trusted a
/// huge count would allocate memory for each entry.
inline constexpr std::uint32_t kMaxSites = 0xF'FFFF;  ///< the id of a site has 20 bits in LaneRecord::commit
inline constexpr std::uint32_t kMaxProcesses = 65'536;
inline constexpr std::uint32_t kMaxLanes = 65'536;  ///< each lane needs at least 68 KiB
/// Number of the first compact station in the decoded stream, which has full and compact stations.
inline constexpr std::uint32_t kCompactBase = 0x20'0000;
inline constexpr std::size_t kSocketPathMax = 100;  ///< bytes, without the terminating zero

/// Values of StationExtension::dialect.
enum : std::uint32_t { kDialectUnknown = 0, kDialectSeqlock = 1, kDialectMonotonic = 2 };

/// Values of Epoch::kind: the kind of suspension point.
enum : std::uint8_t { kAwaitPoint = 0, kInitialSuspend = 1, kFinalSuspend = 2, kYieldPoint = 3 };

/// Values of ExtensionHeader::lane_mode.
enum : std::uint32_t {
    kLanesNone = 0,
    kLanesDiscard = 1,    ///< a full lane drops new records; an engine drains it
    kLanesOverwrite = 2,  ///< a full lane overwrites its oldest records: the flight recorder
};

/// Values of GlobalHeader::tracer_sleeping. Version-1 probes know only 0 and 1, and treat 2 as 0.
enum : std::uint32_t { kEngineAwake = 0, kEngineSleeps = 1, kEnginePaused = 2 };

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<std::uint8_t>::is_always_lock_free);

/// One event in a full station. Written only by the thread that runs the coroutine; read by the engine at any time.
///
/// Order (seqlock dialect): seq odd (relaxed), payload (release each), seq even (seq_cst). Partners: the engine's
/// acquire loads of seq and payload; for the wake-up, its seq_cst store to GlobalHeader::tracer_sleeping and seq_cst
/// load of seq. Where ExtensionHeader::engine_fences is set, release is enough for the even seq of a registered probe:
/// the engine's membarrier(2) is the fence for both sides.
struct alignas(64) Epoch {
    std::atomic<std::uint64_t> timestamp;  ///< ns, CLOCK_MONOTONIC
    std::atomic<std::uint64_t> tid;        ///< OS thread id
    std::atomic<std::uint64_t> addr;       ///< instruction address or frame pointer; usually 0 on a resumption
    std::atomic<std::uint64_t> seq;        ///< see docs/ctp.md, "Two dialects of seq"
    std::atomic<std::uint32_t> site;       ///< extension: id of the suspension point, 0 = unknown
    std::atomic<std::uint8_t> kind;        ///< extension: kAwaitPoint ... kYieldPoint
    char reserved[26];
    std::atomic<std::uint8_t> is_active;  ///< 1 running, 0 suspended
};

/// First 64 bytes of a full station.
struct StationHeader {
    std::atomic<std::uint64_t> probe_id;  ///< promise address or counter; values repeat
    std::atomic<std::uint64_t> birth_ts;  ///< ns, CLOCK_MONOTONIC; stored last at birth (release), 0 = not born
    std::atomic<std::uint8_t> is_dead;    ///< stored last at death (release)
    char pad[47];
};

/// Extension of a full station; all zero under a version-1 probe.
struct StationExtension {
    std::atomic<std::uint32_t> mark;        ///< kStationMark: the other fields are valid; stored before birth_ts
    std::atomic<std::uint32_t> dialect;     ///< kDialectSeqlock
    std::atomic<std::uint32_t> pid;         ///< process of the coroutine
    std::atomic<std::uint32_t> generation;  ///< number of coroutines that used the station before
    std::atomic<std::uint64_t> death_ts;    ///< ns, CLOCK_MONOTONIC; valid once is_dead is set
    std::atomic<std::uint64_t> gen_start;   ///< events of all earlier generations; event numbers continue from it
    std::atomic<std::uint32_t> next_free;   ///< index + 1 of the next free station in the stack, 0 = last
    std::uint32_t pad;
};

/// Full station of one coroutine, 1024 bytes: its last eight events.
struct alignas(1024) StationData {
    StationHeader header;
    Epoch slots[kSlotsPerStation];
    StationExtension extension;
    char flexible[448 - sizeof(StationExtension)];
};

/// Header of the extension, announced by `magic` in the area that version 1 reserves. The creator of the region writes
/// it before GlobalHeader::magic_number. Later only the atomic fields change. Untrusted for every reader.
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
    std::atomic<std::uint32_t> site_count;  // 0x080  fetch_add; index < site_capacity owns that record; id = index + 1
    std::atomic<std::uint32_t> sites_dropped;     // 0x084  registrations that found no room
    std::atomic<std::uint64_t> strings_used;      // 0x088  bytes; raised by fetch_add; may exceed strings_capacity
    std::atomic<std::uint64_t> born_before_init;  // 0x090  coroutines born before InitTracer
    /// 0x098  Processes that are untraced because they cannot map the region. Such a process maps only the header to
    /// count itself.
    std::atomic<std::uint32_t> processes_unmapped;
    std::atomic<std::uint32_t> processes_partly_mapped;  // 0x09C  processes with address space for a part only
    std::uint64_t pad_probes[4];
    // Written by the engine.
    std::atomic<std::uint64_t> allocated_wrapped;  // 0x0C0  stations subtracted from allocated_count so far
    std::uint64_t created_monotonic_ns;            // 0x0C8  CLOCK_MONOTONIC at creation
    std::uint64_t created_realtime_ns;             // 0x0D0  CLOCK_REALTIME at the same moment
    std::atomic<std::uint32_t> engine_pid;  // 0x0D8  the owner, for display only; the file lock decides ownership
    /// 0x0DC  1: before it sleeps, the engine calls membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) between its store to
    /// tracer_sleeping and its pass. So registered probes may publish with release instead of seq_cst. Written once, at
    /// creation: every engine that adopts the region keeps to it.
    std::uint32_t engine_fences;
    std::uint32_t pad_engine[8];
    // Written by the creator: the areas of lanes. Offsets are in bytes from the start of the file, multiples of 4096.
    std::uint64_t process_table_offset;       // 0x100
    std::uint64_t lane_directory_offset;      // 0x108
    std::uint64_t states_offset;              // 0x110
    std::uint64_t births_offset;              // 0x118
    std::uint64_t lane_pool_offset;           // 0x120
    std::uint64_t lane_pool_size;             // 0x128  bytes: all lanes together
    std::uint32_t process_capacity;           // 0x130
    std::uint32_t lane_capacity;              // 0x134  entries of the directory
    std::uint32_t compact_stations_reserved;  // 0x138  number of compact stations
    std::uint32_t lane_mode;                  // 0x13C  kLanesNone ...
    // 0x140  Records of a new lane: a power of two, 2048 ... 2^22; less where room is short.
    std::uint32_t lane_records;
    std::uint32_t lane_retention_ms;  // 0x144  time before the lane of an ended thread is used again, in both modes
    std::uint64_t created_counter;    // 0x148  counter at created_monotonic_ns, 0 = unknown
    std::uint64_t created_mult;       // 0x150  reserved, 0: created_... and pair_... together give the rate
    /// 0x158  1: readers load LaneHeader::records at every visit, so a producer may lower it. Written by the creator.
    std::uint32_t lanes_shrink;
    std::uint32_t pad_lanes;
    std::uint64_t pad_areas[4];
    // Written by probes, at births and thread starts.
    /// 0x180  Compact stations ever allocated. Raised by compare-exchange, and only once the next index has memory.
    std::atomic<std::uint32_t> compact_station_count;
    /// 0x184  Compact stations that have memory; only ever raised.
    std::atomic<std::uint32_t> compact_stations_committed;
    /// 0x188  Stack of free compact stations: tag (32, high) | index + 1 (32, low), 0 = empty.
    std::atomic<std::uint64_t> free_compact_stations;
    std::atomic<std::uint64_t> births_without_station;  // 0x190  coroutines that found no compact station
    std::atomic<std::uint64_t> births_while_off;        // 0x198  coroutines born while tracing was off or paused
    std::atomic<std::uint64_t> lane_pool_used;  // 0x1A0  bytes; raised by compare-exchange; a lane's bytes never return
    std::atomic<std::uint32_t> lane_count;      // 0x1A8  entries of the directory in use
    std::atomic<std::uint32_t> threads_without_lane;  // 0x1AC  each thread counts once
    std::atomic<std::uint64_t> records_without_lane;  // 0x1B0  records that these threads did not write
    std::atomic<std::uint64_t> names_dropped;         // 0x1B8  names without room, or without the lock
    // Written by the engine; probes pop free_stations.
    /// 0x1C0  Stack of free full stations, as free_compact_stations; has only drained stations.
    std::atomic<std::uint64_t> free_stations;
    /// 0x1C8  Seqlock around the next three fields, odd while they are written; 0 = never written. The owner writes
    /// about once a second, in overwrite mode processes write as well. calendartime.h has the memory order.
    std::atomic<std::uint64_t> pair_seq;
    std::atomic<std::uint64_t> pair_counter;
    std::atomic<std::uint64_t> pair_monotonic_ns;
    std::atomic<std::uint64_t> pair_realtime_ns;
    std::uint64_t pad_end[3];
};

/// First 1024 bytes of a region. `magic_number` is stored last by the creator.
struct alignas(1024) GlobalHeader {
    std::uint64_t magic_number;                  // 0x00
    std::uint32_t version;                       // 0x08
    std::atomic<std::uint32_t> max_stations;     // 0x0C  full stations offered; only ever raised (release)
    std::atomic<std::uint32_t> allocated_count;  // 0x10  fetch_add; index < max_stations owns that station
    std::atomic<std::uint32_t> tracer_sleeping;  // 0x14  kEngineAwake ...
    char reserved_v1[0x40 - 0x18];
    ExtensionHeader extension;  // 0x40
    char reserved[1024 - 0x40 - sizeof(ExtensionHeader)];
};

/// One suspension point. Its owner fills it, then publishes it with ready = 1 (release; partner: the engine's acquire
/// load). String offsets count bytes from the start of the string bytes; lengths are in bytes, without a terminator.
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

/// State record of a compact station, 64 bytes: the present state of one coroutine. Written by the thread that runs it.
///
/// Order: seq odd (relaxed), then ts, addr, what, tid (release each), then seq even (release or stronger). Partner: the
/// reader's acquire loads of seq and payload, after which it reloads seq. life is stored last at birth and at death
/// (release; partner: acquire).
struct alignas(64) CompactState {
    std::atomic<std::uint64_t> seq;       ///< 0x00  2 * events of this generation; odd while an event is written
    std::atomic<std::uint64_t> ts;        ///< 0x08  latest event: raw clock of the process (ProcessEntry::clock_kind)
    std::atomic<std::uint64_t> addr;      ///< 0x10  latest event: as Epoch::addr
    std::atomic<std::uint64_t> what;      ///< 0x18  latest event: site (bits 0..31) | kind of its record (bits 32..39)
    std::atomic<std::uint64_t> tid;       ///< 0x20  latest event: OS thread id
    std::atomic<std::uint64_t> life;      ///< 0x28  generation (32, high) | kCompactFree ... (32, low)
    std::atomic<std::uint64_t> death_ts;  ///< 0x30  raw clock; valid when dead
    /// 0x38  raw clock: when the coroutine finished without a traced final suspension; 0 = it has not
    std::atomic<std::uint64_t> finished_ts;
};

/// Values of the low half of CompactState::life.
enum : std::uint32_t {
    kCompactFree = 0,  ///< never used, freed by the engine, or claimed and not yet born
    kCompactAlive = 1,
    /// Dead. A record of the birth, a name, the parent or the death is missing in the lanes: no room, or tracing was
    /// off or paused. The engine frees the station after it has read it. Never in overwrite mode.
    kCompactDead = 2,
    /// Dead. In discard mode, lanes have all its records. In a stack of free stations, or retired (last generation).
    kCompactRecycled = 3,
};

/// Birth record of a compact station, 64 bytes. Written at birth, before CompactState::life. name and parent are also
/// stored at each change (release; partner: the reader's acquire), before their lane record.
struct alignas(64) CompactBirth {
    std::atomic<std::uint64_t> probe_id;   ///< 0x00  promise address
    std::atomic<std::uint64_t> birth_ts;   ///< 0x08  raw clock of the process
    std::atomic<std::uint64_t> name;       ///< 0x10  string: offset (48, high) | length (16); 0 = none
    std::atomic<std::uint64_t> parent;     ///< 0x18  identity of the parent, kNoIdentity = none
    std::atomic<std::uint32_t> process;    ///< 0x20  index in the process table
    std::atomic<std::uint32_t> next_free;  ///< 0x24  index + 1 of the next free station in the stack, 0 = last
    /// 0x28  Events of all earlier generations. With CompactState::seq / 2, all events that the station ever had. The
    /// claim of the station updates it, right before it stores seq = 0.
    std::atomic<std::uint64_t> events_before;
    char pad[16];
};

/// Identity of a coroutine in a region with lanes: generation (32, high) | index of the compact station (32, low).
/// kNoIdentity: none.
inline constexpr std::uint64_t kNoIdentity = ~std::uint64_t{0};

/// One record of a lane, 32 bytes. commit is stored last. Probes store all fields with release (partner: the reader's
/// acquire loads). In overwrite mode the reader needs this for the payload, too; see LaneHeader.
struct LaneRecord {
    std::atomic<std::uint64_t> ts;        ///< 0x00  raw clock of the process
    std::atomic<std::uint64_t> identity;  ///< 0x08  of the coroutine; in a drop record: number of dropped records
    std::atomic<std::uint64_t> arg;       ///< 0x10  depends on the kind
    std::atomic<std::uint64_t> commit;    ///< 0x18  n (32, high) | site (20) | kind (8) | lap (4)
};

/// Kinds of record: the kind bits of LaneRecord::commit. The low 4 bits of a suspension or resumption are the kind of
/// its point (kAwaitPoint ...).
enum : std::uint8_t {
    kRecordSuspend = 0x10,     ///< arg: addr; n: the event's number, low 32 bits
    kRecordResume = 0x20,      ///< arg: addr, usually 0; n: the event's number, low 32 bits
    kRecordBirth = 0x30,       ///< arg: probe_id
    kRecordDeath = 0x31,       ///< n: number of the coroutine's events, low 32 bits
    kRecordFinished = 0x32,    ///< finished without a traced final suspension; n: number of its events; site
    kRecordDrops = 0x40,       ///< ts, arg: raw clock of the first and last dropped record; identity: their number
    kRecordName = 0x50,        ///< arg: string
    kRecordThreadName = 0x51,  ///< arg: string; identity: kNoIdentity
    kRecordParent = 0x52,      ///< arg: identity of the creator
    kRecordWake = 0x60,  ///< identity: the woken one; n: its events as the waker saw them; arg: the waker's identity
    /// identity: the coroutine that used the object, kNoIdentity = unknown; arg: address of the object; n: its events
    /// so far; site: of the use
    kRecordAcquired = 0x61,
    kRecordReleased = 0x62,    ///< as kRecordAcquired
    kRecordSignalled = 0x63,   ///< as kRecordAcquired
    kRecordWakersLeft = 0x64,  ///< arg: number of wakers left; n: the coroutine's events so far
    /// low 4 bits: kWaitUnknown ...; arg: object; n: number of the suspension that waits; site: wait_part
    kRecordWaitsOn = 0x70,
    kRecordSwitchOff = 0x80,  ///< tracing goes off or is paused in this process
    kRecordSwitchOn = 0x81,
};

/// Kinds of wait: the low 4 bits of a kRecordWaitsOn. Its arg is an address, a file descriptor, a deadline in ns of
/// CLOCK_MONOTONIC, or the identity of a coroutine.
enum : std::uint8_t {
    kWaitUnknown = 0,
    kWaitLock = 1,
    kWaitChannel = 2,
    kWaitDescriptor = 3,
    kWaitTimer = 4,
    kWaitCoroutine = 5,
    kWaitOther = 6,
};

/// Bits of a kRecordWaitsOn where other records have the site. 0: the suspension waits for this object alone. Otherwise
/// it waits for several objects, each with its own record, in the order of `index` (from 0): for all of them, or for
/// any.
constexpr std::uint32_t wait_part(std::uint32_t index, bool for_all)
{
    return 2 * index + (for_all ? 2 : 1);
}
inline constexpr std::uint32_t kWaitPartsMax = 1U << 18;  ///< objects of one wait

inline constexpr std::uint32_t kLaneBlock = 1024;  ///< records per block
inline constexpr std::uint32_t kLaneRecordsMin = 2 * kLaneBlock;
inline constexpr std::uint32_t kLaneRecordsMax = 1U << 22;
inline constexpr std::uint32_t kLaneLaps = 15;

/// Lap of a position, 1 ... 15, as the commit of its record carries it. Lap 0 is memory that was never written.
constexpr std::uint64_t lane_lap(std::uint64_t position, std::uint32_t records)
{
    return position / records % kLaneLaps + 1;
}
constexpr std::uint64_t lane_commit(std::uint64_t n, std::uint32_t site, std::uint8_t kind, std::uint64_t lap)
{
    return n << 32 | std::uint64_t{site & 0xF'FFFFU} << 12 | std::uint64_t{kind} << 4 | lap;
}

/// Values of LaneHeader::state.
enum : std::uint32_t {
    kLaneFree = 0,    ///< drained; a thread may claim it (compare-exchange to kLaneMaking, acquire)
    kLaneActive = 1,  ///< belongs to a thread
    kLaneClosed = 2,  ///< its thread has ended (release); in discard mode the engine drains and then frees it (release)
    kLaneMaking = 3,  ///< being claimed or made: its new thread has written no record yet
};

/// Header of a lane: a ring with one producer, the thread that claimed it, and one reader, the engine. Positions count
/// the lane's records over all its threads and never decrease. Record p lies in slot p % records and carries
/// lane_lap(p). There is no shared head: the reader polls the commit of the slot at its position. In discard mode, a
/// thread that claims a free lane continues at `tail`.
///
/// Shrinking: in the first lap, the producer may find no memory for slot `committed`. Then it stores `records` =
/// `committed` (release) before the record of that position, which becomes slot 0 of lap 2. All earlier records have
/// the same slot and lap for both values of `records`. A reader with the old value reads correctly below `committed`,
/// and finds nothing new there.
///
/// Discard mode: the producer may write while position < tail + records.
///
/// Overwrite mode: before the first record of a block (kLaneBlock records), the producer stores the block's number,
/// position / kLaneBlock + 1, into block_numbers[block % blocks]. The store is relaxed; the records after it are stored
/// with release. A reader copies a block's records between two equal readings of its number.
struct alignas(256) LaneHeader {
    // Written by the thread that claims the lane, before `state`.
    std::atomic<std::uint32_t> state;    ///< 0x00
    std::atomic<std::uint32_t> process;  ///< 0x04  index in the process table
    std::atomic<std::uint64_t> tid;      ///< 0x08  OS thread id
    std::atomic<std::uint64_t> offset;   ///< 0x10  of slot 0 in the file, bytes, a multiple of 4096; fixed
    std::atomic<std::uint32_t> records;  ///< 0x18  whole blocks; a power of two until lowered, once; 0 = never made
    std::atomic<std::uint32_t> claims;   ///< 0x1C  number of threads that had the lane, this one included
    std::atomic<std::uint64_t> block_numbers_offset;  ///< 0x20  of u64[records / kLaneBlock] in the file, bytes; fixed
    std::atomic<std::uint64_t> begin;                 ///< 0x28  position of this thread's first record
    std::atomic<std::uint64_t> thread_name;           ///< 0x30  string, 0 = none
    std::atomic<std::uint64_t> closed_ts;             ///< 0x38  ns, CLOCK_MONOTONIC, at the thread's end; 0 = open
    // Written by the producer, rarely.
    std::atomic<std::uint64_t> dropped;    ///< 0x40  records that a full lane refused, over all its threads
    std::atomic<std::uint32_t> committed;  ///< 0x48  slots from 0 that have memory; only ever raised (release)
    char pad_producer[0x80 - 0x4C];
    // Written by the reader.
    std::atomic<std::uint64_t> tail;  ///< 0x80  discard mode: position read next (release; partner: acquire)
    char pad_reader[0x100 - 0x88];
};

/// Values of ProcessEntry::state.
enum : std::uint32_t {
    kProcessFree = 0,
    kProcessMaking = 1,
    kProcessActive = 2,
    kProcessEnded = 3,  ///< the process began again after exec; the engine drains and then frees the entry
};

/// Values of ProcessEntry::clock_kind: the unit of the process's raw clocks. It only ever changes from kClockCounter to
/// kClockGivenUp.
enum ClockKind : std::uint32_t {
    kClockMonotonic = 0,  ///< ns of CLOCK_MONOTONIC
    kClockCounter = 1,    ///< ticks of the counter
    /// The counter contradicted CLOCK_MONOTONIC. Raw clocks are CLOCK_MONOTONIC converted to ticks: by the straight
    /// line through (init_counter, init_ns) with the slope mult, which is the counter's last trusted rate.
    kClockGivenUp = 2,
};

/// Entry of the process table: one process that writes. InitTracer fills it, then stores `state` (release; partner: the
/// engine's acquire load).
struct alignas(256) ProcessEntry {
    std::atomic<std::uint32_t> state;         ///< 0x00  kProcessFree ...
    std::atomic<std::uint32_t> pid;           ///< 0x04
    std::atomic<std::uint64_t> start_ticks;   ///< 0x08  field 22 of /proc/PID/stat; with pid it identifies the process
    std::atomic<std::uint32_t> clock_kind;    ///< 0x10  a ClockKind
    std::atomic<std::uint32_t> switched_off;  ///< 0x14  1: the program called corotracer::enable(false)
    std::atomic<std::uint64_t> init_ns;       ///< 0x18  CLOCK_MONOTONIC at InitTracer
    std::atomic<std::uint64_t> init_counter;  ///< 0x20  the counter at the same moment; 0 without a counter
    std::atomic<std::uint64_t> mult;      ///< 0x28  ns per counter tick, 32 bits after the point; 0 without a counter
    std::atomic<std::uint64_t> late_seq;  ///< 0x30  seqlock around the latest pair of clocks, odd while it is written
    std::atomic<std::uint64_t> late_ns;   ///< 0x38  CLOCK_MONOTONIC of the pair
    std::atomic<std::uint64_t> late_counter;  ///< 0x40  the counter of the pair
    std::atomic<std::uint32_t> name_length;   ///< 0x48  bytes
    std::uint32_t pad0;
    char name[64];  ///< 0x50  file name of the executable, no terminator
    /// 0x90  inode of /proc/self/ns/pid, 0 = unknown. In another namespace, pid means nothing to the engine.
    std::atomic<std::uint64_t> pid_namespace;
    /// 0x98  Identifies the program image: exec changes it; 0 = unknown. One image may have several entries.
    std::atomic<std::uint64_t> image;
    /// 0xA0  init_ns: the object that wrote under this entry was unloaded, and another one of the same image may adopt
    /// the entry. Any other value: no. So a value that an earlier owner of the entry left has no meaning.
    std::atomic<std::uint64_t> abandoned;
    char pad[256 - 0xA8];
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
static_assert(offsetof(ExtensionHeader, allocated_wrapped) == 0xC0 - 0x40 && sizeof(ExtensionHeader) == 0x1C0);
static_assert(offsetof(ExtensionHeader, engine_fences) == 0xDC - 0x40);
static_assert(sizeof(SiteRecord) == 64);
static_assert(offsetof(ExtensionHeader, process_table_offset) == 0x100 - 0x40);
static_assert(offsetof(ExtensionHeader, compact_station_count) == 0x180 - 0x40);
static_assert(offsetof(ExtensionHeader, free_stations) == 0x1C0 - 0x40);
static_assert(offsetof(ExtensionHeader, processes_unmapped) == 0x98 - 0x40);
static_assert(offsetof(ExtensionHeader, processes_partly_mapped) == 0x9C - 0x40);
static_assert(offsetof(ExtensionHeader, lanes_shrink) == 0x158 - 0x40);
static_assert(sizeof(CompactState) == 64 && offsetof(CompactState, life) == 0x28 && sizeof(CompactBirth) == 64);
static_assert(offsetof(CompactState, finished_ts) == 0x38);
static_assert(offsetof(CompactBirth, next_free) == 0x24 && offsetof(CompactBirth, events_before) == 0x28);
static_assert(sizeof(LaneRecord) == 32 && sizeof(LaneHeader) == 256 && sizeof(ProcessEntry) == 256);
static_assert(offsetof(LaneHeader, dropped) == 0x40 && offsetof(LaneHeader, tail) == 0x80);
static_assert(offsetof(ProcessEntry, late_seq) == 0x30 && offsetof(ProcessEntry, name) == 0x50);
static_assert(offsetof(ProcessEntry, image) == 0x98 && offsetof(ProcessEntry, abandoned) == 0xA0);
static_assert(sizeof(StationExtension) == 40);

}  // namespace corotracer

#pragma pop_macro("slots")
