// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Assembles a keyframe from its blocks, which are untrusted.
#pragma once

#include "core/recording/format/batchcodec.h"

#include <deque>
#include <string_view>
#include <vector>

namespace ct::ctr {

class KeyframeReader {
public:
    /// Adds the payload of the next Keyframe block. A first piece starts a new keyframe. Returns false, and discards
    /// all pieces, when the payload contradicts itself or is not the next piece.
    bool addPiece(std::string_view payload);
    bool isWhole() const { return m_pieces != 0 && m_piecesRead == m_pieces; }

    // Valid when isWhole().
    CoroutineId born() const { return m_born; }
    std::vector<CoroutineId> living() const;  ///< ids in ascending order, all below born()
    /// Moves the batches out. Their ids are those of the recording.
    std::deque<Batch> takeBatches();

private:
    void beginKeyframe(const KeyframeRow &row);

    StreamDecoder m_decoder;
    std::deque<Batch> m_batches;
    CoroutineId m_born = 0;
    CoroutineId m_next = 0;  ///< smallest id that the next living coroutine may have
    std::uint32_t m_piecesRead = 0;
    std::uint32_t m_pieces = 0;
};

}  // namespace ct::ctr
