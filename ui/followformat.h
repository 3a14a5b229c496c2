// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is said of a recording that is shown while it is still being written: how far behind the window is, and how it
// ended. Pure.
#pragma once

#include "core/recording/filegrowth.h"
#include "core/session/inputspool.h"

#include <QString>

#include <cstdint>

namespace ct::format {

struct Behind {
    QString text;        ///< "up to date", "3.2 MiB and 1.4 s behind", "nothing received for 12 s"
    bool alert = false;  ///< the line may be dead
};

/// `shown`: ns, the stream's time that the views have; `now`: ns, CLOCK_MONOTONIC of this machine.
Behind behind(const FileGrowth::Figures &figures, std::uint64_t shown, std::uint64_t now);

/// How a recording that was followed has ended.
struct FollowEnd {
    QString path;
    bool inOrder = false;  ///< its writer has completed it
    bool stopped = false;  ///< by the user
    QString error;         ///< of the reader; empty: none
    bool damaged = false;  ///< the error is not only of a part of a block at the end
    bool isInput = false;  ///< of standard input; else a file that somebody else wrote
    InputSpool::End input = InputSpool::End::None;
    QString inputMessage;
};

/// What is there, what is not, and the remedy.
QString followEnd(const FollowEnd &end);

/// How the loading of a recording has ended that the user stopped. `all`: its events; 0 = unknown.
QString cutShort(const QString &path, std::uint64_t shown, std::uint64_t all);

}  // namespace ct::format
