// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/library/recordingsummary.h"

#include "core/recording/read/blocksurvey.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ct {

using namespace ctr;

namespace {

/// Bytes at the end of the file where the search for the last block begins. Most blocks are smaller.
constexpr std::uint64_t kWindow = 256U << 10;
constexpr std::uint64_t kMostWindow = 2 * std::uint64_t{kMostPayload};
/// Limit for the bytes that are read for candidates that are no blocks.
constexpr std::uint64_t kPatience = 4 * std::uint64_t{kMostPayload};

class OpenFile {
public:
    explicit OpenFile(const std::string &path) : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY))
    {
        struct stat info = {};
        if (m_fd >= 0 && ::fstat(m_fd, &info) == 0)
            m_size = static_cast<std::uint64_t>(info.st_size);
    }
    ~OpenFile()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    OpenFile(const OpenFile &) = delete;
    OpenFile &operator=(const OpenFile &) = delete;

    std::uint64_t size() const { return m_size; }
    /// Reads exactly `bytes` bytes. Returns false when that fails.
    bool read(std::uint64_t offset, char *to, std::size_t bytes) const
    {
        while (bytes > 0) {
            const ssize_t got = ::pread(m_fd, to, bytes, static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return false;
            to += got;
            offset += static_cast<std::uint64_t>(got);
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }

private:
    int m_fd;
    std::uint64_t m_size = 0;
};

/// Finds the last block that is whole, valid and has a time.
bool findLast(const OpenFile &file, BlockReader &reader, BlockHead &last)
{
    const std::string_view magic(kBlockMagic.data(), kBlockMagic.size());
    std::uint64_t patience = kPatience;
    std::string window;
    for (std::uint64_t bytes = kWindow;; bytes *= 4) {
        const std::uint64_t begin = file.size() - std::min(file.size(), bytes);
        window.resize(file.size() - begin);
        if (!file.read(begin, window.data(), window.size()))
            return false;
        for (std::size_t at = window.rfind(magic); at != std::string::npos;
             at = at == 0 ? std::string::npos : window.rfind(magic, at - 1)) {
            if (window.size() - at < sizeof(last))
                continue;
            std::memcpy(&last, window.data() + at, sizeof(last));
            if (last.recording != reader.head().recording || last.lastTs == 0 ||
                last.bytes > window.size() - at - sizeof(last))
                continue;
            BlockLocation location;
            location.offset = begin + at;
            location.kind = static_cast<std::uint16_t>(last.kind);
            Block block;
            if (const Result<bool> isGood = reader.read(location, block); isGood && *isGood) {
                last = block.head;
                return true;
            }
            if (patience < sizeof(last) + last.bytes)
                return false;
            patience -= sizeof(last) + last.bytes;
        }
        if (begin == 0 || bytes > kMostWindow)
            return false;
    }
}

}  // namespace

Result<RecordingSummary> readRecordingSummary(const std::string &path)
{
    const Result<std::unique_ptr<BlockReader>> reader = BlockReader::open(path);
    if (!reader)
        return reader.error();
    RecordingSummary result;
    const FileHead &head = (*reader)->head();
    result.recording = head.recording;
    result.segment = head.segment;
    result.begun = head.begun;
    Block first;
    const Result<bool> any = (*reader)->next(first);
    if (!any)
        return any.error();
    if (*any && first.head.kind == Kind::Info)
        result.info = recordingInfoOf(first.payload).value_or(RecordingInfo());
    result.firstTs = result.info.clocks.empty() ? first.head.firstTs : result.info.clocks.front().monotonic;

    BlockSurvey survey;
    if ((*reader)->trailer()) {
        Result<BlockSurvey> found = surveyBlocks(**reader);
        if (!found)
            return found.error();
        survey = std::move(*found);
    }
    result.ended = survey.hasEnded;
    BlockHead last;
    if (result.ended) {
        for (const BlockLocation &location : survey.blocks) {
            result.transitions += static_cast<Kind>(location.kind) == Kind::Stream ? location.transitions : 0;
            result.lastTs = std::max(result.lastTs, location.lastTs);
        }
    } else if (findLast(OpenFile(path), **reader, last)) {
        result.transitions = last.transitionsBefore + last.transitions;
        result.lastTs = last.lastTs;
    }
    return result;
}

}  // namespace ct
