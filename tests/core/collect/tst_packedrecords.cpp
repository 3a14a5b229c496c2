// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Packets of records: whatever the records contain, they come back exactly, and a packet stays in its room.
#include "core/collect/packedrecords.h"
#include "corotracer/layout.h"
#include "tests/support/check.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

using ct::RecordCopy;

namespace {

constexpr std::byte kGuard{0xA5};

bool isSame(const RecordCopy &a, const RecordCopy &b)
{
    return a.ts == b.ts && a.identity == b.identity && a.arg == b.arg && a.commit == b.commit;
}

std::vector<RecordCopy> unpacked(const std::byte *packet, std::size_t &bytes)
{
    std::array<RecordCopy, ct::kMostInPacket> records;
    const ct::Packet read = ct::unpackRecords(packet, records);
    bytes = read.bytes;
    return {records.begin(), records.begin() + static_cast<std::ptrdiff_t>(read.records)};
}

/// Packs all records into rooms of this size. Checks the packets, and returns the bytes that they have together.
std::size_t packAll(std::span<const RecordCopy> records, std::size_t roomBytes)
{
    std::size_t total = 0;
    std::vector<std::byte> memory(roomBytes + 64);
    while (!records.empty()) {
        std::fill(memory.begin(), memory.end(), kGuard);
        const std::span<const RecordCopy> some = records.first(std::min(records.size(), ct::kMostInPacket));
        const ct::Packet packet = ct::packRecords(some, std::span(memory).first(roomBytes));
        REQUIRE(packet.records != 0 && packet.records <= some.size() && packet.bytes <= roomBytes);
        CHECK(std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(roomBytes), memory.end(),
                          [](std::byte byte) { return byte == kGuard; }));
        std::size_t bytes = 0;
        const std::vector<RecordCopy> copies = unpacked(memory.data(), bytes);
        CHECK_EQUAL(bytes, packet.bytes);
        REQUIRE(copies.size() == packet.records);
        CHECK(std::equal(copies.begin(), copies.end(), some.begin(), isSame));
        total += packet.bytes;
        records = records.subspan(packet.records);
    }
    return total;
}

/// Records of a thread that resumes `coroutines` coroutines in turns.
std::vector<RecordCopy> scheduled(std::size_t count, std::uint32_t coroutines)
{
    std::vector<RecordCopy> records;
    std::uint64_t ts = 0x0012'3456'789A'BCDE;
    for (std::size_t i = 0; i < count; ++i) {
        const bool resumes = i % 2 == 0;
        const auto index = static_cast<std::uint32_t>(i / 2 % coroutines);
        const std::uint64_t n = 2 * (i / 2 / coroutines) + (resumes ? 1 : 2);
        const std::uint8_t kind = resumes ? corotracer::kRecordResume : corotracer::kRecordSuspend;
        ts += 60 + i % 40;
        records.push_back({ts, std::uint64_t{7} << 32 | index, resumes ? 0 : 0x0000'5555'5555'1230U,
                           corotracer::lane_commit(n, 3, kind, 1)});
    }
    return records;
}

}  // namespace

/// Each field gets random bits up to a random width, so every width meets every other one, and verbatim packets.
CT_CASE(anyRecordsComeBack)
{
    std::mt19937_64 random(1);
    const auto below = [&random](std::uint64_t limit) { return random() % limit; };
    for (int round = 0; round < 20'000; ++round) {
        std::array<std::uint64_t, 4> masks{};
        for (std::uint64_t &mask : masks) {
            const std::uint64_t bits = below(65);
            mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
        }
        const RecordCopy base{random(), random(), random(), random()};
        std::vector<RecordCopy> records(1 + below(300));
        std::uint64_t ts = base.ts;
        for (RecordCopy &record : records) {
            ts += random() & masks[0];  // may wrap, so it may go back
            record = {ts, base.identity ^ (random() & masks[1]), base.arg ^ (random() & masks[2]),
                      base.commit ^ (random() & masks[3])};
        }
        packAll(records, ct::kLeastPacketRoom + below(3) * below(4000));
    }
}

CT_CASE(equalRecordsTakeNoRoom)
{
    const std::vector<RecordCopy> records(ct::kMostInPacket, RecordCopy{1, 2, 3, 4});
    CHECK(packAll(records, ct::kLeastPacketRoom) < ct::kLeastPacketRoom);
}

/// A record whose kind comes late in the packet may have any argument.
CT_CASE(aRareKindComesBack)
{
    std::vector<RecordCopy> records = scheduled(ct::kMostInPacket, 10);
    records[100] = {records[100].ts, ct::kMostInPacket, ~std::uint64_t{0},
                    corotracer::lane_commit(0, 0, corotracer::kRecordDrops, 1)};
    packAll(records, 16384);
}

/// The budget of a backlog counts on this: a fifth of the 32 bytes that a record has in the lane.
CT_CASE(theEventsOfASchedulerArePackedWell)
{
    const std::size_t count = 100 * ct::kMostInPacket;
    CHECK(packAll(scheduled(count, 1000), 8192) < count * 7);
    CHECK(packAll(scheduled(count, 100'000), 8192) < count * 7);
}
