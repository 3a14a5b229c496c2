// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target that violates the protocol. Whatever the region contains, the engine must not crash, hang, or allocate
// without bound. The target changes only its own mapping of the region, and with --mode truncate the size of the file.
#include "support/arguments.h"
#include "support/rawregion.h"
#include "support/report.h"
#include "support/stop.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <unistd.h>

namespace {

using corotracer::StationData;
using targets::RawRegion;
using Random = std::mt19937_64;

/// Stations to damage: enough for every attack, few enough to keep the file sparse.
constexpr std::size_t kPlayground = 256;

/// Stores raw bits into a field of any type, without a data race in the sense of the language.
template <class T>
void put(std::atomic<T> &field, std::uint64_t value)
{
    field.store(static_cast<T>(value), std::memory_order_relaxed);
}

std::size_t playground(const RawRegion &region)
{
    return std::min(kPlayground, (region.size() - corotracer::kHeaderSize) / corotracer::kStationSize);
}

void scribble(const RawRegion &region, std::size_t first, std::size_t last, Random &random)
{
    auto *words = reinterpret_cast<std::atomic<std::uint64_t> *>(region.bytes());
    for (int i = 0; i < 64; ++i)
        put(words[(first + random() % (last - first)) / sizeof(std::uint64_t)], random());
}

void garbageHeader(const RawRegion &region, Random &random)
{
    scribble(region, 0, corotracer::kHeaderSize, random);
}

void hugeCount(const RawRegion &region, Random &random)
{
    const std::uint32_t counts[] = {0xFFFFFFFFU, 0x80000000U, 0x7FFFFFFFU, 1U << 30, 0U, 3'000'000U};
    put(region.header().allocated_count, counts[random() % std::size(counts)]);
}

void randomSeqs(const RawRegion &region, Random &random)
{
    StationData &station = region.stations()[random() % playground(region)];
    // Small numbers are nearly valid, and reach deeper into a reader than random ones.
    const std::uint64_t seq = random() % 2 == 0 ? random() % 64 : random();
    put(station.slots[random() % corotracer::kSlotsPerStation].seq, seq);
}

void flickerDead(const RawRegion &region, Random &random)
{
    put(region.stations()[random() % playground(region)].header.is_dead, random() % 3);
}

void randomSites(const RawRegion &region, Random &random)
{
    StationData &station = region.stations()[random() % playground(region)];
    corotracer::Epoch &slot = station.slots[random() % corotracer::kSlotsPerStation];
    put(slot.site, random());
    put(slot.kind, random());
    put(slot.seq, slot.seq.load(std::memory_order_relaxed) + 2);
    put(region.header().extension.site_count, random());
    put(region.header().extension.strings_used, random());
}

void everything(const RawRegion &region, Random &random)
{
    const std::size_t end = corotracer::kHeaderSize + playground(region) * corotracer::kStationSize;
    scribble(region, 0, end, random);
    put(region.header().allocated_count, random() % 4 == 0 ? random() : kPlayground);
}

/// Truncates the file while the engine maps it. This process never accesses the removed pages.
bool truncateFile(const RawRegion &region)
{
    const int fd = ::open(region.path().c_str(), O_RDWR | O_CLOEXEC);
    const bool cut = fd >= 0 && ::ftruncate(fd, static_cast<off_t>(corotracer::kHeaderSize) * 3 / 2) == 0;
    if (!cut)
        std::perror("cannot truncate the region");
    if (fd >= 0)
        ::close(fd);
    return cut;
}

/// Fills stations as a correct program would, as material for the attacks.
void populate(const RawRegion &region)
{
    for (std::size_t i = 0; i < playground(region); ++i) {
        StationData *station = region.allocate();
        if (station == nullptr)
            return;
        put(station->header.probe_id, 0x1000 + i);
        put(station->header.birth_ts, targets::monotonicNs());
        for (std::size_t slot = 0; slot < corotracer::kSlotsPerStation; ++slot) {
            put(station->slots[slot].timestamp, targets::monotonicNs());
            put(station->slots[slot].tid, targets::threadId());
            put(station->slots[slot].is_active, slot % 2);
            put(station->slots[slot].seq, 2);
        }
    }
}

using Attack = void (*)(const RawRegion &, Random &);
constexpr struct {
    const char *mode;
    Attack attack;
} kAttacks[] = {{"header", garbageHeader}, {"allocated", hugeCount}, {"seqs", randomSeqs},
                {"dead", flickerDead},     {"sites", randomSites},   {"scribble", everything}};

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("damages the region it was given, in one way or in every way");
    arguments
        .choice("--mode", {"scribble", "header", "allocated", "seqs", "dead", "sites", "truncate"}, "what is damaged")
        .number("--seconds", 3, 0, 86'400, "how long")
        .number("--seed", 1, 0, UINT64_MAX, "of the random numbers");
    arguments.parse(argc, argv);
    targets::handleStopSignals();

    const std::string mode = arguments.word("--mode");
    const auto region = RawRegion::fromEnvironment(true);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(arguments.value("--seconds"));
    Random random(arguments.value("--seed"));
    bool cut = false;
    if (region)
        populate(*region);
    while (!targets::stopRequested() && std::chrono::steady_clock::now() < end) {
        for (const auto &[name, attack] : kAttacks) {
            for (int i = 0; region && mode == name && i < 100; ++i)
                attack(*region, random);
        }
        if (region && mode == "truncate" && !cut) {
            targets::sleepUnlessStopped(std::chrono::milliseconds(500));  // let the engine see a valid region first
            cut = truncateFile(*region);
        }
        if (region && !cut)
            region->wakeEngine();
        targets::sleepUnlessStopped(std::chrono::milliseconds(1));
    }
    std::printf("damage done: %s\n", region ? mode.c_str() : "none, not traced");
    return targets::writeReport({}) ? 0 : 1;
}
