// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps a recording within its limits: begins new segments in time, and removes the oldest ones.
#pragma once

#include "core/recording/write/blockwriter.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace ct {

/// Limits for a recording, which keeps its latest part. 0 = no limit.
struct RecordingLimits {
    static constexpr std::uint64_t kLeastBytes = 16ULL << 20;

    std::uint64_t bytes = 0;  ///< size of all files together; at least kLeastBytes
    std::uint64_t ns = 0;     ///< time of the stream

    bool any() const { return bytes != 0 || ns != 0; }
};

namespace ctr {

/// With a limit, the files are segmentPath(path, 0), 1, ... Each gets an eighth of the limit, so removing the oldest
/// one costs an eighth of the recording. Not thread-safe: one thread at a time.
class Rotation {
public:
    /// Returns an error when present files could be mistaken for segments of this recording. With a limit, these are
    /// all files of that name; without one, only those with a number.
    static Result<std::unique_ptr<Rotation>> open(const std::string &path, const RecordingLimits &limits,
                                                  FileAccess access = FileAccess::ByUmask);

    BlockWriter &blocks() { return *m_blocks; }
    /// Everything since turn() is a preface. isDue() does not count it.
    void endPreface() { m_preface = m_blocks->bytes(); }
    /// True if the segment should end. `lastTs`: the latest time in it, in ns.
    bool isDue(std::uint64_t lastTs);
    /// Ends the segment, begins the next one, and removes segments beyond the limits. An error is final. If a file
    /// cannot be removed, the next turn() tries again.
    Result<void> turn();

private:
    struct Ended {
        std::string path;
        std::uint32_t segment = 0;
        std::uint64_t bytes = 0;
        std::uint64_t lastTs = 0;  ///< ns
    };

    Rotation(std::string path, const RecordingLimits &limits, FileAccess access, std::unique_ptr<BlockWriter> blocks);
    bool isBeyond(const Ended &oldest) const;
    void removeOld();

    const std::string m_path;
    const RecordingLimits m_limits;
    const FileAccess m_access;
    std::unique_ptr<BlockWriter> m_blocks;
    std::deque<Ended> m_ended;       ///< ended segments that were not removed, oldest first
    std::uint64_t m_endedBytes = 0;  ///< size of the segments in m_ended
    std::uint64_t m_preface = 0;     ///< bytes of the present segment that isDue() does not count
    std::uint64_t m_firstTs = 0;     ///< ns: first time in the present segment; 0 = none yet
    std::uint64_t m_lastTs = 0;      ///< ns: latest time in the recording
};

}  // namespace ctr
}  // namespace ct
