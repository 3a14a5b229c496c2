// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
use std::arch::asm;

mod shapes {
    #[inline(always)]
    pub fn innermost() {
        let here: usize;
        unsafe { super::asm!("lea {}, [rip]", out(reg) here) }; // MARK innermost
        println!("innermost {} {:#x}", line!() - 1, here - 1);
    }

    #[inline(never)]
    pub fn outer(value: i64) {
        if value > 0 {
            innermost(); // MARK outer
        }
        println!();
    }
}

fn main() {
    shapes::outer(std::env::args().count() as i64);
    println!("maps");
    print!("{}", std::fs::read_to_string("/proc/self/maps").unwrap());
}
