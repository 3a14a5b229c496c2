// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Texts about the state of a run: for the status bar, the title, and the findings. Pure functions.
#pragma once

#include <QString>

#include <cstdint>

namespace ct {
class Run;
}

namespace ct::format {

/// The state of a run: "Capturing", "Loading", "Replay, 2 ×", "Recording; target exited with status 0". `exit` is the
/// end of the target ("exited with status 0"); empty = not exited, or not known.
QString runState(const Run &run, const QString &exit);

/// The time of the judgement: "at the end of the run".
QString judgedInstant(const Run &run, bool isPaused);

/// Text for the user about the end of the reading; empty if there is nothing to say. `isError`: nothing could be
/// read, or the recording is damaged.
struct ReadingText {
    QString text;
    bool isError = false;
};
ReadingText readingEnd(const Run &run);

}  // namespace ct::format
