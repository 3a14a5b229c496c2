// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/compactreader.h"

namespace ct {

namespace {

/// Attempts per call of readCompact().
constexpr int kMaxAttempts = 64;
/// A writer needs a few ns per event. If seq stays odd and unchanged for so many copies in a row, the writer has
/// stopped in the middle of an event.
constexpr int kReadingsUntilTorn = 16;

/// All loads are acquire, which keeps the second loads of seq and life behind them. Partners: the writer's release
/// stores.
CompactCopy copyCompact(const corotracer::CompactState &state, const corotracer::CompactBirth &birth)
{
    constexpr auto kAcquire = std::memory_order_acquire;
    CompactCopy copy;
    copy.ts = state.ts.load(kAcquire);
    copy.addr = state.addr.load(kAcquire);
    const std::uint64_t what = state.what.load(kAcquire);
    copy.site = static_cast<std::uint32_t>(what);
    copy.kind = static_cast<std::uint8_t>(what >> 32);
    copy.tid = state.tid.load(kAcquire);
    copy.deathTs = state.death_ts.load(kAcquire);
    copy.finishedTs = state.finished_ts.load(kAcquire);
    copy.probeId = birth.probe_id.load(kAcquire);
    copy.birthTs = birth.birth_ts.load(kAcquire);
    copy.name = birth.name.load(kAcquire);
    copy.parent = birth.parent.load(kAcquire);
    copy.process = birth.process.load(kAcquire);
    return copy;
}

}  // namespace

std::optional<CompactCopy> readCompact(const corotracer::CompactState &state, const corotracer::CompactBirth &birth)
{
    std::uint64_t oddSeq = 0;
    int oddReadings = 0;
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
        // Acquire, and life first. Partner: the release store of life at birth, after which seq counts this generation.
        const std::uint64_t life = state.life.load(std::memory_order_acquire);
        const std::uint64_t seq = state.seq.load(std::memory_order_acquire);
        CompactCopy copy = copyCompact(state, birth);
        // Relaxed: the acquire loads of the copy keep these loads behind it.
        if (state.seq.load(std::memory_order_relaxed) != seq || state.life.load(std::memory_order_relaxed) != life) {
            oddReadings = 0;
            continue;
        }
        if (seq & 1) {
            oddReadings = seq == oddSeq ? oddReadings + 1 : 1;
            oddSeq = seq;
            if (oddReadings < kReadingsUntilTorn)
                continue;
            copy.latestTorn = true;
        }
        copy.generation = static_cast<std::uint32_t>(life >> 32);
        copy.life = static_cast<std::uint32_t>(life);
        copy.events = seq / 2;
        if (copy.events == 0 || copy.latestTorn)
            copy.ts = copy.addr = copy.site = copy.kind = copy.tid = 0;
        return copy;
    }
    return std::nullopt;
}

}  // namespace ct
