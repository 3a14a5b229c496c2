// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The directory where the runs of all windows are recorded: where it is, and how files in it are called.
#pragma once

#include "core/result.h"

#include <QString>

#include <cstdint>
#include <ctime>
#include <string>

namespace ct {

/// Where a run is recorded.
struct RecordingPlace {
    static constexpr std::uint64_t kUsualBytes = 1ULL << 30;

    QString directory;  ///< made if it is not there
    std::uint64_t limitBytes = kUsualBytes;
    std::uint64_t queueBytes = 256ULL << 20;  ///< of memory that may be filled while the disk is slow
};

/// "recordings" in the user's cache directory ($XDG_CACHE_HOME, else ~/.cache; without $HOME, of the home directory
/// that the system knows). Empty: there is none.
QString recordingsDirectory();

/// Makes it, for its owner alone (0700): recordings hold what targets print. One that is there must be ours, and so
/// that nobody else can put another in its place; access that others have to it is taken away. Returns a sentence about
/// that; empty = nothing was changed.
Result<std::string> makeRecordingsDirectory(const QString &directory);

/// "2026-11-22T07.31.05-server.ctr": local time, and as much of the target's name as a file name may hold.
std::string recordingFileName(std::time_t when, const std::string &target);

}  // namespace ct
