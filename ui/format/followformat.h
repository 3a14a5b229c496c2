// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Texts about a recording that is followed: how far the window is behind, and how it ended. Pure functions.
#pragma once

#include "core/playback/inputspool.h"
#include "core/recording/read/filegrowth.h"
#include "core/stream/accounting.h"

#include <QString>

#include <cstdint>

namespace ct::format {

struct Behind {
    QString text;        ///< "up to date", "3.2 MiB and 1.4 s behind", "nothing received for 12 s"
    bool alert = false;  ///< the sender may be gone
};

/// `shown` is the stream's time that the views have reached, in ns. `now` is CLOCK_MONOTONIC of this machine, in ns.
Behind behind(const FileGrowth::Figures &figures, std::uint64_t shown, std::uint64_t now);
/// How far the views are behind a target that is captured; empty if they keep up.
Behind behind(const RunLag &lag);

/// End of a followed recording.
struct FollowEnd {
    QString path;
    bool inOrder = false;  ///< the writer completed the recording
    bool stopped = false;  ///< the user stopped following
    QString error;         ///< error of the reader; empty: none
    bool damaged = false;  ///< more is damaged than an incomplete block at the end
    bool isInput = false;  ///< the recording came from standard input, else from a file of another writer
    InputSpool::End input = InputSpool::End::None;
    QString inputMessage;
};

/// States what was read, what is missing, and the remedy.
QString followEnd(const FollowEnd &end);

/// The notice after the user stopped the loading of a recording. `shown` events were read. `all` is the number of its
/// events; 0 = unknown.
QString cutShort(const QString &path, std::uint64_t shown, std::uint64_t all);

}  // namespace ct::format
