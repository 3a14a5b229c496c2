// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! Begins a session: maps the region, claims a process entry, starts the clock, and sets the switch.

use std::ffi::CString;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::io::FromRawFd;
use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering::*};

use crate::on::clock::CLOCK;
use crate::on::directory::make_thread_key;
use crate::on::layout::*;
use crate::on::region::{map_region, LaneAreas, Mapping};
use crate::on::state::*;
use crate::on::sys::{self, back_with_memory, complain, KeepErrno};
use crate::on::{strings, wake};

/// A decimal number, digits only, 1 to 2^32 - 1.
fn parse_stations(text: &[u8]) -> Option<u32> {
    let is_number = !text.is_empty() && text.len() <= 10 && text.iter().all(u8::is_ascii_digit);
    Some(sys::decimal(text))
        .filter(|_| is_number)
        .and_then(|value| u32::try_from(value).ok())
        .filter(|&value| value > 0)
}

// ---------------------------------------------------------------- the process's entry

/// Identity of the process and of its program image, as in ProcessEntry.
struct Identity {
    pid: u32,
    start_ticks: u64,
    pid_namespace: u64,
    image: u64,
}

/// Field 22 of /proc/self/stat, the start of the process in clock ticks; 0 when it cannot be read.
fn start_ticks() -> u64 {
    let mut text = [0; 1024];
    let length = sys::read_small_file(b"/proc/self/stat\0", &mut text);
    let text = &text[..length];
    // The last parenthesis ends field 2, the name.
    let behind_name = text.iter().rposition(|&byte| byte == b')').map_or(length, |at| at + 1);
    text[behind_name..].split(|&byte| byte == b' ').nth(20).map_or(0, sys::decimal)
}

