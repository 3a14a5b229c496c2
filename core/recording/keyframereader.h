// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// A keyframe, put together from its blocks. Untrusted, like all that is read.
#pragma once

#include "core/recording/batchcodec.h"

#include <deque>
#include <string_view>
#include <vector>

namespace ct::ctr {

class KeyframeReader {
public:
    /// The payload of the next block of kind Keyframe. False: it contradicts itself, or does not go on with those
    /// before; a first piece begins anew.
    bool take(std::string_view payload);
    bool isWhole() const { return m_pieces != 0 && m_taken == m_pieces; }

    // Of a whole one.
    CoroutineId born() const { return m_born; }
    std::vector<CoroutineId> living() const;  ///< ascending, all of them below born()
    std::deque<Batch> takeBatches();          ///< ids are those of the recording

private:
    void begin(const KeyframeRow &row);

    StreamDecoder m_decoder;
    std::deque<Batch> m_batches;
    CoroutineId m_born = 0;
    CoroutineId m_next = 0;  ///< the least that the next living one may be
    std::uint32_t m_taken = 0;
    std::uint32_t m_pieces = 0;
};

}  // namespace ct::ctr
