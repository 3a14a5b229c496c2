// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Packs copies of records of one lane into packets. A backlog of unpacked records would need three to five times as
// much memory, and fresh memory costs more time than packing does. Standard library only, no state.
//
// A packet stores each field only as far as it differs between its records: the time from the record before, the
// argument from the first one of the same group of kinds, everything else from the first record. All records of a
// packet use the same number of bits for a field. (Frame-of-reference coding; Goldstein, Ramakrishnan, Shaft:
// Compressing relations and indexes, ICDE 1998.)
#pragma once

#include "core/protocol/lanereader.h"

#include <cstddef>
#include <span>

namespace ct {

inline constexpr std::size_t kMostInPacket = 256;     ///< records
inline constexpr std::size_t kLeastPacketRoom = 104;  ///< bytes; one record fits into them, whatever it contains

/// Number of records in a packet, and its size.
struct Packet {
    std::size_t records = 0;
    std::size_t bytes = 0;
};

/// Packs the first ones of `records` (1 to kMostInPacket), as many as fit. `room` has kLeastPacketRoom bytes at least;
/// all of it may be overwritten.
Packet packRecords(std::span<const RecordCopy> records, std::span<std::byte> room);

/// Restores the records exactly. `packet`: a packet as packRecords() wrote it, with the room behind it.
Packet unpackRecords(const std::byte *packet, std::span<RecordCopy, kMostInPacket> records);

}  // namespace ct
