// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The harvest loop: turns a region into the decoded stream. Qt-free, so that thread sanitizer can judge it; one
// thread calls it, targets write at will.
#pragma once

#include "core/harvest/region.h"
#include "core/trace/stream.h"

#include <cstdint>
#include <memory>

namespace ct {

class HarvestLoop {
public:
    explicit HarvestLoop(Region &region);
    ~HarvestLoop();

    /// One pass over the live stations; appends to `batch` (which the caller has cleared) and sets its time.
    /// Deaths are looked for in a slower rotation, so that an idle station costs one cache line.
    void scan(Batch &batch);
    /// The same, but every station's death as well.
    void safetyScan(Batch &batch);

    /// Announces sleep (owner only): sets tracer_sleeping (seq_cst; partner: the probe's seq_cst store of seq and
    /// load of the flag), then scans everything again. True: nothing was found and the caller may block.
    bool prepareSleep(Batch &batch);
    /// After a wake-up, or on the ~10 ms look at the flag: takes the announcement back.
    void cancelSleep();
    /// True while announced sleep still stands and nothing was allocated since: nobody tried to wake us.
    bool stillQuiet() const;

    /// Decides the end: takes a snapshot of the counts now, harvests up to it, closes the accounts.
    void finalDrain(Batch &batch);

    Accounting accounting() const;
    std::uint64_t lastScanNs() const;  ///< what the latest full pass cost

private:
    struct Data;
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
