// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Compares the layout with tests/probe/layout.table.

use super::*;
use std::collections::BTreeMap;
use std::mem::{align_of, size_of, MaybeUninit};

fn size_behind<T>(_: *const T) -> usize {
    size_of::<T>()
}

/// The rows of this form of the layout, as layout.table writes them: what the row describes, and its numbers.
fn rows() -> BTreeMap<String, Vec<u64>> {
    let mut rows = BTreeMap::new();
    macro_rules! structs {
        ($($name:ident { $($field:ident),* })*) => {$(
            rows.insert(
                format!("STRUCT {}", stringify!($name)),
                vec![size_of::<$name>() as u64, align_of::<$name>() as u64],
            );
            $({
                let value = MaybeUninit::<$name>::uninit();
                // SAFETY: only addresses are taken.
                let field = unsafe { std::ptr::addr_of!((*value.as_ptr()).$field) };
                let offset = field as usize - value.as_ptr() as usize;
                rows.insert(
                    format!("FIELD {} {}", stringify!($name), stringify!($field)),
                    vec![offset as u64, size_behind(field) as u64],
                );
            })*
        )*};
    }
    macro_rules! constants {
        ($($name:ident),*) => {
            $(rows.insert(format!("CONSTANT {}", stringify!($name)), vec![$name as u64]);)*
        };
    }
    structs! {
        Epoch { timestamp, tid, addr, seq, site, kind, is_active }
        StationHeader { probe_id, birth_ts, is_dead }
        StationExtension { mark, dialect, pid, generation, death_ts, gen_start, next_free }
        StationData { header, slots, extension }
        ExtensionHeader { magic, version, size, file_size, stations_reserved, site_table_offset, site_capacity,
            site_record_size, strings_offset, strings_capacity, site_count, sites_dropped, strings_used,
            born_before_init, processes_unmapped, processes_partly_mapped, allocated_wrapped,
            created_monotonic_ns, created_realtime_ns, engine_pid, engine_fences, process_table_offset,
            lane_directory_offset, states_offset, births_offset, lane_pool_offset, lane_pool_size,
            process_capacity, lane_capacity, compact_stations_reserved, lane_mode, lane_records,
            lane_retention_ms, created_counter, created_mult, lanes_shrink, compact_station_count,
            compact_stations_committed, free_compact_stations, births_without_station, births_while_off,
            lane_pool_used, lane_count, threads_without_lane, records_without_lane, names_dropped,
            free_stations, pair_seq, pair_counter, pair_monotonic_ns, pair_realtime_ns }
        GlobalHeader { magic_number, version, max_stations, allocated_count, tracer_sleeping, extension }
        SiteRecord { ready, line, column, file_length, file_offset, function_offset, function_length }
        CompactState { seq, ts, addr, what, tid, life, death_ts, finished_ts }
        CompactBirth { probe_id, birth_ts, name, parent, process, next_free, events_before }
        LaneRecord { ts, identity, arg, commit }
        LaneHeader { state, process, tid, offset, records, claims, block_numbers_offset, begin, thread_name,
            closed_ts, dropped, committed, tail }
        ProcessEntry { state, pid, start_ticks, clock_kind, switched_off, init_ns, init_counter, mult, late_seq,
            late_ns, late_counter, name_length, name, pid_namespace, image, abandoned }
    }
    constants!(
        MAGIC,
        VERSION,
        EXTENSION_MAGIC,
        EXTENSION_VERSION,
        STATION_MARK,
        SLOTS_PER_STATION,
        HEADER_SIZE,
        STATION_SIZE,
        MAX_STATIONS,
        MAX_SITES,
        MAX_PROCESSES,
        MAX_LANES,
        DIALECT_SEQLOCK,
        AWAIT_POINT,
        INITIAL_SUSPEND,
        LANES_DISCARD,
        ENGINE_AWAKE,
        ENGINE_SLEEPS,
        ENGINE_PAUSED,
        COMPACT_FREE,
        COMPACT_ALIVE,
        COMPACT_DEAD,
        COMPACT_RECYCLED,
        NO_IDENTITY,
        RECORD_SUSPEND,
        RECORD_RESUME,
        RECORD_BIRTH,
        RECORD_DEATH,
        RECORD_DROPS,
        RECORD_NAME,
        RECORD_THREAD_NAME,
        RECORD_PARENT,
        RECORD_WAKE,
        RECORD_ACQUIRED,
        RECORD_RELEASED,
        RECORD_SIGNALLED,
        RECORD_WAKERS_LEFT,
        RECORD_WAITS_ON,
        RECORD_SWITCH_OFF,
        RECORD_SWITCH_ON,
        WAIT_LOCK,
        WAIT_CHANNEL,
        WAIT_DESCRIPTOR,
        WAIT_TIMER,
        WAIT_COROUTINE,
        WAIT_OTHER,
        WAIT_PARTS_MAX,
        LANE_BLOCK,
        LANE_RECORDS_MIN,
        LANE_RECORDS_MAX,
        LANE_LAPS,
        LANE_FREE,
        LANE_ACTIVE,
        LANE_CLOSED,
        LANE_MAKING,
        PROCESS_FREE,
        PROCESS_MAKING,
        PROCESS_ACTIVE,
        PROCESS_ENDED,
        CLOCK_MONOTONIC,
        CLOCK_COUNTER,
        CLOCK_GIVEN_UP
    );
    rows
}

fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

/// The rows of the table about the region. Rows that begin with C_ describe the C interface.
fn table() -> BTreeMap<String, Vec<u64>> {
    let text = include_str!("../../../../../tests/probe/layout.table");
    let rows = text.lines().filter(|line| line.ends_with(')') && !line.starts_with("//") && !line.starts_with("C_"));
    rows.map(|line| {
        let (kind, rest) = line.trim_end_matches(')').split_once('(').unwrap();
        let parts: Vec<&str> = rest.split(", ").collect();
        match kind {
            "CONSTANT" => (format!("CONSTANT {}", parts[0]), vec![number(parts[2])]),
            "STRUCT" => (format!("STRUCT {}", parts[0]), vec![number(parts[1]), number(parts[2])]),
            _ => (format!("FIELD {} {}", parts[0], parts[1]), vec![number(parts[2]), number(parts[3])]),
        }
    })
    .collect()
}

#[test]
fn the_layout_is_that_of_the_table() {
    let (rows, table) = (rows(), table());
    for (row, numbers) in &rows {
        assert_eq!(table.get(row), Some(numbers), "{row}");
    }
    // The crate needs not all constants.
    let unknown = table.keys().filter(|row| !row.starts_with("CONSTANT") && !rows.contains_key(*row));
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&String>::new());
}
