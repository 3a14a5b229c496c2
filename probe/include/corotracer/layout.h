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
//          ...        ProcessEntry [process_capacity]     at process_table_offset
//          ...        LaneHeader [lane_capacity]          at lane_directory_offset
//          ...        StateLine [lines_reserved]          at lines_offset
//          ...        BirthLine [lines_reserved]          at births_offset
//          ...        lane pool [lane_pool_size]          at lane_pool_offset
//
// A region has lanes or it has none (lane_mode). With lanes, a coroutine of this project's probe has a compact station,
// one StateLine and one BirthLine, and its transitions go to the lane of the thread that runs it; without, it has a
// StationData like a version-1 coroutine. Version-1 probes use StationData in either case.
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
inline constexpr std::uint32_t kExtensionVersion = 2;
inline constexpr std::uint32_t kStationMark = 0x31505443U;  ///< "CTP1": written by this project's probe
inline constexpr std::size_t kSlotsPerStation = 8;
inline constexpr std::size_t kHeaderSize = 1024;
inline constexpr std::size_t kStationSize = 1024;
/// A header that claims more stations, of either kind, is refused.
inline constexpr std::uint32_t kMaxStations = 2'097'151;
/// The most that an engine offers. The existing C++ SDK computes 1024 + n * 1024 as a 32-bit int, which one more
/// overflows: its mmap(2) fails, and the program runs untraced.
inline constexpr std::uint32_t kMostStations = 2'097'150;
/// The most that a region may have. Its file is sparse: a count in the header takes no memory, but whoever believes it
/// keeps something of each.
inline constexpr std::uint32_t kMaxSites = 0xF'FFFF;  ///< the id of a site has 20 bits in LaneRecord::commit
inline constexpr std::uint32_t kMaxProcesses = 65'536;
inline constexpr std::uint32_t kMaxLanes = 65'536;  ///< of 68 KiB each at least
/// Compact stations are numbered from here wherever full ones and compact ones meet (in the decoded stream).
inline constexpr std::uint32_t kCompactBase = 0x20'0000;
inline constexpr std::size_t kSocketPathMax = 100;  ///< bytes, without the terminating zero

/// Values of StationExtension::dialect.
enum : std::uint32_t { kDialectUnknown = 0, kDialectSeqlock = 1, kDialectMonotonic = 2 };

/// Values of Epoch::kind: which sort of suspension point a transition belongs to.
enum : std::uint8_t { kAwaitPoint = 0, kInitialSuspend = 1, kFinalSuspend = 2, kYieldPoint = 3 };

/// Values of ExtensionHeader::lane_mode.
enum : std::uint32_t {
    kLanesNone = 0,
    kLanesDiscard = 1,    ///< a full lane drops what is new; an engine drains it
    kLanesOverwrite = 2,  ///< a full lane overwrites what is old: the flight recorder
};