/// SipHash-2-4 of an empty message: a number that does not reveal the key.
fn hash_of_key(key: [u64; 2]) -> u64 {
    let mut v = [
        key[0] ^ 0x736F_6D65_7073_6575,
        key[1] ^ 0x646F_7261_6E64_6F6D,
        key[0] ^ 0x6C79_6765_6E65_7261,
        key[1] ^ 0x7465_6462_7974_6573,
    ];
    let rounds = |v: &mut [u64; 4], count: u32| {
        for _ in 0..count {
            v[0] = v[0].wrapping_add(v[1]);
            v[1] = v[1].rotate_left(13) ^ v[0];
            v[0] = v[0].rotate_left(32);
            v[2] = v[2].wrapping_add(v[3]);
            v[3] = v[3].rotate_left(16) ^ v[2];
            v[0] = v[0].wrapping_add(v[3]);
            v[3] = v[3].rotate_left(21) ^ v[0];
            v[2] = v[2].wrapping_add(v[1]);
            v[1] = v[1].rotate_left(17) ^ v[2];
            v[2] = v[2].rotate_left(32);
        }
    };
    rounds(&mut v, 2);
    v[2] ^= 0xFF;
    rounds(&mut v, 4);
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

impl Identity {
    fn of_process() -> Self {
        Identity {
            pid: std::process::id(),
            start_ticks: start_ticks(),
            pid_namespace: std::fs::metadata("/proc/self/ns/pid").map_or(0, |status| status.ino()),
            // exec changes it; all copies of the probe in one image, of any language, compute the same number.
            image: sys::random_of_image().map_or(0, hash_of_key),
        }
    }

    /// True if an active entry belongs to this process, to an image before an exec. Entries of the present image belong
    /// to other copies of the probe. These stay active.
    fn is_before_exec(&self, entry: &ProcessEntry) -> bool {
        let space = entry.pid_namespace.load(Relaxed);
        entry.pid.load(Relaxed) == self.pid
            && entry.start_ticks.load(Relaxed) == self.start_ticks
            && (space == 0 || space == self.pid_namespace)
            && (self.image == 0 || entry.image.load(Relaxed) != self.image)
    }

    /// Fills a claimed entry, all but its state.
    fn fill(&self, entry: &ProcessEntry) {
        entry.pid.store(self.pid, Relaxed);
        entry.start_ticks.store(self.start_ticks, Relaxed);
        entry.pid_namespace.store(self.pid_namespace, Relaxed);
        entry.image.store(self.image, Relaxed);
        entry.switched_off.store(PAGE.disabled.load(Relaxed), Relaxed);
        CLOCK.describe(entry);
        let path = std::fs::read_link("/proc/self/exe").unwrap_or_default();
        let name = path.file_name().map_or(&b""[..], OsStrExt::as_bytes);
        let length = name.len().min(entry.name.len());
        for (to, &from) in entry.name.iter().zip(name) {
            to.store(from, Relaxed);
        }
        entry.name_length.store(length as u32, Relaxed);
    }
}

/// Claims an entry of the process table, and ends the entries that this process had before an exec. None when no entry
/// is free or there is no memory; then the process uses no lanes.
fn claim_process_entry(areas: &LaneAreas) -> Option<(*const ProcessEntry, u32)> {
    let size = areas.process_capacity as usize * std::mem::size_of::<ProcessEntry>();
    if !back_with_memory(areas.processes.cast(), size) {
        return None;
    }
    // SAFETY: mapped for the life of the process, with memory.
    let table = unsafe { std::slice::from_raw_parts(areas.processes, areas.process_capacity as usize) };
    let identity = Identity::of_process();
    for entry in table {
        if entry.state.load(Acquire) == PROCESS_ACTIVE && identity.is_before_exec(entry) {
            let _ = entry.state.compare_exchange(PROCESS_ACTIVE, PROCESS_ENDED, AcqRel, Relaxed);
        }
    }
    let claim =
        |entry: &&ProcessEntry| entry.state.compare_exchange(PROCESS_FREE, PROCESS_MAKING, Acquire, Relaxed).is_ok();
    let index = table.iter().position(|entry| claim(&entry))?;
    identity.fill(&table[index]);
    table[index].state.store(PROCESS_ACTIVE, Release); // partner: the engine's acquire load
    Some((&table[index], index as u32))
}

// ---------------------------------------------------------------- session

/// Begins a session with a mapped region. Holder of init_lock only.
fn begin_session(mut map: Mapping, socket_path: &[u8]) {
    wake::open_socket(socket_path);
    if SESSIONS.load(Relaxed) != 0 {
        strings::clear(); // the parent's, after fork
    }
    NO_MEMORY_BEFORE_NS.store(0, Relaxed);
    ON_SINCE.store(0, Relaxed);
    CLOCK.start(map.lanes.is_some());
    make_thread_key();
    let mut number = SESSION_STEP * (SESSIONS.fetch_add(1, Relaxed) + 1);
    let entry = map.lanes.as_ref().and_then(claim_process_entry);
    if entry.is_some() {
        number |= LANES_BIT;
    } else {
        map.lanes = None;
        CLOCK.start(false);
    }
    if map.engine_fences && sys::register_for_barrier() {
        number |= ENGINE_FENCES_BIT;
    }
    let (process, process_index) = entry.unwrap_or((null(), 0));
    // SAFETY: by the caller, and there is no session yet.
    unsafe { Session { map, process, process_index, pid: std::process::id() }.set() };
    // seq_cst, both stores: see set_enabled and count_early_birth.
    PAGE.attached.store(number, SeqCst);
    PAGE.session.store(number, SeqCst);
    if PAGE.disabled.load(SeqCst) != 0 {
        PAGE.session.store(0, SeqCst);
    }
    report_early_births();
}

/// Begins a session with the region that the CTP_ variables name. Does nothing unless all three are set. Prints an
/// error to stderr. Holder of init_lock only.
fn init_from_environment() {
    let variables = ["CTP_SHM_PATH", "CTP_SOCK_PATH", "CTP_MAX_STATIONS"].map(sys::environment);
    let (path, socket_path, stations) = match variables {
        [Some(path), Some(socket_path), Some(stations)] => (path, socket_path, stations),
        _ => return,
    };
    let announced = match parse_stations(stations.as_bytes()) {
        Some(announced) => announced,
        None => return complain(
            "CTP_MAX_STATIONS is not a number of stations (start the program with corotracer-gui, or set 1 to 2097151)",
            &stations.to_string_lossy(),
        ),
    };
    let shown = path.to_string_lossy();
    let fd = CString::new(path.as_bytes()).ok().and_then(|path| sys::open_region(&path).ok());
    // SAFETY: just opened, and owned by the file from here on.
    let file = match fd.map(|fd| unsafe { File::from_raw_fd(fd) }) {
        Some(file) => file,
        None => return complain("CTP_SHM_PATH cannot be opened", &shown),
    };
    match map_region(&file, announced) {
        Ok(map) => begin_session(map, socket_path.as_bytes()),
        Err(wrong) => complain(wrong, &shown),
    }
}

/// Attaches the process, unless it is attached. While another thread does it, waits for at most 0.2 s, because the
/// caller expects to be traced afterwards. Preserves errno.
#[cold]
pub fn attach() {
    if PAGE.attached.load(Acquire) != 0 {
        return;
    }
    let _errno = KeepErrno::new();
    guard_against_fork(); // before the lock: a child must not inherit it locked
    ATTACHED_BY.store(std::process::id(), Relaxed);
    let mut patience = 4000;
    while PAGE.init_lock.swap(1, Acquire) != 0 {
        if patience == 0 {
            return;
        }
        patience -= 1;
        sys::sleep_ns(50_000);
    }
    if PAGE.attached.load(Acquire) == 0 {
        init_from_environment();
    }
    PAGE.init_ended.store(1, Relaxed);
    PAGE.init_lock.store(0, Release); // partner: the acquire exchange above
}

/// The process that called `attach`, or 0. Not on the page that a child finds zeroed, so a child knows that it is one.
static ATTACHED_BY: AtomicU32 = AtomicU32::new(0);

/// Attaches at the first birth of a program that does not call init_tracer. A forked child stays off until it calls
/// init_tracer itself.
#[cold]
pub fn attach_lazily() {
    if PAGE.init_ended.load(Relaxed) == 0 && [0, std::process::id()].contains(&ATTACHED_BY.load(Relaxed)) {
        attach();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stations_are_digits_only() {
        assert_eq!(parse_stations(b"2097150"), Some(2_097_150));
        for wrong in [&b""[..], b"0", b"-1", b"12x", b"4294967296", b" 1"] {
            assert_eq!(parse_stations(wrong), None);
        }
    }

    #[test]
    fn start_ticks_are_field_22() {
        let text = std::fs::read_to_string("/proc/self/stat").unwrap();
        let fields = text.rsplit_once(')').unwrap().1.split_whitespace();
        assert_eq!(start_ticks().to_string(), fields.clone().nth(19).unwrap());
    }

    #[test]
    fn the_image_is_hashed_with_siphash() {
        // SipHash-2-4 of the empty message with the key 00 01 ... 0f, from the paper that defines it.
        assert_eq!(hash_of_key([0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908]), 0x726F_DB47_DD0E_0E31);
    }
}
