// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! The memory layout of cTP: the Rust form of `probe/include/corotracer/layout.h`, where the fields are described.
//! `tests/probe/layout.table` lists the layout; a test of each language compares its form with the table.
//!
//! The region is shared with other processes, so every field that this crate reads or writes is an atomic. A field
//! that the creator alone writes is loaded relaxed, once.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicU8};

pub const MAGIC: u64 = 0x434F_524F_5452_4352;
pub const VERSION: u32 = 1;
pub const EXTENSION_MAGIC: u64 = 0x3130_5458_4550_5443;
pub const EXTENSION_VERSION: u32 = 2;
pub const STATION_MARK: u32 = 0x3150_5443;
pub const SLOTS_PER_STATION: usize = 8;
pub const HEADER_SIZE: usize = 1024;
pub const STATION_SIZE: usize = 1024;
pub const MAX_STATIONS: u32 = 2_097_151;
pub const MAX_SITES: u32 = 0xF_FFFF;
pub const MAX_PROCESSES: u32 = 65_536;
pub const MAX_LANES: u32 = 65_536;

pub const DIALECT_SEQLOCK: u32 = 1;

// Kinds of suspension point.
pub const AWAIT_POINT: u8 = 0;
pub const INITIAL_SUSPEND: u8 = 1;

pub const LANES_DISCARD: u32 = 1;

// Values of GlobalHeader::tracer_sleeping.
pub const ENGINE_AWAKE: u32 = 0;
pub const ENGINE_SLEEPS: u32 = 1;
pub const ENGINE_PAUSED: u32 = 2;

#[repr(C, align(64))]
pub struct Epoch {
    pub timestamp: AtomicU64,
    pub tid: AtomicU64,
    pub addr: AtomicU64,
    pub seq: AtomicU64,
    pub site: AtomicU32,
    pub kind: AtomicU8,
    pub reserved: [u8; 26],
    pub is_active: AtomicU8,
}

#[repr(C)]
pub struct StationHeader {
    pub probe_id: AtomicU64,
    pub birth_ts: AtomicU64,
    pub is_dead: AtomicU8,
    pub pad: [u8; 47],
}

#[repr(C)]
pub struct StationExtension {
    pub mark: AtomicU32,
    pub dialect: AtomicU32,
    pub pid: AtomicU32,
    pub generation: AtomicU32,
    pub death_ts: AtomicU64,
    pub gen_start: AtomicU64,
    pub next_free: AtomicU32,
    pub pad: u32,
}

#[repr(C, align(1024))]
pub struct StationData {
    pub header: StationHeader,
    pub slots: [Epoch; SLOTS_PER_STATION],
    pub extension: StationExtension,
    pub flexible: [u8; 408],
}

#[repr(C)]
pub struct ExtensionHeader {
    pub magic: AtomicU64,
    pub version: AtomicU32,
    pub size: AtomicU32,
    pub file_size: AtomicU64,
    pub stations_reserved: AtomicU64,
    pub site_table_offset: AtomicU64,
    pub site_capacity: AtomicU32,
    pub site_record_size: AtomicU32,
    pub strings_offset: AtomicU64,
    pub strings_capacity: AtomicU64,
    pub site_count: AtomicU32,
    pub sites_dropped: AtomicU32,
    pub strings_used: AtomicU64,
    pub born_before_init: AtomicU64,
    pub processes_unmapped: AtomicU32,
    pub processes_partly_mapped: AtomicU32,
    pub pad_probes: [u64; 4],
    pub allocated_wrapped: AtomicU64,
    pub created_monotonic_ns: AtomicU64,
    pub created_realtime_ns: AtomicU64,
    pub engine_pid: AtomicU32,
    pub engine_fences: AtomicU32,
    pub pad_engine: [u32; 8],
    pub process_table_offset: AtomicU64,
    pub lane_directory_offset: AtomicU64,
    pub states_offset: AtomicU64,
    pub births_offset: AtomicU64,
    pub lane_pool_offset: AtomicU64,
    pub lane_pool_size: AtomicU64,
    pub process_capacity: AtomicU32,
    pub lane_capacity: AtomicU32,
    pub compact_stations_reserved: AtomicU32,
    pub lane_mode: AtomicU32,
    pub lane_records: AtomicU32,
    pub lane_retention_ms: AtomicU32,
    pub created_counter: AtomicU64,
    pub created_mult: AtomicU64,
    pub lanes_shrink: AtomicU32,
    pub pad_lanes: u32,
    pub pad_areas: [u64; 4],
    pub compact_station_count: AtomicU32,
    pub compact_stations_committed: AtomicU32,
    pub free_compact_stations: AtomicU64,
    pub births_without_station: AtomicU64,
    pub births_while_off: AtomicU64,
    pub lane_pool_used: AtomicU64,
    pub lane_count: AtomicU32,
    pub threads_without_lane: AtomicU32,
    pub records_without_lane: AtomicU64,
    pub names_dropped: AtomicU64,
    pub free_stations: AtomicU64,
    pub pair_seq: AtomicU64,
    pub pair_counter: AtomicU64,
    pub pair_monotonic_ns: AtomicU64,
    pub pair_realtime_ns: AtomicU64,
    pub pad_end: [u64; 3],
}

