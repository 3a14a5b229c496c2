// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The decoder turns what the collector has collected into the stream. It may be late: batches carry the time up to
// which the stream is complete. Uses no Qt, because the thread sanitizer has to check it. One thread calls it.
// See docs/decisions/0022-collect-then-decode.md.
#pragma once

#include "core/collect/rawqueue.h"
#include "core/harvest/processlist.h"
#include "core/region/region.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <memory>

namespace ct {

class Decoder {
public:
    /// `queue` belongs to the collector of the same region. Both must outlive the decoder. `isAlive` decides which
    /// processes live; empty = processIsAlive(). Tests pass their own.
    Decoder(Region &region, RawQueue &queue, IsAlive isAlive = {});
    ~Decoder();

    /// Decodes what was collected, up to a full batch. Appends to `batch`, which the caller has cleared. Sets
    /// Batch::now to the time up to which the stream is complete.
    void pass(Batch &batch);
    /// Like pass(), but makes all periodic checks.
    void safetyPass(Batch &batch);
    /// Returns true if there is more to decode at once.
    bool hasMore() const;
    /// Returns true if something waits for another pass of the collector.
    bool awaitsCollector() const;

    /// Returns true if a process of this project's probe has ended and its end is not emitted yet. Costs one system
    /// call. A pass emits the ends.
    bool hasEndsToEmit();

    /// Drains the region. The first call decides the end. Each call fills one batch up to that end. Returns false if
    /// there is more: call again, after the collector's next pass unless hasMore(). After true, accounting() is final
    /// and further calls change nothing.
    [[nodiscard]] bool finalDrain(Batch &batch);

    Accounting accounting() const;

private:
    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
