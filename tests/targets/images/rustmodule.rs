// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//! A module of ct_images in Rust: the functions of module.h.

use std::sync::atomic::AtomicU8;

/// Lies in this module, as the state of its probe does.
static STATE: AtomicU8 = AtomicU8::new(0);

#[no_mangle]
pub extern "C" fn module_init() {
    corotracer::init_tracer();
}

#[no_mangle]
pub extern "C" fn module_events(count: u64) -> u64 {
    let mut trace = corotracer::PollTrace::new();
    trace.set_name("of Rust");
    for i in 0..count {
        if i % 2 == 0 {
            trace.on_resume();
        } else {
            trace.on_pending_addr(0x1000);
        }
    }
    let traced = trace.is_enabled();
    trace.mark_dead();
    if traced {
        count
    } else {
        0
    }
}

#[no_mangle]
pub extern "C" fn module_state() -> *const u8 {
    &STATE as *const AtomicU8 as *const u8
}