#[repr(C, align(1024))]
pub struct GlobalHeader {
    pub magic_number: AtomicU64,
    pub version: AtomicU32,
    pub max_stations: AtomicU32,
    pub allocated_count: AtomicU32,
    pub tracer_sleeping: AtomicU32,
    pub reserved_v1: [u8; 0x40 - 0x18],
    pub extension: ExtensionHeader,
    pub reserved: [u8; 1024 - 0x40 - 0x1C0],
}

#[repr(C, align(64))]
pub struct SiteRecord {
    pub ready: AtomicU32,
    pub line: AtomicU32,
    pub column: AtomicU32,
    pub file_length: AtomicU32,
    pub file_offset: AtomicU64,
    pub function_offset: AtomicU64,
    pub function_length: AtomicU32,
    pub pad: [u8; 28],
}

#[repr(C, align(64))]
pub struct CompactState {
    pub seq: AtomicU64,
    pub ts: AtomicU64,
    pub addr: AtomicU64,
    pub what: AtomicU64,
    pub tid: AtomicU64,
    pub life: AtomicU64,
    pub death_ts: AtomicU64,
    pub finished_ts: AtomicU64,
}

// Values of the low half of CompactState::life.
pub const COMPACT_FREE: u32 = 0;
pub const COMPACT_ALIVE: u32 = 1;
pub const COMPACT_DEAD: u32 = 2;
pub const COMPACT_RECYCLED: u32 = 3;

#[repr(C, align(64))]
pub struct CompactBirth {
    pub probe_id: AtomicU64,
    pub birth_ts: AtomicU64,
    pub name: AtomicU64,
    pub parent: AtomicU64,
    pub process: AtomicU32,
    pub next_free: AtomicU32,
    pub events_before: AtomicU64,
    pub pad: [u8; 16],
}

pub const NO_IDENTITY: u64 = u64::MAX;

#[repr(C)]
pub struct LaneRecord {
    pub ts: AtomicU64,
    pub identity: AtomicU64,
    pub arg: AtomicU64,
    pub commit: AtomicU64,
}

// Kinds of record.
pub const RECORD_SUSPEND: u8 = 0x10;
pub const RECORD_RESUME: u8 = 0x20;
pub const RECORD_BIRTH: u8 = 0x30;
pub const RECORD_DEATH: u8 = 0x31;
pub const RECORD_DROPS: u8 = 0x40;
pub const RECORD_NAME: u8 = 0x50;
pub const RECORD_THREAD_NAME: u8 = 0x51;
pub const RECORD_PARENT: u8 = 0x52;
pub const RECORD_WAKE: u8 = 0x60;
pub const RECORD_ACQUIRED: u8 = 0x61;
pub const RECORD_RELEASED: u8 = 0x62;
pub const RECORD_SIGNALLED: u8 = 0x63;
pub const RECORD_WAKERS_LEFT: u8 = 0x64;
pub const RECORD_WAITS_ON: u8 = 0x70;
pub const RECORD_SWITCH_OFF: u8 = 0x80;
pub const RECORD_SWITCH_ON: u8 = 0x81;

