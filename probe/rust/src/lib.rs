// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]
//! Traces the futures of a program into shared memory, where `corotracer-gui` shows them live.
//!
//! ```no_run
//! use corotracer::TraceFutureExt;
//!
//! # fn spawn<F: std::future::Future>(_: F) {}
//! # async fn serve(_: u32) {}
//! # let socket = 0;
//! spawn(serve(socket).traced().named("session 42"));
//! ```
//!
//! A program that `corotracer-gui` started attaches at its first traced future, or in [`init_tracer`]. Any other
//! program is untraced, at the cost of a load and a branch for each event. The crate has no dependencies, and works
//! with any executor. Programs written for the existing coroTracer Rust SDK compile unchanged.
//!
//! Nothing is printed but one line on stderr if a region is faulty. `errno` is preserved, nothing panics, and memory is
//! allocated once for each task. `docs/probe/rust.md` of corotracer-gui describes the costs and the limits.
//!
//! With the feature `off`, the crate keeps its API and does nothing.
//!
//! The crate has no flight recorder: a region in overwrite mode is used as a region without lanes. In a region without
//! lanes, it leaves the growth of the number of stations to the engine.

#[cfg(not(any(feature = "off", all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))))]
compile_error!("corotracer supports Linux on x86-64 and AArch64; build for another system with the feature `off`");

mod wait;
pub use wait::Wait;

#[cfg(feature = "off")]
mod off;
#[cfg(feature = "off")]
pub use off::*;

#[cfg(not(feature = "off"))]
mod on;
#[cfg(not(feature = "off"))]
pub use on::*;
