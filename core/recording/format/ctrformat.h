// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The layout of a native recording (.ctr): heads, kinds, tags and limits. docs/recording.md describes it.
// See docs/decisions/0009-the-recording-format.md.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ct::ctr {

static_assert(std::endian::native == std::endian::little, "heads are copied as they are");

inline constexpr std::array<char, 8> kFileMagic{'C', 'T', 'R', 'E', 'C', 'O', 'R', 'D'};
inline constexpr std::array<char, 8> kEndMagic{'C', 'T', 'R', 'E', 'C', 'E', 'N', 'D'};
inline constexpr std::array<char, 4> kBlockMagic{'c', 't', 'B', 'k'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kByteOrder = 0x01020304;

struct FileHead {
    std::array<char, 8> magic = kFileMagic;
    std::uint32_t version = kVersion;
    std::uint32_t byteOrder = kByteOrder;
    std::uint64_t recording = 0;
    std::uint32_t segment = 0;
    std::uint32_t reserved0 = 0;
    std::uint64_t begun = 0;  ///< ns since 1970
    std::array<std::uint64_t, 2> reserved1{};
    std::uint64_t check = 0;
};

enum class Kind : std::uint16_t { Info = 1, Stream = 2, Keyframe = 3, Output = 4, End = 5, Frames = 6 };

inline constexpr std::uint16_t kCompressed = 1;

struct BlockHead {
    std::array<char, 4> magic = kBlockMagic;
    Kind kind = Kind::Info;
    std::uint16_t flags = 0;
    std::uint64_t recording = 0;
    std::uint32_t sequence = 0;
    std::uint32_t bytes = 0;     ///< length of the payload in the file
    std::uint32_t rawBytes = 0;  ///< length of the decompressed payload
    std::uint32_t transitions = 0;
    std::uint64_t transitionsBefore = 0;  ///< transitions in all earlier Stream blocks of the file
    std::uint64_t firstTs = 0;            ///< ns, CLOCK_MONOTONIC: the earliest time in the block
    std::uint64_t lastTs = 0;             ///< ns, CLOCK_MONOTONIC: the latest time in the block
    std::uint64_t check = 0;
};

struct Trailer {
    std::array<char, 8> magic = kEndMagic;
    std::uint64_t endBlock = 0;  ///< offset of the End block in the file
    std::uint64_t recording = 0;
    std::uint64_t check = 0;
};

static_assert(sizeof(FileHead) == 64 && offsetof(FileHead, check) == 56 && offsetof(FileHead, begun) == 32);
static_assert(sizeof(BlockHead) == 64 && offsetof(BlockHead, check) == 56 && offsetof(BlockHead, sequence) == 16 &&
              offsetof(BlockHead, transitionsBefore) == 32);
static_assert(sizeof(Trailer) == 32 && offsetof(Trailer, check) == 24);
static_assert(std::is_trivially_copyable_v<FileHead> && std::is_trivially_copyable_v<BlockHead> &&
              std::is_trivially_copyable_v<Trailer>);

inline constexpr std::uint32_t kMostPayload = 64U << 20;  ///< limit for a payload, bytes
inline constexpr std::uint64_t kMostRows = 1U << 20;      ///< limit for the rows of a section
/// Event numbers and counts of events stay below this limit, so arithmetic with them cannot overflow.
inline constexpr std::uint64_t kNumberEnd = 1ULL << 56;

enum class Tag : std::uint8_t {
    Batches = 1,
    Sites,
    Births,
    Losses,
    Transitions,
    Deaths,
    Flags,
    Processes,
    ThreadNames,
    Names,
    Parents,
    WaitsOn,
    Wakes,
    Drops,
    Switches,
    ProcessEnds,
    Sums,
    Keyframe,
    Uses,
    WakersLeft,
    Finishes,
    ThreadSamples,
    DescriptorSamples,
    ProcessSamples,
    Output = 32,
    Frames = 33,
    Blocks = 48,
};
static_assert(static_cast<int>(Tag::Sums) == 17 && static_cast<int>(Tag::ProcessSamples) == 24);

}  // namespace ct::ctr
