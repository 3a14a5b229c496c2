// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Terminal output of a recorded target, on its way from the file to the display. In a replay, it waits here until it is
// due. Memory is bounded, however much the target wrote.
#pragma once

#include "core/recording/format/rowlayouts.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

namespace ct {

/// All methods: any thread.
class ReplayedOutput {
public:
    /// Limits in bytes: for output that is not due yet, and for due output until takeDueOutput(). Beyond them, the
    /// oldest output is removed, and its lines are counted.
    static constexpr std::size_t kMostPending = 16U << 20;
    static constexpr std::size_t kMostDue = 2U << 20;
    static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

    /// Adds pieces in the order in which the target wrote them.
    void addPiece(ctr::OutputPiece piece);
    /// Output up to `until` (ns, stream time) is due from now on. At first, nothing is due. Never goes back.
    void release(std::uint64_t until);
    /// Returns when the first piece that is not due was written; nullopt: there is none.
    std::optional<std::uint64_t> pendingSince() const;

    struct DueOutput {
        std::vector<ctr::OutputPiece> pieces;
        std::uint64_t linesLeftOut = 0;  ///< removed before `pieces`
    };
    /// Returns the output that has become due since the last call.
    DueOutput takeDueOutput();

private:
    struct Queue {
        std::deque<ctr::OutputPiece> pieces;
        std::size_t bytes = 0;
    };
    static ctr::OutputPiece takeFirst(Queue &queue);
    void appendPiece(Queue &queue, ctr::OutputPiece piece, std::size_t most);

    mutable std::mutex m_mutex;  ///< guards the members below
    Queue m_pending;
    Queue m_due;
    std::uint64_t m_until = 0;
    std::uint64_t m_linesLeftOut = 0;  ///< lines left out since the last takeDueOutput()
};

}  // namespace ct
