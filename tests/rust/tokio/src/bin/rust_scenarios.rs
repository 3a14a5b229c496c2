// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! Runs the scenarios, and prints how many futures and events it counted by itself.
//!
//! usage: rust_scenarios paused|threads [NUMBER]...     no number: all of them

#[path = "../scenarios.rs"]
mod scenarios;

use std::sync::atomic::Ordering::*;

use tokio::runtime::{Builder, Runtime};

fn runtime(kind: &str) -> Runtime {
    let mut builder = match kind {
        "paused" => Builder::new_current_thread(),
        "threads" => Builder::new_multi_thread(),
        _ => panic!("paused or threads, not {kind}"),
    };
    builder.enable_all().worker_threads(4).thread_name("worker");
    if kind == "paused" {
        builder.start_paused(true);
    }
    builder.build().expect("no runtime")
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().expect("paused or threads");
    let numbers: Vec<usize> = arguments.map(|number| number.parse().expect("a number")).collect();
    let all: Vec<usize> = (1..=scenarios::COUNT).collect();
    let chosen = if numbers.is_empty() { all } else { numbers };
    runtime(&kind).block_on(async {
        for &number in &chosen {
            let before = scenarios::EVENTS.load(Relaxed);
            scenarios::run(number).await;
            let events = scenarios::EVENTS.load(Relaxed) - before;
            assert!(
                kind != "paused" || events == scenarios::EXPECTED[number - 1],
                "scenario {number}: {events} events"
            );
        }
    });
    println!("{} {}", scenarios::FUTURES.load(Relaxed), scenarios::EVENTS.load(Relaxed));
}
