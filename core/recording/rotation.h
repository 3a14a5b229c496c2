// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files of a recording that must not grow beyond a limit: a new one is begun in time, and the oldest ones go.
#pragma once

#include "core/recording/blockwriter.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace ct {

/// What stays of a recording, at most: the latest part. 0 = no limit.
struct RecordingLimits {
    static constexpr std::uint64_t kLeastBytes = 16ULL << 20;

    std::uint64_t bytes = 0;  ///< of all files together, from kLeastBytes on
    std::uint64_t ns = 0;     ///< of the stream

    bool any() const { return bytes != 0 || ns != 0; }
};

namespace ctr {

/// One thread at a time. With a limit the files are called segmentPath(path, 0), 1, ...; an eighth of the limit goes
/// into each, so that the oldest one is an eighth of what is lost at once.
class Rotation {
public:
    /// An error when files of another recording are there that could be mistaken for this one's: with a limit any of
    /// that name, without one those with a number.
    static Result<std::unique_ptr<Rotation>> open(const std::string &path, const RecordingLimits &limits,
                                                  FileAccess access = FileAccess::ByUmask);

    BlockWriter &blocks() { return *m_blocks; }
    /// What was written since turn() is a preface, and does not count for the next one.
    void endPreface() { m_preface = m_blocks->bytes(); }
    /// Whether the file is to be ended. `lastTs`: the latest time in it, ns.
    bool isDue(std::uint64_t lastTs);
    /// Ends the file and begins the next one; removes what is beyond the limits. An error is final. A file that cannot
    /// be removed is tried again the next time.
    Result<void> turn();

private:
    struct Ended {
        std::string path;
        std::uint32_t segment = 0;
        std::uint64_t bytes = 0;
        std::uint64_t lastTs = 0;
    };

    Rotation(std::string path, const RecordingLimits &limits, FileAccess access, std::unique_ptr<BlockWriter> blocks);
    bool isBeyond(const Ended &oldest) const;
    void removeOld();

    const std::string m_path;
    const RecordingLimits m_limits;
    const FileAccess m_access;
    std::unique_ptr<BlockWriter> m_blocks;
    std::deque<Ended> m_ended;  ///< and still there
    std::uint64_t m_endedBytes = 0;
    std::uint64_t m_preface = 0;  ///< bytes
    std::uint64_t m_firstTs = 0;  ///< of this file; 0 = none yet
    std::uint64_t m_lastTs = 0;
};

}  // namespace ctr
}  // namespace ct