/// Values of GlobalHeader::tracer_sleeping. Version-1 probes know 0 and 1 only, and take 2 for 0.
enum : std::uint32_t { kEngineAwake = 0, kEngineSleeps = 1, kEnginePaused = 2 };

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
    std::atomic<std::uint32_t> generation;  ///< how many coroutines had the station before
    std::atomic<std::uint64_t> death_ts;    ///< ns, CLOCK_MONOTONIC; valid once is_dead is set
    std::atomic<std::uint64_t> gen_start;   ///< events written before this generation; seqs go on from there
    std::atomic<std::uint32_t> next_free;   ///< index + 1 of the next in the stack of free stations, 0 = last
    std::uint32_t pad;
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
    /// 0x098  Processes that are untraced because they could not map the region. Counted through the header alone.
    std::atomic<std::uint32_t> processes_unmapped;
    std::atomic<std::uint32_t> processes_partly_mapped;  // 0x09C  for want of address space
    std::uint64_t pad_probes[4];
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
    // Written by the creator: where the areas lie. Offsets in bytes from the start of the file, multiples of 4096.
    std::uint64_t process_table_offset;   // 0x100
    std::uint64_t lane_directory_offset;  // 0x108
    std::uint64_t lines_offset;           // 0x110
    std::uint64_t births_offset;          // 0x118
    std::uint64_t lane_pool_offset;       // 0x120
    std::uint64_t lane_pool_size;         // 0x128  bytes: all lanes of the session together
    std::uint32_t process_capacity;       // 0x130
    std::uint32_t lane_capacity;          // 0x134  entries of the directory
    std::uint32_t lines_reserved;         // 0x138  compact stations
    std::uint32_t lane_mode;              // 0x13C  kLanesNone ...
    std::uint32_t lane_records;       // 0x140  of a new lane, a power of two, 2048 ... 2^22; less when room is short
    std::uint32_t lane_retention_ms;  // 0x144  how long an ended thread's lane is kept from the next one, in both modes
    std::uint64_t created_counter;    // 0x148  counter at created_monotonic_ns, 0 = unknown
    std::uint64_t created_mult;       // 0x150  reserved, 0: two readings of both clocks tell the rate better than one
    /// 0x158  1: readers load LaneHeader::records at every visit, so that a producer may lower it. Written by the
    /// creator.
    std::uint32_t lanes_shrink;
    std::uint32_t pad_lanes;
    std::uint64_t pad_areas[4];
    // Written by probes, at births and thread starts.
    /// 0x180  Compact stations ever taken; raised by compare-exchange, and only once the next index has memory.
    std::atomic<std::uint32_t> line_count;
    std::atomic<std::uint32_t> lines_committed;  // 0x184  compact stations whose memory is there; only ever raised
    std::atomic<std::uint64_t>
        free_lines;  // 0x188  stack of free compact stations: tag (32) | index + 1 (32), 0 = none
    std::atomic<std::uint64_t> births_without_line;  // 0x190  coroutines for which there was no compact station
    std::atomic<std::uint64_t> births_while_off;     // 0x198  coroutines born while tracing was switched off
    std::atomic<std::uint64_t> lane_pool_used;       // 0x1A0  bytes; raised by compare-exchange; a lane's never go back
    std::atomic<std::uint32_t> lane_count;           // 0x1A8  entries of the directory in use
    std::atomic<std::uint32_t> threads_without_lane;  // 0x1AC
    std::atomic<std::uint64_t> records_without_lane;  // 0x1B0
    std::atomic<std::uint64_t> names_dropped;         // 0x1B8  strings that found no room
    // Written by the engine (and popped by probes).
    std::atomic<std::uint64_t> free_stations;  // 0x1C0  like free_lines, of full stations; only drained ones
    /// 0x1C8  A seqlock around the latest readings of all clocks, odd while they are written; 0 = never. Written about
    /// once a second by the owner, in overwrite mode by processes as well: see regionclock.h for the order.
    std::atomic<std::uint64_t> pair_seq;
    std::atomic<std::uint64_t> pair_counter;
    std::atomic<std::uint64_t> pair_monotonic_ns;
    std::atomic<std::uint64_t> pair_realtime_ns;
    std::uint64_t pad_end[3];
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

/// The present state of one coroutine, 64 bytes. Written by the thread that runs it.
///
/// Order: seq odd (relaxed), then ts, addr, what, tid (release each; partner: the reader's acquire loads, after which
/// it reloads seq), then seq even (release). life: stored last at birth (release) and at death (release).
struct alignas(64) StateLine {
    std::atomic<std::uint64_t> seq;       ///< 0x00  2 * events of this generation; odd while it is written
    std::atomic<std::uint64_t> ts;        ///< 0x08  raw clock of the process (ProcessEntry::clock_kind), latest event
    std::atomic<std::uint64_t> addr;      ///< 0x10  of the latest event, as in Epoch::addr
    std::atomic<std::uint64_t> what;      ///< 0x18  site (32) | record kind (8, bits 32..39), of the latest event
    std::atomic<std::uint64_t> tid;       ///< 0x20  of the latest event
    std::atomic<std::uint64_t> life;      ///< 0x28  generation (32, high) | kLineFree ... (32, low)
    std::atomic<std::uint64_t> death_ts;  ///< 0x30  raw clock; valid when dead
    std::uint64_t pad;
};

/// Low half of StateLine::life.
enum : std::uint32_t {
    kLineFree = 0,  ///< also from the claim, which raises the generation, until the birth is written
    kLineAlive = 1,
    /// Its birth, a name, its parent or its death found no room in a lane, or tracing was off or paused then: the
    /// engine frees it once it was read. Never in overwrite mode.
    kLineDead = 2,
    kLineRecycled = 3,  ///< dead, told in full by lanes; in a stack of free ones, or retired (generation 2^32 - 1)
};

/// What seldom changes in a coroutine's life; written at birth before StateLine::life. name and parent are stored again
/// whenever they are told (release; partner: the reader's acquire), before their record.
struct alignas(64) BirthLine {
    std::atomic<std::uint64_t> probe_id;   ///< 0x00  promise address
    std::atomic<std::uint64_t> birth_ts;   ///< 0x08  raw clock of the process
    std::atomic<std::uint64_t> name;       ///< 0x10  string: offset (48, high) | length (16); 0 = none
    std::atomic<std::uint64_t> parent;     ///< 0x18  identity of the parent, kNoIdentity = none
    std::atomic<std::uint32_t> process;    ///< 0x20  index in the process table
    std::atomic<std::uint32_t> next_free;  ///< 0x24  index + 1 of the next in the stack of free ones, 0 = last
    /// 0x28  events of all generations before this one: with StateLine::seq / 2 all that the line ever had, also where
    /// nothing else is left of them. Added to by whoever claims the line, right before it stores seq = 0.
    std::atomic<std::uint64_t> events_before;
    char pad[16];
};

