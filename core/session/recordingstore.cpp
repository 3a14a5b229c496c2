// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/recordingstore.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
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
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed))
        return {};
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    const int error = failed ? failed.value() : ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST ? errno : 0;
    if (error != 0)
        return errnoError(error, path + " cannot be made; set XDG_CACHE_HOME to a directory that can be written");
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
