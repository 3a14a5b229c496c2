// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#define XXH_STATIC_LINKING_ONLY  // a state on the stack
#include "core/recording/recordedfile.h"

#include "core/recording/blockreader.h"
#include "core/recording/checksum.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

using namespace ctr;

namespace {

/// Where the last block is looked for, at first; most are smaller than this.
constexpr std::uint64_t kWindow = 256U << 10;
constexpr std::uint64_t kMostWindow = 2 * std::uint64_t{kMostPayload};

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
    /// All of it, or false.
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

/// Of a file that was ended in order: where its last block is.
bool findEnd(const OpenFile &file, std::uint64_t recording, BlockHead &end)
{
    Trailer trailer;
    return file.size() > sizeof(trailer) &&
           file.read(file.size() - sizeof(trailer), reinterpret_cast<char *>(&trailer), sizeof(trailer)) &&
           trailer.magic == kEndMagic && trailer.recording == recording && trailer.check == checkOf(trailer) &&
           file.read(trailer.endBlock, reinterpret_cast<char *>(&end), sizeof(end)) && end.magic == kBlockMagic &&
           end.recording == recording && end.kind == Kind::End;
}

/// The last block that lies in the file as a whole. By its head alone; the recording's number is random.
bool findLast(const OpenFile &file, std::uint64_t recording, BlockHead &last)
{
    const std::string_view magic(kBlockMagic.data(), kBlockMagic.size());
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
            if (last.recording == recording && last.lastTs != 0 && last.bytes <= window.size() - at - sizeof(last))
                return true;
        }
        if (begin == 0 || bytes > kMostWindow)
            return false;
    }
}

}  // namespace

Result<RecordedFile> glanceAt(const std::string &path)
{
    const Result<std::unique_ptr<BlockReader>> reader = BlockReader::open(path);
    if (!reader)
        return reader.error();
    RecordedFile result;
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

    const OpenFile file(path);
    BlockHead last;
    result.ended = findEnd(file, head.recording, last);
    if (result.ended) {
        result.transitions = last.transitionsBefore;
        const Result<BlockSurvey> survey = (*reader)->survey();
        if (!survey)
            return survey.error();
        for (const BlockPlace &place : survey->places)
            result.lastTs = std::max(result.lastTs, place.lastTs);
    } else if (findLast(file, head.recording, last)) {
        result.transitions = last.transitionsBefore + last.transitions;
        result.lastTs = last.lastTs;
    }
    return result;
}

}  // namespace ct
