// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/packedrecords.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace ct {

namespace {

/// Groups of kinds: suspensions, resumptions and the others have arguments that have little in common.
constexpr std::size_t kGroups = 4;
/// Records that are searched for the first one of each group.
constexpr std::size_t kSearched = 16;
/// Each store and load has 8 bytes, so the last ones reach behind the packet.
constexpr std::size_t kSlack = 8;

/// The parts of a record that are packed, in the order of their bits: three in a first word, three in a second one.
enum Field : std::size_t { Time, Number, Low, Index, Generation, Argument, kFields };
constexpr std::size_t kFirstOfSecondWord = Index;

struct Head {
    std::uint64_t ts = 0;
    std::uint64_t identity = 0;
    std::uint64_t commit = 0;
    std::array<std::uint64_t, kGroups> args{};
    std::uint8_t last = 0;  ///< number of records - 1
    std::uint8_t shift =
        0;  ///< number of low bits of commit that all records share; kVerbatim: the records are not packed
    std::array<std::uint8_t, kFields> bits{};
};
constexpr std::uint8_t kVerbatim = 0xFF;
static_assert(sizeof(Head) == 64);
static_assert(sizeof(Head) + sizeof(RecordCopy) + kSlack == kLeastPacketRoom);

std::size_t groupOf(std::uint64_t commit)
{
    return commit >> 8 & (kGroups - 1);
}

/// Where the fields lie in their words, and how long the words are. Where the bits of both fit into one word, it holds
/// all of them.
struct Shape {
    explicit Shape(const std::array<std::uint8_t, kFields> &bits)
    {
        for (std::size_t field = 0; field < kFields; ++field) {
            unsigned &used = wordBits[field >= kFirstOfSecondWord];
            // A field without bits may begin behind the word.
            at[field] = used % 64;
            used += bits[field];
            masks[field] = bits[field] == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits[field]) - 1;
        }
        isJoined = wordBits[0] + wordBits[1] <= 64;
        if (!isJoined)
            return;
        for (std::size_t field = kFirstOfSecondWord; field < kFields; ++field)
            at[field] = (at[field] + wordBits[0]) % 64;
        wordBits = {wordBits[0] + wordBits[1], 0};
    }
    bool fits() const { return wordBits[0] <= 64 && wordBits[1] <= 64; }
    std::size_t bytes(std::size_t word) const { return (wordBits[word] + 7) / 8; }

    std::array<unsigned, 2> wordBits{};
    bool isJoined = false;
    std::array<unsigned, kFields> at{};
    std::array<std::uint64_t, kFields> masks{};
};

/// Sets everything but the number of records.
Head headFor(std::span<const RecordCopy> records)
{
    Head head;
    const RecordCopy &first = records.front();
    head.ts = first.ts;
    head.identity = first.identity;
    head.commit = first.commit;
    for (std::size_t i = std::min(records.size(), kSearched); i-- > 0;)
        head.args[groupOf(records[i].commit)] = records[i].arg;
    std::uint64_t times = 0, identities = 0, args = 0, commits = 0;
    std::uint64_t previous = head.ts;
    for (const RecordCopy &record : records) {
        times |= record.ts - previous;
        previous = record.ts;
        identities |= record.identity ^ head.identity;
        args |= record.arg ^ head.args[groupOf(record.commit)];
        commits |= record.commit ^ head.commit;
    }
    const auto low = static_cast<std::uint32_t>(commits);
    head.shift = static_cast<std::uint8_t>(low != 0 ? std::countr_zero(low) : 0);
    const auto width = [](std::uint64_t value) { return static_cast<std::uint8_t>(std::bit_width(value)); };
    head.bits = {width(times),
                 width(commits >> 32),
                 width(low >> head.shift),
                 width(static_cast<std::uint32_t>(identities)),
                 width(identities >> 32),
                 width(args)};
    return head;
}

