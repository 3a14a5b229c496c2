// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//! The raw clock of lanes: the processor's counter where it can be trusted, else CLOCK_MONOTONIC. About ten times a
//! second a thread compares the counter with CLOCK_MONOTONIC, and gives it up for good if it contradicts.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

use crate::on::layout::{ProcessEntry, CLOCK_COUNTER, CLOCK_GIVEN_UP, CLOCK_MONOTONIC};
use crate::on::sys::monotonic_ns;

const SHIFT: u32 = 32;
const CALIBRATION_NS: u64 = 150_000; // time for which init_tracer measures the counter
const PAIR_NS: u64 = 100_000_000; // time between two published pairs
const ERROR_NS: u64 = 1_000_000; // a smaller error is no contradiction
const DRIFT_SHARE: u64 = 64; // nor is this share of the time between two pairs
const KNOWN_NS: u64 = 10_000_000; // time after which the rate is known well
const STILL_NS: u64 = 2_000_000; // a counter that is unchanged for this long stands still

/// The counter and CLOCK_MONOTONIC at one moment, exact within `uncertainty_ns`.
#[derive(Clone, Copy, Default)]
pub struct Pair {
    pub counter: u64,
    pub ns: u64,
    uncertainty_ns: u64,
}

/// The clock of the process. `kind` and the pairs change only in the thread that holds `late_seq` of the process entry.
pub struct Clock {
    kind: AtomicU32,
    pair_ticks: AtomicU64, // raw clock units between two pairs
    pair_due: AtomicU64,   // raw time; the thread that raises it (compare-exchange) publishes the pair
    init_counter: AtomicU64,
    init_ns: AtomicU64,
    mult: AtomicU64, // ns per tick, 32 bits after the point; latest measurement
    good_counter: AtomicU64,
    good_ns: AtomicU64,
}

pub static CLOCK: Clock = Clock {
    kind: AtomicU32::new(CLOCK_MONOTONIC),
    pair_ticks: AtomicU64::new(0),
    pair_due: AtomicU64::new(0),
    init_counter: AtomicU64::new(0),
    init_ns: AtomicU64::new(0),
    mult: AtomicU64::new(0),
    good_counter: AtomicU64::new(0),
    good_ns: AtomicU64::new(0),
};

/// ticks * mult >> 32, with a product of 128 bits.
fn scale(ticks: u64, mult: u64) -> u64 {
    ((u128::from(ticks) * u128::from(mult)) >> SHIFT) as u64
}

/// (ns << 32) / ticks: the slope that converts ticks to ns; 0 without ticks.
fn slope(ns: u64, ticks: u64) -> u64 {
    (u128::from(ns) << SHIFT).checked_div(u128::from(ticks)).unwrap_or(0) as u64
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unused_unsafe)] // safe in later versions of Rust
pub fn read_counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn read_counter() -> u64 {
    let value: u64;
    // SAFETY: reads a register that Linux leaves readable.
    unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) value, options(nomem, nostack)) };
    value
}

/// True if the kernel trusts the TSC, by its lists of clock sources. An empty list could not be read, and proves
/// nothing.
#[cfg_attr(target_arch = "aarch64", allow(dead_code))]
fn is_tsc_trusted(available: &[u8], current: &[u8]) -> bool {
    const SLOW: [&str; 5] = ["hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"];
    let has = |list: &[u8], word: &str| list.split(u8::is_ascii_whitespace).any(|item| item == word.as_bytes());
    !SLOW.iter().any(|slow| has(current, slow))
        && (available.is_empty() || has(available, "tsc") || has(available, "tsc-early"))
}

/// True if the counter has one constant rate on all cores and in all sleep states, as far as processor and kernel know.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)] // safe in later versions of Rust
fn has_invariant_counter() -> bool {
    use crate::on::sys::read_small_file;
    use core::arch::x86_64::__cpuid;
    // SAFETY: every x86-64 processor has the instruction.
    let invariant = unsafe { __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0 };
    if !invariant {
        return false;
    }
    let (mut available, mut current) = ([0; 256], [0; 256]);
    let directory = "/sys/devices/system/clocksource/clocksource0";
    let read = |name: &str, to: &mut [u8]| read_small_file(format!("{directory}/{name}\0").as_bytes(), to);
    let lengths = (read("available_clocksource", &mut available), read("current_clocksource", &mut current));
    is_tsc_trusted(&available[..lengths.0], &current[..lengths.1])
}

#[cfg(target_arch = "aarch64")]
fn has_invariant_counter() -> bool {
    true // guaranteed by the architecture
}

/// Reads both clocks at one moment, as the narrowest of four attempts. None when all were disturbed (preempted).
fn read_pair(rate: u64) -> Option<Pair> {
    let mut best = u64::MAX;
    let mut pair = Pair::default();
    for _ in 0..4 {
        let before = read_counter();
        let ns = monotonic_ns();
        let width = read_counter().wrapping_sub(before);
        if width < best {
            best = width;
            pair = Pair { counter: before.wrapping_add(width / 2), ns, uncertainty_ns: scale(width, rate) / 2 + 1 };
        }
    }
    (pair.uncertainty_ns < 50_000).then_some(pair)
}

