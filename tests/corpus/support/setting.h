// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a program of the corpus runs, and what it reports.
#pragma once

#include <chrono>
#include <cstdint>

namespace targets {
class RawRegion;
}

namespace corpus {

/// What a program tells the engine.
enum class Variant : std::uint8_t {
    Causes,    ///< suspensions with sites, and what is waited for, signalled, acquired, released and woken
    Plain,     ///< suspensions with sites
    Version1,  ///< what an SDK of version 1 writes: suspensions with the address of the frame
};

struct Setting {
    bool isBroken = false;
    unsigned threads = 2;
    std::chrono::milliseconds unit{20};  ///< programs pace themselves by multiples of it
};

/// Selects the variant of the process, and connects to the engine. Call it once, before the first coroutine.
void startTracing(Variant variant);
[[nodiscard]] bool reportsCauses();
/// The region in which this process writes as version 1 does; null in other variants, and without an engine.
[[nodiscard]] const targets::RawRegion *version1Region();
[[nodiscard]] bool isVersion1();

}  // namespace corpus