/// Names a compact station in one of its lives: generation (32, high) | index (32, low).
inline constexpr std::uint64_t kNoIdentity = ~std::uint64_t{0};

/// One record of a lane, 32 bytes. commit is stored last (release; partner: the reader's acquire load).
/// In overwrite mode the others are stored with release as well; see LaneHeader.
struct LaneRecord {
    std::atomic<std::uint64_t> ts;        ///< 0x00  raw clock of the process
    std::atomic<std::uint64_t> identity;  ///< 0x08  of the coroutine; of a drop marker: how many records
    std::atomic<std::uint64_t> arg;       ///< 0x10  see the kinds
    std::atomic<std::uint64_t> commit;    ///< 0x18  n (32, high) | site (20) | kind (8) | lap (4)
};

/// Kinds of record: the 8 bits of LaneRecord::commit. Point kinds (kAwaitPoint ...) are the low bits of the first two.
enum : std::uint8_t {
    kRecordSuspend = 0x10,     ///< arg: addr; n: the event's number, low 32 bits
    kRecordResume = 0x20,      ///< arg: 0
    kRecordBirth = 0x30,       ///< arg: probe_id
    kRecordDeath = 0x31,       ///< n: how many events the coroutine had, low 32 bits
    kRecordDrops = 0x40,       ///< ts, arg: raw clock of the first and the last dropped record; identity: how many
    kRecordName = 0x50,        ///< arg: string
    kRecordThreadName = 0x51,  ///< arg: string; of the lane's thread
    kRecordParent = 0x52,      ///< arg: identity of the parent
    kRecordWake = 0x60,        ///< identity: who was woken; n: its events as the waker saw; arg: identity of the waker
    kRecordWaitsOn = 0x70,     ///< low bits: kWaitUnknown ...; arg: object; n: number of the suspension it belongs to
    kRecordSwitchOff = 0x80,   ///< tracing goes off in this process
    kRecordSwitchOn = 0x81,
};

/// What a suspension waits for: low bits of kRecordWaitsOn. arg is an address, a file descriptor, a deadline in ns of
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

inline constexpr std::uint32_t kLaneBlock = 1024;  ///< records between two visits of the producer's slow path
inline constexpr std::uint32_t kLaneRecordsMin = 2 * kLaneBlock;
inline constexpr std::uint32_t kLaneRecordsMax = 1U << 22;
inline constexpr std::uint32_t kLaneLaps = 15;

/// Lap of a position as commit carries it, 1 ... 15: 0 is memory never written.
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
    kLaneFree = 0,    ///< drained; a thread may take it (compare-exchange to kLaneMaking, acquire)
    kLaneActive = 1,  ///< belongs to a thread
    kLaneClosed = 2,  ///< its thread has ended (release); the engine drains it and frees it (release)
    kLaneMaking = 3,  ///< being taken or made: nothing of its new thread is in it yet
};

/// A single-producer, single-consumer ring. Positions count records since the lane was made and never go back; record p
/// lies in slot p % records and carries lane_lap(p). There is no shared head: the reader polls the commit of the slot
/// at its position, and whoever takes a free lane goes on at `tail`.
///
/// A producer that gets no memory for slot `committed` in the first lap lowers `records` to `committed` (release)
/// before it stores that position's record, which is then lap 2 of slot 0. All records so far are lap 1 of their slots
/// either way, so a reader that still has the old number finds nothing new at `committed`, and nothing wrong below it.
///
/// Discard mode: the producer writes while position < tail + records. Overwrite mode: before it writes the first record
/// of a block (kLaneBlock records) it stores the block's number, position / kLaneBlock + 1, in block_numbers[block %
/// blocks] (relaxed: the payloads behind it are stored with release); a reader copies records between two equal
/// readings of their block's number.
struct alignas(256) LaneHeader {
    // Written by whoever takes the lane, before `state`.
    std::atomic<std::uint32_t> state;    ///< 0x00
    std::atomic<std::uint32_t> process;  ///< 0x04  index in the process table
    std::atomic<std::uint64_t> tid;      ///< 0x08
    std::atomic<std::uint64_t> offset;   ///< 0x10  of the records in the file, a multiple of 4096; fixed once made
    std::atomic<std::uint32_t> records;  ///< 0x18  capacity, whole blocks; a power of two until it is lowered, once
    std::atomic<std::uint32_t> claims;   ///< 0x1C  how many threads had the lane, this one included
    std::atomic<std::uint64_t> block_numbers_offset;  ///< 0x20  u64 [records / kLaneBlock] in the file; fixed
    std::atomic<std::uint64_t> begin;                 ///< 0x28  position of this thread's first record
    std::atomic<std::uint64_t> thread_name;           ///< 0x30  string, 0 = none
    std::atomic<std::uint64_t> closed_ts;             ///< 0x38  ns, CLOCK_MONOTONIC; when it was closed
    // Written by the producer, rarely.
    std::atomic<std::uint64_t> dropped;    ///< 0x40  records that found the lane full, all threads together
    std::atomic<std::uint32_t> committed;  ///< 0x48  slots from 0 whose memory is there; only ever raised
    char pad_producer[0x80 - 0x4C];
    // Written by the reader.
    std::atomic<std::uint64_t> tail;  ///< 0x80  position that is read next (release; partner: the producer's acquire)
    char pad_reader[0x100 - 0x88];
};