/// Measures the counter, in about 0.2 ms. Returns a pair and the rate; None if the counter cannot be used.
fn calibrate() -> Option<(Pair, u64)> {
    if !has_invariant_counter() {
        return None;
    }
    // Without a known rate, the width of a reading is in ticks. That overestimates it for fast counters.
    let unknown_rate = 1 << SHIFT;
    let begin = read_pair(unknown_rate)?;
    while monotonic_ns() - begin.ns < CALIBRATION_NS {
        std::hint::spin_loop();
    }
    let end = read_pair(unknown_rate)?;
    let rate = slope(end.ns - begin.ns, end.counter.checked_sub(begin.counter)?);
    // 1 MHz to 100 GHz: any other rate means that the counter jumped during the measurement.
    let one_ns = 1_u64 << SHIFT;
    (one_ns / 100..=one_ns * 1000).contains(&rate).then_some((end, rate))
}

impl Clock {
    /// Chooses the unit of raw clocks for a new session. Only while no thread traces. `use_counter` is false in a
    /// session without lanes, whose times are ns.
    pub fn start(&self, use_counter: bool) {
        let measured = if use_counter { calibrate() } else { None };
        let now = monotonic_ns();
        let (pair, rate) = measured.unwrap_or((Pair { counter: 0, ns: now, uncertainty_ns: 0 }, 0));
        self.kind.store(if measured.is_some() { CLOCK_COUNTER } else { CLOCK_MONOTONIC }, Relaxed);
        self.init_counter.store(pair.counter, Relaxed);
        self.init_ns.store(pair.ns, Relaxed);
        self.mult.store(rate, Relaxed);
        self.good_counter.store(pair.counter, Relaxed);
        self.good_ns.store(pair.ns, Relaxed);
        self.pair_ticks.store(if measured.is_some() { slope(PAIR_NS, rate) } else { PAIR_NS }, Relaxed);
        self.pair_due.store(self.now() + self.pair_ticks.load(Relaxed), Relaxed);
    }

    /// The present raw clock: the unit of times in lanes and compact stations.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        // Relaxed: a thread may notice later than others that the counter was given up.
        if self.counts() {
            read_counter()
        } else {
            self.now_without_counter()
        }
    }

    #[inline(always)]
    pub fn counts(&self) -> bool {
        self.kind.load(Relaxed) == CLOCK_COUNTER
    }

    #[cold]
    #[inline(never)]
    fn now_without_counter(&self) -> u64 {
        // Acquire; partner: the release in give_up, so that `mult` is final.
        let given_up = self.kind.load(Acquire) == CLOCK_GIVEN_UP;
        let now = monotonic_ns();
        if given_up {
            self.ticks_at(now)
        } else {
            now
        }
    }

    /// Converts a time of CLOCK_MONOTONIC to ticks of a perfect counter, by the process's line (CLOCK_GIVEN_UP).
    fn ticks_at(&self, ns: u64) -> u64 {
        let elapsed = ns.saturating_sub(self.init_ns.load(Relaxed));
        self.init_counter.load(Relaxed).wrapping_add(slope(elapsed, self.mult.load(Relaxed)))
    }

    /// Fills the clock of a claimed process entry.
    pub fn describe(&self, entry: &ProcessEntry) {
        let kind = self.kind.load(Relaxed);
        entry.clock_kind.store(kind, Relaxed);
        entry.init_ns.store(self.init_ns.load(Relaxed), Relaxed);
        entry.init_counter.store(self.init_counter.load(Relaxed), Relaxed);
        entry.mult.store(self.mult.load(Relaxed), Relaxed);
        entry.late_seq.store(0, Relaxed);
        entry.late_ns.store(self.init_ns.load(Relaxed), Relaxed);
        entry.late_counter.store(self.init_counter.load(Relaxed), Relaxed);
    }

    /// True if the process's pair is due at the raw time `now`. Also true when the counter has fallen far behind.
    pub fn is_pair_due(&self, now: u64) -> bool {
        let left = self.pair_due.load(Relaxed).wrapping_sub(now);
        left > self.pair_ticks.load(Relaxed) // a negative value wraps: due
    }

    /// Publishes the process's latest pair of clocks, at most every 100 ms, and checks the counter with it. `still`:
    /// the counter stands still, so it makes no pair due; publish now.
    #[cold]
    pub fn publish_pair(&self, entry: &ProcessEntry, still: bool) {
        let now = self.now();
        let due = self.pair_due.load(Relaxed);
        let next = now.wrapping_add(self.pair_ticks.load(Relaxed));
        if !still && !self.is_pair_due(now) || self.pair_due.compare_exchange(due, next, Relaxed, Relaxed).is_err() {
            return;
        }
        if self.kind.load(Relaxed) == CLOCK_MONOTONIC {
            return;
        }
        let seq = entry.late_seq.load(Relaxed);
        // One thread at a time, even if it is preempted for longer than 100 ms. Acquire; partner: the last store below.
        if seq & 1 != 0 || entry.late_seq.compare_exchange(seq, seq + 1, Acquire, Relaxed).is_err() {
            return;
        }
        if let Some(pair) = self.read_checked_pair(entry, still) {
            entry.late_ns.store(pair.ns, Release);
            entry.late_counter.store(pair.counter, Release);
        }
        entry.late_seq.store(seq.wrapping_add(2), Release); // partner: the engine's acquire loads
    }

    /// Reads the pair to publish. None when the reading was disturbed. Only the thread that holds late_seq.
    fn read_checked_pair(&self, entry: &ProcessEntry, still: bool) -> Option<Pair> {
        if self.counts() {
            let pair = if still { None } else { read_pair(self.mult.load(Relaxed)) };
            // A disturbed reading may be late, but it never goes back. So a counter behind good_counter is faulty.
            if pair.is_none() && !still && read_counter() > self.good_counter.load(Relaxed) {
                return None;
            }
            if let Some(pair) = pair.filter(|pair| self.does_agree(pair)) {
                self.remember(&pair);
                entry.mult.store(self.mult.load(Relaxed), Relaxed);
                return Some(pair);
            }
            self.give_up(entry);
        }
        let ns = monotonic_ns();
        Some(Pair { counter: self.ticks_at(ns), ns, uncertainty_ns: 0 })
    }

    /// True if a pair agrees with the pairs before it.
    fn does_agree(&self, pair: &Pair) -> bool {
        let (good_counter, good_ns) = (self.good_counter.load(Relaxed), self.good_ns.load(Relaxed));
        if pair.counter <= good_counter || pair.ns < good_ns {
            return false;
        }
        let elapsed = pair.ns - good_ns;
        let predicted = scale(pair.counter - good_counter, self.mult.load(Relaxed));
        let error = predicted.max(elapsed) - predicted.min(elapsed);
        let known = good_ns - self.init_ns.load(Relaxed) >= KNOWN_NS;
        // The first measurement takes a fraction of a millisecond, and may have been disturbed.
        let drift = if known { elapsed / DRIFT_SHARE } else { elapsed - elapsed / 4 };
        error <= ERROR_NS + drift + 2 * pair.uncertainty_ns
    }

    /// Stores a pair that agreed. The next pair is compared with it.
    fn remember(&self, pair: &Pair) {
        let ns = pair.ns - self.init_ns.load(Relaxed);
        if ns >= KNOWN_NS {
            self.mult.store(slope(ns, pair.counter - self.init_counter.load(Relaxed)), Relaxed);
        }
        self.good_counter.store(pair.counter, Relaxed);
        self.good_ns.store(pair.ns, Relaxed);
    }

    /// Gives up the counter. Later times lie exactly on the line of the process's entry.
    fn give_up(&self, entry: &ProcessEntry) {
        // Again, in case the shared memory was overwritten: new times are computed by this value.
        entry.mult.store(self.mult.load(Relaxed), Relaxed);
        // Release each; partners: the engine's acquire load, and the acquire load in now_without_counter.
        entry.clock_kind.store(CLOCK_GIVEN_UP, Release);
        self.kind.store(CLOCK_GIVEN_UP, Release);
    }
}

