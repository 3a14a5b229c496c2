// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The settings of captures that the window starts, as a value. No widgets.
#pragma once

#include "core/recording/write/rotation.h"
#include "core/session/recordingsdirectory.h"
#include "core/session/session.h"

#include <QString>

#include <algorithm>
#include <optional>

class QSettings;

namespace ct {

struct CaptureSettings {
    bool lanes = true;
    int laneKiB = kUsualLaneBytes >> 10;      ///< lane of one thread; a power of two
    int poolMiB = kUsualLanePoolBytes >> 20;  ///< lanes of all threads together
    int retentionSec = 0;                     ///< time for which the lane of an ended thread stays as it is
    int keepMiB = 0;                          ///< events in memory; 0 = a quarter of the machine's memory
    bool record = true;                       ///< record into the user's cache directory
    int recordMiB = 1 << 10;                  ///< most for one run
    int recordTotalMiB = 4 << 10;             ///< most for all recordings together, checked when a run begins
    int keepSec = 0;                          ///< keep only events of this time span; 0 = no limit
    int overheadPercent = 0;                  ///< limit of the observer effect; 0 = none

    static constexpr int kSmallestLaneKiB = static_cast<int>(kLaneBytesMin >> 10);
    static constexpr int kLargestLaneKiB = static_cast<int>(kLaneBytesMax >> 10);
    static constexpr int kLargestPoolMiB = static_cast<int>(kLanePoolMax >> 20);
    static constexpr int kSmallestKeepMiB = 16;
    static constexpr int kLargestKeepMiB = 32 << 10;
    static constexpr int kSmallestRecordMiB = static_cast<int>(RecordingLimits::kLeastBytes >> 20);
    static constexpr int kLargestRecordMiB = 1 << 20;

    bool operator==(const CaptureSettings &) const = default;

    void applyTo(StartRequest &request) const;
    std::uint64_t keepBytes() const { return static_cast<std::uint64_t>(keepMiB) << 20; }
    std::uint64_t keepNs() const { return static_cast<std::uint64_t>(keepSec) * 1'000'000'000; }
    std::uint64_t recordBytes() const { return static_cast<std::uint64_t>(recordMiB) << 20; }
    /// All recordings together may have at least the size of one run.
    std::uint64_t recordTotalBytes() const
    {
        return static_cast<std::uint64_t>(std::max(recordTotalMiB, recordMiB)) << 20;
    }
    std::optional<double> maxOverhead() const
    {
        return overheadPercent != 0 ? std::optional(overheadPercent / 100.0) : std::nullopt;
    }
    /// Returns the folder of recordings and the size of one; nullopt = do not record.
    std::optional<RecordingFolder> recordingFolder() const;
    /// One line: "lanes of 64 MiB, 4 GiB in all; recorded, 1 GiB at most; keeps as much as memory allows".
    QString summary() const;

    /// Clamps values that are out of range, and rounds a lane size down to a power of two. Missing values become
    /// defaults.
    static CaptureSettings load(const QSettings &settings);
    void save(QSettings &settings) const;
};

}  // namespace ct
