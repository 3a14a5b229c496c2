// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/recordingsdirectory.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::size_t kMostNameBytes = 60;

/// Returns the home directory that the system knows; empty = none.
QString homeOfUser()
{
    passwd entry{};
    passwd *found = nullptr;
    std::array<char, 4096> texts{};
    if (::getpwuid_r(::getuid(), &entry, texts.data(), texts.size(), &found) != 0 || !found || !found->pw_dir)
        return {};
    const QString home = QFile::decodeName(found->pw_dir);
    return home.startsWith(u'/') && home.size() > 1 ? home : QString();
}

constexpr const char *kRemedy = "set XDG_CACHE_HOME to a directory of your own";

/// Returns false if this user namespace has no mapping for `user`. Files of all users outside it then seem to belong to
/// `user`, as / does in a rootless container.
bool isMapped(uid_t user)
{
    std::ifstream map("/proc/self/uid_map");
    bool isAny = false;
    for (std::uint64_t first = 0, outside = 0, count = 0; map >> first >> outside >> count; isAny = true) {
        if (user >= first && user - first < count)
            return true;
    }
    return !isAny;
}

bool isTrusted(uid_t owner)
{
    return owner == ::geteuid() || owner == 0;
}

Error notOwnedError(const std::string &path, const struct stat &info)
{
    return {ErrorCode::PermissionDenied, path + " belongs to another user (uid " + std::to_string(info.st_uid) + ")" +
                                             ", who could read and replace the recordings in it; " + kRemedy};
}

/// Fails if users other than us and root may replace a part of the path: a directory, or a link on the way. `isWhole`:
/// the path ends at the directory of the recordings, which may still be open to others.
Result<void> checkWayTo(const std::string &path, bool isWhole)
{
    namespace fs = std::filesystem;
    std::error_code failed;
    fs::path way;
    for (const fs::path &part : fs::absolute(path, failed)) {
        way /= part;
        struct stat info {};
        if (::lstat(way.c_str(), &info) != 0)
            return errnoError(errno, way.string() + " cannot be checked", kRemedy);
        const bool isLast = isWhole && way == fs::path(path);
        if (!isTrusted(info.st_uid) && (isLast || S_ISLNK(info.st_mode) || isMapped(info.st_uid)))
            return notOwnedError(way.string(), info);
        // In a sticky directory, others can only add files.
        const bool isWorldWritable = S_ISDIR(info.st_mode) && (info.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH;
        if (isWorldWritable && !isLast)
            return Error{ErrorCode::PermissionDenied,
                         way.string() + " can be written by every user, who could replace the recordings below it; " +
                             kRemedy};
        if (S_ISLNK(info.st_mode)) {
            const Result<void> behind = checkWayTo(fs::canonical(way, failed).string(), isLast);
            if (failed || !behind)
                return failed ? errnoError(failed.value(), way.string() + " cannot be checked", kRemedy) : behind;
        }
    }
    return {};
}

Result<std::string> restrictToOwner(const std::string &path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat info {};
    const bool opened = fd >= 0 && ::fstat(fd, &info) == 0;
    const mode_t mode = info.st_mode & 07777;
    const bool isOpen = opened && (mode & 0077) != 0;
    const bool isOwn = opened && info.st_uid == ::geteuid();
    const bool closed = isOwn && isOpen && ::fchmod(fd, mode & 0700) == 0;
    const int error = errno;
    if (fd >= 0)
        ::close(fd);
    if (!opened || (isOwn && isOpen && !closed))
        return errnoError(error, path + " cannot be closed to other users", kRemedy);
    if (!isOwn)
        return notOwnedError(path, info);
    return closed ? "Other users could open " + path + ", where runs are recorded. Only its owner can open it now."
                  : std::string();
}

}  // namespace

QString recordingsDirectory()
{
    // Without $HOME, Qt uses / as the home directory.
    if (qEnvironmentVariableIsEmpty("HOME") && qEnvironmentVariableIsEmpty("XDG_CACHE_HOME") &&
        !QStandardPaths::isTestModeEnabled()) {
        const QString home = homeOfUser();
        const QString usual = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
        const QString below = QDir::root().relativeFilePath(usual);
        return home.isEmpty() ? QString() : QStringLiteral("%1/%2/recordings").arg(home, below);
    }
    const QString cache = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
    return cache.isEmpty() ? QString() : cache + QStringLiteral("/recordings");
}

Result<std::string> makeRecordingsDirectory(const QString &directory)
{
    const std::string path = QFile::encodeName(directory).toStdString();
    if (directory.isEmpty())
        return Error{ErrorCode::NotFound, "there is no cache directory; set XDG_CACHE_HOME to one"};
    std::error_code failed;
    std::filesystem::path way;
    for (const std::filesystem::path &part : std::filesystem::absolute(path, failed)) {
        way /= part;
        if (::access(way.c_str(), F_OK) != 0 && ::mkdir(way.c_str(), 0700) != 0 && errno != EEXIST)
            return errnoError(errno, path + " cannot be created", kRemedy);
    }
    if (const Result<void> safe = checkWayTo(path, true); !safe)
        return safe.error();
    return restrictToOwner(path);
}

std::string recordingFileName(std::time_t when, const std::string &target)
{
    std::tm local{};
    ::localtime_r(&when, &local);
    std::array<char, 32> time{};
    std::strftime(time.data(), time.size(), "%Y-%m-%dT%H.%M.%S", &local);
    std::string name;
    for (const char c : target.substr(0, kMostNameBytes)) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        name += plain || std::strchr("._+-", c) ? c : '_';
    }
    return std::string(time.data()) + "-" + name + ".ctr";
}

}  // namespace ct
