// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Notes that the engine adds to the stream of a run, on their way from another thread to the decoding thread. Neither
// waits for the other.
#pragma once

#include "core/base/takeallstack.h"
#include "core/stream/stream.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

namespace ct {

class AddedNotes {
public:
    AddedNotes() = default;
    ~AddedNotes();
    AddedNotes(const AddedNotes &) = delete;
    AddedNotes &operator=(const AddedNotes &) = delete;

    /// Adds the samples and finishes of `notes`. Any thread. `ts` is the time (ns, CLOCK_MONOTONIC) of its latest row,
    /// and not earlier than in this thread's call before.
    void add(std::uint64_t ts, Notes &&notes);
    /// Number of rows that were added, but not taken. Any thread.
    std::uint64_t rowsWaiting() const { return m_waiting.load(std::memory_order_relaxed); }

    /// Moves everything that is not later than `batch.now` into the batch, so that evidence and events come in the
    /// order of their times although the decoder may be late. Leaves out finishes of coroutines that die in this
    /// batch. Decoding thread only.
    void take(Batch &batch);

private:
    struct Added {
        std::uint64_t ts = 0;
        Notes notes;
        Added *below = nullptr;  ///< for TakeAllStack
    };
    void receive();

    TakeAllStack<Added> m_added;
    std::atomic<std::uint64_t> m_waiting{0};        ///< relaxed: a count that publishes nothing
    std::deque<std::unique_ptr<Added>> m_received;  ///< decoding thread only; oldest first
};

}  // namespace ct
