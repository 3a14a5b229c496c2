// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sqlite/databasefile.h"

#include "core/base/filekey.h"
#include "core/base/fileremedy.h"
#include "core/databases/sqlite/sqliteconnection.h"
#include "core/recording/write/fileclaim.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ct {

namespace {

/// SQLite creates its other files next to the database, not next to a link to it.
std::string behindLinks(const std::string &path)
{
    std::error_code failed;
    const std::filesystem::path real = std::filesystem::canonical(path, failed);
    return failed ? path : real.string();
}

std::string directoryOf(const std::string &path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

bool hasOtherFiles(const std::string &path)
{
    const std::string real = behindLinks(path);
    return std::ranges::any_of(kOtherDatabaseFiles,
                               [&real](const char *suffix) { return access((real + suffix).c_str(), F_OK) == 0; });
}

void unlinkOtherFiles(const std::string &path)
{
    const std::string real = behindLinks(path);
    for (const char *suffix : kOtherDatabaseFiles)
        ::unlink((real + suffix).c_str());
}

/// The bytes that SQLite locks: https://www.sqlite.org/fileformat.html#the_lock_byte_page
constexpr off_t kFirstLockByte = 0x40000000;
constexpr off_t kLockBytes = 512;

/// Returns an error if another program has a transaction on the database: replacing the file would destroy it.
Result<void> ensureUnlocked(int fd, const std::string &path)
{
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = kFirstLockByte;
    lock.l_len = kLockBytes;
    // A file system without locks reports that there is none.
    if (::fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
        return {};
    return Error{ErrorCode::Busy,
                 path + ": database is locked by another program; close the database there or choose another path"};
}

}  // namespace

std::string sqliteName(const std::string &path)
{
    return path.starts_with('/') ? path : "./" + path;
}

Result<DatabaseFile> openDatabaseFile(const std::string &path)
{
    if (path.empty() || path == "-")
        return Error{ErrorCode::InvalidArgument,
                     "a SQLite database needs a file of its own; give a path that ends in .sqlite"};
    struct stat info = {};
    if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
        return Error{ErrorCode::InvalidArgument,
                     path + " is not a regular file, which a SQLite database needs; choose another path"};
    const int created = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
    const int fd = created >= 0 ? created : ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return writeError(errno, path + " cannot be written");
    Result<void> usable = ctr::claimForWriting(fd) ? ensureUnlocked(fd, path) : ctr::writtenElsewhere(path);
    if (access(directoryOf(behindLinks(path)).c_str(), W_OK | X_OK) != 0)
        usable = errnoError(errno, path + " cannot be written, because SQLite cannot create a journal in its folder",
                            "choose another folder");
    if (!usable) {
        ::close(fd);
        return usable.error();
    }
    return DatabaseFile{fd, created >= 0};
}

Result<void> ensureNotMoved(int fd, const std::string &path)
{
    if (FileKey::of(path) == FileKey::of(fd))
        return {};
    struct stat info = {};
    const bool isRemoved = fstat(fd, &info) == 0 && info.st_nlink == 0;
    return Error{ErrorCode::NotFound, path + (isRemoved ? " was removed" : " was moved") +
                                          " by another program before the first event was written; " +
                                          kLeaveFileInFolder};
}

Result<void> emptyDatabaseFile(int fd, const std::string &path)
{
    if (Result<void> unlocked = ensureUnlocked(fd, path); !unlocked)
        return unlocked;
    if (::ftruncate(fd, 0) != 0)
        return writeError(errno, path + " cannot be replaced");
    unlinkOtherFiles(path);
    return {};
}

Result<void> settleOldDatabase(const std::string &path)
{
    if (!hasOtherFiles(path) || access(path.c_str(), F_OK) != 0)
        return {};
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
    const Result<void> unlocked = fd < 0 ? Result<void>() : ensureUnlocked(fd, path);
    if (fd >= 0)
        ::close(fd);
    if (!unlocked)
        return unlocked;
    const Result<std::unique_ptr<SqliteConnection>> opened = SqliteConnection::open(path);
    if (!opened)
        return {};
    Result<void> settled = (*opened)->run("SELECT count(*) FROM sqlite_master");  // rolls a journal back
    if (settled)
        settled = (*opened)->run("PRAGMA journal_mode = DELETE");  // applies a write-ahead log
    return !settled && settled.error().code == ErrorCode::Busy ? settled : Result<void>();
}

Result<void> removeOldDatabaseFiles(const std::string &path)
{
    Result<void> settled = settleOldDatabase(path);
    if (settled)
        unlinkOtherFiles(path);
    return settled;
}

Result<void> synchroniseDatabase(int fd, const std::string &path)
{
    const int failed = fsync(fd) != 0 ? errno : 0;
    // Some file systems cannot synchronise, which is no error.
    if (failed != 0 && failed != EINVAL)
        return writeError(failed, path + " did not reach the disk");
    return {};
}

}  // namespace ct
