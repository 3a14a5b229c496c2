// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Settings for merging a region. Merger owns and changes it; its parts read it. Harvest thread only.
#pragma once

namespace ct {

struct MergeMode {
    /// Overwrite mode: events overwritten before the engine attached are missed, whether births were seen or not.
    bool overwrites = false;
    /// Post mortem in discard mode: retained records are read, and events missing among them are missed.
    bool readsRetained = false;
    /// Events missing before a coroutine's first captured event are missed, if its birth was not seen. In overwrite
    /// mode, all missing events are missed.
    bool attaching = false;
    /// As `attaching`, whenever a coroutine is discovered.
    bool postMortem = false;
    /// Times do not order threads: only barriers decide which events are lost.
    bool distrustsTimes = false;
    /// No lane is read: a new generation in a station ends the previous one at once.
    bool stationsOnly = false;
};

}  // namespace ct
