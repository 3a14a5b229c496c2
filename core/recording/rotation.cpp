// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/rotation.h"

#include "core/recording/segments.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace ct::ctr {

namespace {

constexpr std::uint64_t kParts = 8;

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
        return Error{ErrorCode::InvalidArgument, path + ": a recording cannot be kept below 16 MiB; give more"};
    if (limits.any() && path == "-")
        return Error{ErrorCode::InvalidArgument, "a recording on standard output has no limit; name a file"};
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
    // Where very many coroutines live, the preface is large: no more than half of a file.
    return (m_limits.bytes != 0 && bytes >= std::max(m_limits.bytes / kParts, m_preface)) ||
           (m_limits.ns != 0 && m_lastTs - m_firstTs >= m_limits.ns / kParts);
}

Result<void> Rotation::turn()
{
    BlockWriter::Identity next = m_blocks->identity();
    const std::string path = segmentPath(m_path, next.segment);
    ++next.segment;
    const std::string nextPath = segmentPath(m_path, next.segment);
    // Before this one is ended: who follows finds the next one then, or knows that there will be none.
    Result<std::unique_ptr<BlockWriter>> blocks = BlockWriter::open(nextPath, next, m_access);
    Result<void> begun = blocks ? (*blocks)->begin() : Result<void>(blocks.error());
    Result<void> finished = m_blocks->finish();
    if (!finished || !begun) {
        if (blocks)
            ::unlink(nextPath.c_str());
        return !finished ? finished : begun;
    }
    m_ended.push_back({path, m_blocks->bytes(), m_lastTs});
    m_endedBytes += m_blocks->bytes();
    removeOld();
    m_blocks = std::move(*blocks);
    m_firstTs = 0;
    m_preface = 0;
    return {};
}

/// The file that is about to be written counts as well.
bool Rotation::isBeyond(const Ended &oldest) const
{
    return (m_limits.bytes != 0 && m_endedBytes + m_limits.bytes / kParts + m_preface > m_limits.bytes) ||
           (m_limits.ns != 0 && oldest.lastTs + m_limits.ns < m_lastTs);
}

void Rotation::removeOld()
{
    while (!m_ended.empty() && isBeyond(m_ended.front())) {
        if (::unlink(m_ended.front().path.c_str()) != 0 && errno != ENOENT)
            return;
        m_endedBytes -= m_ended.front().bytes;
        m_ended.pop_front();
    }
}

}  // namespace ct::ctr
