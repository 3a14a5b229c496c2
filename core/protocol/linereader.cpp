// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/linereader.h"

namespace ct {

namespace {

/// The line may change under the copy this often before we come back later.
constexpr int kMaxLooks = 64;
/// A writer takes a few ns for an event: odd and unmoved under so many copies, it has stopped in the middle of one.
constexpr int kLooksUntilTorn = 16;

/// Every load acquire: the second loads of seq and life cannot move before any of them. Partners: the writer's
/// release stores.
LineCopy copyLines(const corotracer::StateLine &line, const corotracer::BirthLine &birth)
{
    constexpr auto kAcquire = std::memory_order_acquire;
    LineCopy copy;
    copy.ts = line.ts.load(kAcquire);
    copy.addr = line.addr.load(kAcquire);
    const std::uint64_t what = line.what.load(kAcquire);
    copy.site = static_cast<std::uint32_t>(what);
    copy.kind = static_cast<std::uint8_t>(what >> 32);
    copy.tid = line.tid.load(kAcquire);
    copy.deathTs = line.death_ts.load(kAcquire);
    copy.probeId = birth.probe_id.load(kAcquire);
    copy.birthTs = birth.birth_ts.load(kAcquire);
    copy.name = birth.name.load(kAcquire);
    copy.parent = birth.parent.load(kAcquire);
    copy.process = birth.process.load(kAcquire);
    return copy;
}

}  // namespace

std::optional<LineCopy> readLine(const corotracer::StateLine &line, const corotracer::BirthLine &birth)
{
    std::uint64_t oddSeq = 0;
    int oddLooks = 0;
    for (int look = 0; look < kMaxLooks; ++look) {
        // Acquire, life first; partner: the release store of life at birth, after which seq is this generation's.
        const std::uint64_t life = line.life.load(std::memory_order_acquire);
        const std::uint64_t seq = line.seq.load(std::memory_order_acquire);
        LineCopy copy = copyLines(line, birth);
        // Relaxed: kept behind the copy by its acquire loads.
        if (line.seq.load(std::memory_order_relaxed) != seq || line.life.load(std::memory_order_relaxed) != life) {
            oddLooks = 0;
            continue;
        }
        if (seq & 1) {
            oddLooks = seq == oddSeq ? oddLooks + 1 : 1;
            oddSeq = seq;
            if (oddLooks < kLooksUntilTorn)
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