// Kinds of wait: the low four bits of a RECORD_WAITS_ON.
pub const WAIT_LOCK: u8 = 1;
pub const WAIT_CHANNEL: u8 = 2;
pub const WAIT_DESCRIPTOR: u8 = 3;
pub const WAIT_TIMER: u8 = 4;
pub const WAIT_COROUTINE: u8 = 5;
pub const WAIT_OTHER: u8 = 6;

pub const WAIT_PARTS_MAX: u32 = 1 << 18;

/// The bits of a RECORD_WAITS_ON where other records have the site, for object `index` of several.
pub const fn wait_part(index: u32, for_all: bool) -> u32 {
    2 * index + if for_all { 2 } else { 1 }
}

pub const LANE_BLOCK: u32 = 1024;
pub const LANE_RECORDS_MIN: u32 = 2 * LANE_BLOCK;
pub const LANE_RECORDS_MAX: u32 = 1 << 22;
pub const LANE_LAPS: u64 = 15;

/// Lap of a position, 1 to 15, as the commit of its record carries it.
pub const fn lane_lap(position: u64, records: u32) -> u64 {
    position / records as u64 % LANE_LAPS + 1
}

pub const fn lane_commit(n: u32, site: u32, kind: u8, lap: u64) -> u64 {
    (n as u64) << 32 | ((site & 0xF_FFFF) as u64) << 12 | (kind as u64) << 4 | lap
}

// Values of LaneHeader::state.
pub const LANE_FREE: u32 = 0;
pub const LANE_ACTIVE: u32 = 1;
pub const LANE_CLOSED: u32 = 2;
pub const LANE_MAKING: u32 = 3;

#[repr(C, align(256))]
pub struct LaneHeader {
    pub state: AtomicU32,
    pub process: AtomicU32,
    pub tid: AtomicU64,
    pub offset: AtomicU64,
    pub records: AtomicU32,
    pub claims: AtomicU32,
    pub block_numbers_offset: AtomicU64,
    pub begin: AtomicU64,
    pub thread_name: AtomicU64,
    pub closed_ts: AtomicU64,
    pub dropped: AtomicU64,
    pub committed: AtomicU32,
    pub pad_producer: [u8; 0x80 - 0x4C],
    pub tail: AtomicU64,
    pub pad_reader: [u8; 0x100 - 0x88],
}

// Values of ProcessEntry::state.
pub const PROCESS_FREE: u32 = 0;
pub const PROCESS_MAKING: u32 = 1;
pub const PROCESS_ACTIVE: u32 = 2;
pub const PROCESS_ENDED: u32 = 3;

// Values of ProcessEntry::clock_kind: the unit of the raw clock.
pub const CLOCK_MONOTONIC: u32 = 0;
pub const CLOCK_COUNTER: u32 = 1;
pub const CLOCK_GIVEN_UP: u32 = 2;

#[repr(C, align(256))]
pub struct ProcessEntry {
    pub state: AtomicU32,
    pub pid: AtomicU32,
    pub start_ticks: AtomicU64,
    pub clock_kind: AtomicU32,
    pub switched_off: AtomicU32,
    pub init_ns: AtomicU64,
    pub init_counter: AtomicU64,
    pub mult: AtomicU64,
    pub late_seq: AtomicU64,
    pub late_ns: AtomicU64,
    pub late_counter: AtomicU64,
    pub name_length: AtomicU32,
    pub pad0: u32,
    pub name: [AtomicU8; 64],
    pub pid_namespace: AtomicU64,
    pub image: AtomicU64,
    pub abandoned: AtomicU64,
    pub pad: [u8; 256 - 0xA8],
}

#[cfg(test)]
mod tests;
