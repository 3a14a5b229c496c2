// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The directory for the recordings of all windows: its location, and the names of the files in it.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <cstdint>
#include <ctime>
#include <string>

namespace ct {

/// The folder in which a run is recorded, and its limits.
struct RecordingFolder {
    static constexpr std::uint64_t kUsualBytes = 1ULL << 30;

    QString directory;  ///< created if missing
    std::uint64_t limitBytes = kUsualBytes;
    std::uint64_t queueBytes = 256ULL << 20;  ///< memory that may fill up while the disk is slow
};

/// Returns "recordings" below the user's cache directory ($XDG_CACHE_HOME, else ~/.cache). Without $HOME, uses the home
/// directory that the system knows. Empty: there is none.
QString recordingsDirectory();

/// Creates the directory for its owner alone (0700), because recordings contain what targets print. An existing one
/// must be ours, and no other user may be able to replace it. Removes the access that others have to it. Returns a
/// sentence about that; empty = nothing was changed.
Result<std::string> makeRecordingsDirectory(const QString &directory);

/// "2026-11-22T07.31.05-server.ctr": local time, and as much of the target's name as a file name may have.
std::string recordingFileName(std::time_t when, const std::string &target);

}  // namespace ct
