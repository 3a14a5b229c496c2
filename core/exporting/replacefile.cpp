// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/replacefile.h"

#include "core/base/fileending.h"
#include "core/base/fileremedy.h"
#include "core/recording/write/fileclaim.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

/// Returns 0 or errno. File systems that cannot synchronise count as success.
int synchronise(const std::string &path, int flags)
{
    const int fd = ::open(path.c_str(), flags | O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    const int failed = fsync(fd) != 0 && errno != EINVAL ? errno : 0;
    ::close(fd);
    return failed;
}

/// True if the name leads to an open descriptor of a process, as /dev/stdout and /dev/fd/1 do. The system follows such
/// a link to the open file itself, whatever its name is now.
bool leadsToDescriptor(std::filesystem::path path)
{
    constexpr int kMostLinks = 40;  // as many as the system follows
    for (int links = 0; links < kMostLinks; ++links) {
        std::error_code failed;
        const std::filesystem::path named = path.has_parent_path() ? path.parent_path() : ".";
        const std::filesystem::path folder = std::filesystem::canonical(named, failed);
        if (failed)
            return false;
        if (folder.filename() == "fd" && folder.string().starts_with("/proc/"))
            return true;
        const std::filesystem::path target = std::filesystem::read_symlink(folder / path.filename(), failed);
        if (failed)
            return false;  // no link
        path = folder / target;
    }
    return false;
}

/// Creates a new file in the folder of the target. Its name ends in `packing`, which selects the compression.
Result<std::string> createTemporary(const std::string &target, std::string_view packing)
{
    // Relaxed: only uniqueness matters.
    static std::atomic<unsigned> counter{0};
    for (int attempt = 0; attempt < 100; ++attempt) {
        const unsigned number = counter.fetch_add(1, std::memory_order_relaxed);
        std::string path = target + "." + std::to_string(getpid()) + "-" + std::to_string(number) + ".part";
        path += packing;
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd >= 0) {
            ::close(fd);
            return path;
        }
        if (errno != EEXIST)
            return writeError(errno, target + " cannot be written");
    }
    return Error{
        ErrorCode::AlreadyExists,
        target + " cannot be written: every name for a temporary file exists; remove the .part files in its folder"};
}

}  // namespace

Result<ReplaceFile> ReplaceFile::prepare(const std::string &path)
{
    if (path.empty())
        return Error{ErrorCode::InvalidArgument, "the name of the file is empty; enter one"};
    std::string target = path;
    std::optional<mode_t> mode;
    struct stat info = {};
    if (stat(path.c_str(), &info) == 0) {
        if (!S_ISREG(info.st_mode))
            return Error{ErrorCode::InvalidArgument, path + " is not a regular file; choose another name"};
        if (leadsToDescriptor(path))
            return Error{ErrorCode::InvalidArgument,
                         path + " is an open file, which a new file cannot replace; give the name of the file"};
        if (access(path.c_str(), W_OK) != 0)
            return errnoError(errno, path + " cannot be replaced", "choose another name");
        if (ctr::claimsOn(path).written)
            return ctr::writtenElsewhere(path);
        mode = info.st_mode & 07777;
        char resolved[PATH_MAX];
        if (realpath(path.c_str(), resolved))
            target = resolved;
    }
    Result<std::string> temporary = createTemporary(target, std::string_view(path).substr(withoutPacking(path).size()));
    if (!temporary)
        return temporary.error();
    if (mode)
        (void)!chmod(temporary->c_str(), *mode);
    return ReplaceFile(std::move(target), std::move(*temporary));
}

ReplaceFile::ReplaceFile(std::string target, std::string temporary)
    : m_target(std::move(target)), m_temporary(std::move(temporary)), m_key(FileKey::ofEntry(m_temporary))
{
}

ReplaceFile::ReplaceFile(ReplaceFile &&other) noexcept
    : m_target(std::move(other.m_target)), m_temporary(std::move(other.m_temporary)), m_key(other.m_key)
{
    other.m_temporary.clear();
}

ReplaceFile::~ReplaceFile()
{
    if (!m_temporary.empty() && unlinkIfSame(m_temporary, m_key))
        ::unlink((m_temporary + "-journal").c_str());
}

Result<void> ReplaceFile::commit()
{
    if (const int failed = synchronise(m_temporary, 0); failed != 0)
        return writeError(failed, m_target + " could not be completed");
    if (::rename(m_temporary.c_str(), m_target.c_str()) != 0)
        return errnoError(errno, m_target + " cannot be replaced", "choose another name");
    m_temporary.clear();
    const std::size_t slash = m_target.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : m_target.substr(0, slash + 1);
    (void)synchronise(directory, O_DIRECTORY);
    return {};
}

Error nothingWritten(const Error &error, const std::string &temporary, const std::string &path)
{
    // A message ends with its remedy.
    std::string cause = error.message;
    const std::size_t causeEnd = cause.rfind("; ");
    const bool hasRemedy = causeEnd != std::string::npos;
    std::string remedy = hasRemedy ? cause.substr(causeEnd + 2) : spaceRemedy(error.code);
    cause.resize(std::min(cause.size(), causeEnd));
    if (const std::size_t at = cause.find(temporary); at != std::string::npos) {
        cause.replace(at, temporary.size(), path);
        // A statement about the content of the temporary file may precede the remedy.
        cause.resize(std::min(cause.size(), cause.find("; ", at + path.size())));
        if (!hasRemedy)
            remedy = writeRemedy(error.code);
    }
    Error result{error.code, cause + "; nothing was written"};
    addRemedy(result, remedy);
    return result;
}

}  // namespace ct
