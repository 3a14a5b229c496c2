// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// How captures that the window starts are to be made, as a value that is kept in the settings. No widgets.
#pragma once

#include "core/recording/rotation.h"
#include "core/session/recordingstore.h"
#include "core/session/session.h"

#include <QString>

#include <algorithm>
#include <optional>

class QSettings;

namespace ct {

struct CaptureSettings {
    bool lanes = true;
    int laneKiB = 16 << 10;        ///< of one thread, a power of two
    int poolMiB = 512;             ///< of all threads together
    int retentionSec = 0;          ///< how long an ended thread's lane is left as it is
    int keepMiB = 0;               ///< of events in memory; 0 = a quarter of the machine's memory
    bool record = true;            ///< into the user's cache directory
    int recordMiB = 1 << 10;       ///< of one run at most
    int recordTotalMiB = 4 << 10;  ///< of all of them together, before a run begins
    int keepSec = 0;               ///< only events of the latest so many seconds; 0 = all

    static constexpr int kSmallestLaneKiB = static_cast<int>(kLaneBytesMin >> 10);
    static constexpr int kLargestLaneKiB = static_cast<int>(kLaneBytesMax >> 10);
    static constexpr int kLargestPoolMiB = static_cast<int>(kLanePoolMax >> 20);
    static constexpr int kSmallestKeepMiB = 16;
    static constexpr int kLargestKeepMiB = 32 << 10;
    static constexpr int kSmallestRecordMiB = static_cast<int>(RecordingLimits::kLeastBytes >> 20);
    static constexpr int kLargestRecordMiB = 1 << 20;

    bool operator==(const CaptureSettings &) const = default;

    void applyTo(CaptureSpec &spec) const;
    std::uint64_t keepBytes() const { return static_cast<std::uint64_t>(keepMiB) << 20; }
    std::uint64_t keepNs() const { return static_cast<std::uint64_t>(keepSec) * 1'000'000'000; }
    std::uint64_t recordBytes() const { return static_cast<std::uint64_t>(recordMiB) << 20; }
    /// What one run may take, they may take together.
    std::uint64_t recordTotalBytes() const
    {
        return static_cast<std::uint64_t>(std::max(recordTotalMiB, recordMiB)) << 20;
    }
    /// Where runs are recorded; nullopt = they are not.
    std::optional<RecordingPlace> recordingPlace() const;
    /// One line: "lanes of 16 MiB, 512 MiB in all; recorded, 1 GiB at most; keeps what memory holds".
    QString summary() const;

    /// What is out of range, or not there, is replaced by the nearest value that is right.
    static CaptureSettings load(const QSettings &settings);
    void save(QSettings &settings) const;
};

}  // namespace ct
