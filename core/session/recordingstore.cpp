// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/recordingstore.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <array>
#include <cerrno>
#include <cstring>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

constexpr std::size_t kMostNameBytes = 60;

/// As the system knows it; empty = it does not.
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

}  // namespace

QString recordingsDirectory()
{
    // Qt takes / for the home of whoever has no $HOME.
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

Result<void> makeRecordingsDirectory(const QString &directory)
{
    const std::string path = QFile::encodeName(directory).toStdString();
    if (directory.isEmpty())
        return Error{ErrorCode::NotFound, "there is no cache directory; set XDG_CACHE_HOME to one"};
    struct stat info = {};
    if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
        return {};
    errno = 0;
    if (!QDir().mkpath(QFileInfo(directory).path()))
        return errnoError(errno, QFile::encodeName(QFileInfo(directory).path()).toStdString() +
                                     " cannot be made; set XDG_CACHE_HOME to a directory that can be written");
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return errnoError(errno, path + " cannot be made; set XDG_CACHE_HOME to a directory that can be written");
    return {};
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