template <bool isJoined>
void packWords(std::span<const RecordCopy> records, const Head &head, const Shape &shape, std::byte *to)
{
    const std::size_t firstBytes = shape.bytes(0);
    const std::size_t secondBytes = shape.bytes(1);
    std::uint64_t previous = head.ts;
    for (const RecordCopy &record : records) {
        const std::uint64_t identity = record.identity ^ head.identity;
        const std::uint64_t commit = record.commit ^ head.commit;
        const std::uint64_t first = (record.ts - previous) << shape.at[Time] | (commit >> 32) << shape.at[Number] |
                                    std::uint64_t{static_cast<std::uint32_t>(commit) >> head.shift} << shape.at[Low];
        const std::uint64_t second = std::uint64_t{static_cast<std::uint32_t>(identity)} << shape.at[Index] |
                                     (identity >> 32) << shape.at[Generation] |
                                     (record.arg ^ head.args[groupOf(record.commit)]) << shape.at[Argument];
        previous = record.ts;
        const std::uint64_t word = isJoined ? first | second : first;
        std::memcpy(to, &word, sizeof(word));
        to += firstBytes;
        if (!isJoined)
            std::memcpy(to, &second, sizeof(second));
        to += secondBytes;
    }
}

template <bool isJoined>
void unpackWords(const std::byte *from, const Head &head, const Shape &shape, std::span<RecordCopy> records)
{
    const std::size_t firstBytes = shape.bytes(0);
    const std::size_t secondBytes = shape.bytes(1);
    std::uint64_t previous = head.ts;
    for (RecordCopy &record : records) {
        std::uint64_t first = 0;
        std::memcpy(&first, from, sizeof(first));
        from += firstBytes;
        std::uint64_t second = first;
        if (!isJoined)
            std::memcpy(&second, from, sizeof(second));
        from += secondBytes;
        const auto field = [&shape](std::uint64_t word, Field which) {
            return word >> shape.at[which] & shape.masks[which];
        };
        record.ts = previous += field(first, Time);
        record.commit = head.commit ^ (field(first, Number) << 32 | field(first, Low) << head.shift);
        record.identity = head.identity ^ (field(second, Generation) << 32 | field(second, Index));
        record.arg = head.args[groupOf(record.commit)] ^ field(second, Argument);
    }
}

}  // namespace

Packet packRecords(std::span<const RecordCopy> records, std::span<std::byte> room)
{
    Head head = headFor(records);
    const Shape shape(head.bits);
    if (!shape.fits())
        head.shift = kVerbatim;
    const std::size_t each = shape.fits() ? shape.bytes(0) + shape.bytes(1) : sizeof(RecordCopy);
    Packet packet;
    packet.records = records.size();
    if (each != 0)
        packet.records = std::min(packet.records, (room.size() - sizeof(Head) - kSlack) / each);
    packet.bytes = sizeof(Head) + packet.records * each;
    head.last = static_cast<std::uint8_t>(packet.records - 1);
    std::memcpy(room.data(), &head, sizeof(Head));
    std::byte *const to = room.data() + sizeof(Head);
    if (shape.isJoined)
        packWords<true>(records.first(packet.records), head, shape, to);
    else if (shape.fits())
        packWords<false>(records.first(packet.records), head, shape, to);
    else
        std::memcpy(to, records.data(), packet.records * sizeof(RecordCopy));
    return packet;
}

Packet unpackRecords(const std::byte *packet, std::span<RecordCopy, kMostInPacket> records)
{
    Head head;
    std::memcpy(&head, packet, sizeof(Head));
    const std::byte *const from = packet + sizeof(Head);
    const std::size_t count = std::size_t{head.last} + 1;
    if (head.shift == kVerbatim) {
        std::memcpy(records.data(), from, count * sizeof(RecordCopy));
        return {count, sizeof(Head) + count * sizeof(RecordCopy)};
    }
    const Shape shape(head.bits);
    const auto unpack = shape.isJoined ? unpackWords<true> : unpackWords<false>;
    unpack(from, head, shape, records.first(count));
    return {count, sizeof(Head) + count * (shape.bytes(0) + shape.bytes(1))};
}

}  // namespace ct
