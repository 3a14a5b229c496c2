// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/rotation.h"

#include "core/base/filekey.h"
#include "core/recording/read/segments.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>
#include <vector>

namespace ct::ctr {

namespace {

constexpr std::uint64_t kParts = 8;

Result<void> checkNamesakes(const std::string &path, bool limited)
{
    std::vector<std::string> files = path == "-" ? std::vector<std::string>() : segmentsOf(path);
    if (!limited)
        std::erase(files, path);  // the recording replaces this file, like an output of any format
    if (files.empty())
        return {};
    const std::string more = files.size() > 1 ? " and " + std::to_string(files.size() - 1) + " more of that name" : "";
    return Error{ErrorCode::AlreadyExists, path + ": " + files.front() + more +
                                               " would be mixed with the numbered files of this recording; remove " +
                                               "them, or choose another name"};
}

}  // namespace

Rotation::Rotation(std::string path, const RecordingLimits &limits, FileAccess access,
                   std::unique_ptr<BlockWriter> blocks)
    : m_path(std::move(path)), m_limits(limits), m_access(access), m_blocks(std::move(blocks))
{
}

Result<std::unique_ptr<Rotation>> Rotation::open(const std::string &path, const RecordingLimits &limits,
                                                 FileAccess access)
{
    if (limits.bytes != 0 && limits.bytes < RecordingLimits::kLeastBytes)
        return Error{ErrorCode::InvalidArgument,
                     path + ": the limit of a recording is too small; give at least 16 MiB"};
    if (limits.any() && path == "-")
        return Error{ErrorCode::InvalidArgument, "a recording on standard output cannot be limited; name a file"};
    if (Result<void> checked = checkNamesakes(path, limits.any()); !checked)
        return checked.error();
    Result<std::unique_ptr<BlockWriter>> blocks = BlockWriter::open(limits.any() ? segmentPath(path, 0) : path, access);
    if (!blocks)
        return blocks.error();
    return std::unique_ptr<Rotation>(new Rotation(path, limits, access, std::move(*blocks)));
}

bool Rotation::isDue(std::uint64_t lastTs)
{
    if (m_firstTs == 0)
        m_firstTs = lastTs;
    m_lastTs = std::max(m_lastTs, lastTs);
    const std::uint64_t bytes = m_blocks->bytes() - m_preface;
    // With very many living coroutines, the preface is large. It is at most half of a segment.
    return (m_limits.bytes != 0 && bytes >= std::max(m_limits.bytes / kParts, m_preface)) ||
           (m_limits.ns != 0 && m_lastTs - m_firstTs >= m_limits.ns / kParts);
}

Result<void> Rotation::turn()
{
    BlockWriter::Identity next = m_blocks->identity();
    const std::uint32_t segment = next.segment++;
    const std::string nextPath = segmentPath(m_path, next.segment);
    if (FileKey::ofEntry(nextPath))
        return Error{ErrorCode::AlreadyExists, nextPath + " was created by another program; the recording ends " +
                                                   "here, so that this file is not replaced; choose another name"};
    // Begin the next segment before ending this one. A reader at the End block then finds it, or knows that there is
    // none.
    Result<std::unique_ptr<BlockWriter>> blocks = BlockWriter::open(nextPath, next, m_access);
    Result<void> begun = blocks ? (*blocks)->beginFile() : Result<void>(blocks.error());
    Result<void> finished = m_blocks->finish();
    if (!finished || !begun) {
        if (blocks)
            (*blocks)->discard();
        return !finished ? finished : begun;
    }
    m_ended.push_back({segmentPath(m_path, segment), segment, m_blocks->bytes(), m_lastTs});
    m_endedBytes += m_blocks->bytes();
    removeOld();
    m_blocks = std::move(*blocks);
    m_firstTs = 0;
    m_preface = 0;
    return {};
}

/// Also counts the segment that is about to be written.
bool Rotation::isBeyond(const Ended &oldest) const
{
    return (m_limits.bytes != 0 && m_endedBytes + m_limits.bytes / kParts + m_preface > m_limits.bytes) ||
           (m_limits.ns != 0 && oldest.lastTs + m_limits.ns < m_lastTs);
}

void Rotation::removeOld()
{
    while (!m_ended.empty() && isBeyond(m_ended.front())) {
        const Ended &oldest = m_ended.front();
        // Keep a file that has replaced this segment.
        const bool isSameRecording = recordingOf(oldest.path, oldest.segment) == m_blocks->identity().recording;
        if (isSameRecording && ::unlink(oldest.path.c_str()) != 0 && errno != ENOENT)
            return;
        m_endedBytes -= oldest.bytes;
        m_ended.pop_front();
    }
}

}  // namespace ct::ctr