/// A thread's check that the counter moves. A counter that stands still makes no pair due.
#[derive(Clone, Copy)]
pub struct StillWatch {
    seen: u64,
    since_ns: u64, // ns, CLOCK_MONOTONIC, when the counter was first found unchanged; 0 = it moves
}

impl StillWatch {
    pub const fn new() -> Self {
        StillWatch { seen: 0, since_ns: 0 }
    }

    /// Returns the next state, and true if the counter has shown one value for 2 ms. `counter`: its present value.
    pub fn check(self, counter: u64) -> (Self, bool) {
        if counter != self.seen {
            return (StillWatch { seen: counter, since_ns: 0 }, false);
        }
        let now = monotonic_ns();
        let since_ns = if self.since_ns == 0 { now } else { self.since_ns };
        // Reads the counter again: the thread may have been preempted after the first reading.
        (StillWatch { seen: counter, since_ns }, now - since_ns >= STILL_NS && read_counter() == counter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trusts_the_tsc_as_the_kernel_does() {
        assert!(is_tsc_trusted(b"tsc hpet acpi_pm \n", b"tsc\n"));
        assert!(is_tsc_trusted(b"kvm-clock tsc \n", b"kvm-clock\n"));
        assert!(is_tsc_trusted(b"", b""));
        assert!(!is_tsc_trusted(b"tsc hpet \n", b"hpet\n"));
        assert!(!is_tsc_trusted(b"hpet acpi_pm \n", b"acpi_pm\n"));
    }

    #[test]
    fn slope_and_scale_are_inverse() {
        let rate = slope(1_000_000, 2_500_000);
        assert_eq!(scale(2_500_000_000, rate) / 1_000, 999_999);
        assert_eq!(slope(1, 0), 0);
    }

    #[test]
    fn a_counter_that_stands_still_is_noticed_after_a_while() {
        let (watch, still) = StillWatch::new().check(read_counter());
        assert!(!still);
        let (watch, still) = watch.check(watch.seen);
        assert!(!still && watch.since_ns != 0);
        let (_, still) = watch.check(read_counter());
        assert!(!still);
    }
}
