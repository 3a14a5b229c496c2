// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/spillfile.h"

#include "core/base/fileremedy.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::uint64_t kExtentBytes = SpillFile::kMostChunks * RawChunk::kBytes;

/// Returns a descriptor, or -1 with errno.
int openWithoutName(const std::string &folder)
{
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return file;
    // Some file systems, such as NFS, have no files without a name.
    std::string path = folder + "/.corotracer-spill-XXXXXX";
    const int named = ::mkostemp(path.data(), O_CLOEXEC);
    if (named >= 0)
        (void)::unlink(path.c_str());
    return named;
}

Error cannotWrite(int error, const std::string &folder)
{
    return writeError(error, "cannot write the spill file in " + folder);
}

}  // namespace

Result<std::unique_ptr<SpillFile>> SpillFile::create(const std::string &folder)
{
    const int file = openWithoutName(folder);
    if (file < 0 && (errno == EMFILE || errno == ENFILE))
        return errnoError(errno, "cannot create a spill file in " + folder, kMoreDescriptors);
    if (file < 0)
        return writeError(errno, "cannot create a spill file in " + folder);
    return std::unique_ptr<SpillFile>(new SpillFile(file, folder));
}

SpillFile::SpillFile(int file, std::string folder)
    : m_file(file),
      m_direct(::open(("/proc/self/fd/" + std::to_string(file)).c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT)),
      m_folder(std::move(folder))
{
}

SpillFile::~SpillFile()
{
    ::close(m_file);
    if (m_direct >= 0)
        ::close(m_direct);
}

SpillFile::Room SpillFile::reserve(std::size_t chunks)
{
    if (m_filled == kMostChunks)
        beginExtent();
    const Room room{m_extent * kExtentBytes + m_filled * RawChunk::kBytes, std::min(chunks, kMostChunks - m_filled)};
    m_filled += room.chunks;
    m_chunks[m_extent] += room.chunks;
    return room;
}

void SpillFile::beginExtent()
{
    m_filled = 0;
    if (m_free.empty()) {
        m_extent = m_chunks.size();
        m_chunks.push_back(0);
        return;
    }
    m_extent = m_free.back();
    m_free.pop_back();
}

Result<void> SpillFile::checkSpace() const
{
    struct statvfs system {};
    if (::fstatvfs(m_file, &system) != 0)
        return cannotWrite(errno, m_folder);
    if (std::uint64_t{system.f_bavail} * system.f_frsize < kLeftFree + kExtentBytes)
        return Error{ErrorCode::NoSpace, "cannot write the spill file in " + m_folder +
                                             ": less than 257 MiB are free there; " + spaceRemedy(ErrorCode::NoSpace)};
    return {};
}

void SpillFile::release(std::uint64_t position)
{
    const std::size_t extent = position / kExtentBytes;
    if (--m_chunks[extent] == 0 && (extent != m_extent || m_filled == kMostChunks))
        m_free.push_back(extent);
}

bool SpillFile::reset()
{
    if (m_chunks.empty() || std::ranges::any_of(m_chunks, [](std::size_t chunks) { return chunks != 0; }))
        return false;
    m_chunks.clear();
    m_free.clear();
    m_extent = 0;
    m_filled = kMostChunks;
    return true;
}

void SpillFile::truncate() const
{
    (void)::ftruncate(m_file, 0);
}

void SpillFile::abandon(const Room &room)
{
    // The chunks of the room are never released, so the extent never becomes free.
    if (room.position / kExtentBytes == m_extent)
        m_filled = kMostChunks;
}

/// As pwritev(2).
ssize_t SpillFile::writeSome(std::span<const iovec> parts, off_t position)
{
    const auto count = static_cast<int>(parts.size());
    if (m_direct >= 0) {
        const ssize_t written = ::pwritev(m_direct, parts.data(), count, position);
        if (written >= 0 || errno != EINVAL)
            return written;
        // The file system wants another alignment.
        ::close(m_direct);
        m_direct = -1;
    }
    return ::pwritev(m_file, parts.data(), count, position);
}

Result<void> SpillFile::write(const Room &room, std::span<const std::byte *const> chunks)
{
    std::array<iovec, kMostChunks> parts;
    for (std::size_t i = 0; i < room.chunks; ++i)
        parts[i] = {const_cast<std::byte *>(chunks[i]), RawChunk::kBytes};
    auto position = static_cast<off_t>(room.position);
    for (std::span<iovec> left = std::span(parts).first(room.chunks); !left.empty();) {
        const ssize_t written = writeSome(left, position);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return cannotWrite(written < 0 ? errno : ENOSPC, m_folder);
        position += written;
        auto bytes = static_cast<std::size_t>(written);
        while (!left.empty() && bytes >= left.front().iov_len) {
            bytes -= left.front().iov_len;
            left = left.subspan(1);
        }
        if (bytes != 0)
            left.front() = {static_cast<std::byte *>(left.front().iov_base) + bytes, left.front().iov_len - bytes};
    }
    return {};
}

Result<void> SpillFile::read(std::uint64_t position, std::span<std::byte, RawChunk::kBytes> chunk) const
{
    for (std::size_t done = 0; done < chunk.size();) {
        const ssize_t count =
            ::pread(m_file, chunk.data() + done, chunk.size() - done, static_cast<off_t>(position + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return errnoError(count < 0 ? errno : EIO, "cannot read the spill file in " + m_folder,
                              "check the disk, or record on another one");
        done += static_cast<std::size_t>(count);
    }
    return {};
}

}  // namespace ct