/// Values of ProcessEntry::state.
enum : std::uint32_t {
    kProcessFree = 0,
    kProcessMaking = 1,
    kProcessActive = 2,
    kProcessEnded = 3,  ///< the same process called InitTracer after exec; drained, then freed by the engine
};

/// A process that writes. Filled by InitTracer, published by state (release).
/// ProcessEntry::clock_kind: what raw clocks of the process are. Only ever changed from the second to the third.
enum ClockKind : std::uint32_t {
    kClockMonotonic = 0,  ///< ns of CLOCK_MONOTONIC
    kClockCounter = 1,    ///< the counter
    /// The counter contradicted CLOCK_MONOTONIC. Raw clocks are ns of that, turned into ticks by the line from
    /// init_counter and init_ns with the slope mult, which was the counter's as long as it could be trusted.
    kClockGivenUp = 2,
};

struct alignas(256) ProcessEntry {
    std::atomic<std::uint32_t> state;         ///< 0x00
    std::atomic<std::uint32_t> pid;           ///< 0x04
    std::atomic<std::uint64_t> start_ticks;   ///< 0x08  field 22 of /proc/PID/stat: with pid, the process
    std::atomic<std::uint32_t> clock_kind;    ///< 0x10  a ClockKind
    std::atomic<std::uint32_t> switched_off;  ///< 0x14  1: corotracer::enable(false)
    std::atomic<std::uint64_t> init_ns;       ///< 0x18  CLOCK_MONOTONIC at InitTracer, and
    std::atomic<std::uint64_t> init_counter;  ///< 0x20  the counter then
    std::atomic<std::uint64_t> mult;          ///< 0x28  ns per counter tick, 32 bits after the point
    std::atomic<std::uint64_t> late_seq;      ///< 0x30  a seqlock around the latest pair, odd while it is written
    std::atomic<std::uint64_t> late_ns;       ///< 0x38
    std::atomic<std::uint64_t> late_counter;  ///< 0x40
    std::atomic<std::uint32_t> name_length;   ///< 0x48  bytes
    std::uint32_t pad0;
    char name[64];  ///< 0x50  of the executable
    /// 0x90  inode of /proc/self/ns/pid, 0 = unknown: in another one, pid says nothing to the engine.
    std::atomic<std::uint64_t> pid_namespace;
    /// 0x98  of the program image that writes: another one after exec, 0 = unknown. One image may have several entries.
    std::atomic<std::uint64_t> image;
    char pad[256 - 0xA0];
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
static_assert(offsetof(ExtensionHeader, line_count) == 0x180 - 0x40);
static_assert(offsetof(ExtensionHeader, free_stations) == 0x1C0 - 0x40);
static_assert(offsetof(ExtensionHeader, processes_unmapped) == 0x98 - 0x40);
static_assert(offsetof(ExtensionHeader, processes_partly_mapped) == 0x9C - 0x40);
static_assert(offsetof(ExtensionHeader, lanes_shrink) == 0x158 - 0x40);
static_assert(sizeof(StateLine) == 64 && offsetof(StateLine, life) == 0x28 && sizeof(BirthLine) == 64);
static_assert(offsetof(BirthLine, next_free) == 0x24 && offsetof(BirthLine, events_before) == 0x28);
static_assert(sizeof(LaneRecord) == 32 && sizeof(LaneHeader) == 256 && sizeof(ProcessEntry) == 256);
static_assert(offsetof(LaneHeader, dropped) == 0x40 && offsetof(LaneHeader, tail) == 0x80);
static_assert(offsetof(ProcessEntry, late_seq) == 0x30 && offsetof(ProcessEntry, name) == 0x50);
static_assert(sizeof(StationExtension) == 40);

}  // namespace corotracer

#pragma pop_macro("slots")
