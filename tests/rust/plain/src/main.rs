// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! A target without dependencies. Prints the futures and events that it counted by itself.
//!
//! usage: rust_plain MODE [NUMBER]...

mod executor;
mod modes;
mod switching;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().expect("a mode");
    let numbers: Vec<usize> = arguments.map(|number| number.parse().expect("a number")).collect();
    let number = |index: usize, default: usize| numbers.get(index).copied().unwrap_or(default);
    let (futures, events) = match mode.as_str() {
        "storm" => modes::storm(number(0, 2), number(1, 100), number(2, 50)),
        "shortlived" => modes::short_lived(number(0, 20)),
        "nested" => modes::nested(),
        "joined" => modes::joined(),
        "wakers" => modes::wakers(),
        "moved" => modes::moved(),
        "objects" => modes::objects(),
        "switched" => switching::switched(),
        "fork" => switching::forked(number(0, 1) != 0),
        "errno" => switching::errno(number(0, 2000)),
        _ => panic!("there is no mode {mode}"),
    };
    println!("{futures} {events}");
}
