// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a recorded target wrote to its terminal, on its way from the file to who shows it: held back until its time has
// come, where it is replayed. Takes bounded memory, however much the target wrote.
#pragma once

#include "core/recording/rowlayouts.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

namespace ct {

/// All methods: any thread.
class RecordedOutput {
public:
    /// Bytes that are held back, and that wait to be taken, at most: what is older is left out, and counted.
    static constexpr std::size_t kMostHeld = 16U << 20;
    static constexpr std::size_t kMostDue = 2U << 20;
    static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

    /// In the order in which the target wrote them.
    void add(ctr::OutputPiece piece);
    /// From now on what was written up to then (ns, the stream's time) is due; at first, nothing is. Never back.
    void release(std::uint64_t until);
    /// When the first piece was written that is not due; nullopt: there is none.
    std::optional<std::uint64_t> heldSince() const;

    struct Taken {
        std::vector<ctr::OutputPiece> pieces;
        std::uint64_t linesLeftOut = 0;  ///< before them
    };
    /// What has become due since the last call.
    Taken take();

private:
    struct Queue {
        std::deque<ctr::OutputPiece> pieces;
        std::size_t bytes = 0;
    };
    static ctr::OutputPiece takeFirst(Queue &queue);
    void put(Queue &queue, ctr::OutputPiece piece, std::size_t most);

    mutable std::mutex m_mutex;  ///< guards what follows
    Queue m_held;
    Queue m_due;
    std::uint64_t m_until = 0;
    std::uint64_t m_linesLeftOut = 0;  ///< since the last take()
};

}  // namespace ct
