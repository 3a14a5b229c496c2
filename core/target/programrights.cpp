// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/programrights.h"

#include "core/target/childexec.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

namespace fs = std::filesystem;

std::string searchPath(const LaunchSpec &command)
{
    if (const auto changed = command.environment.find("PATH"); changed != command.environment.end())
        return changed->second.value_or(kUsualPath);
    const char *const inherited = std::getenv("PATH");
    return inherited ? inherited : kUsualPath;
}

/// Returns the file that a launch would execute for `word`; nullopt: PATH has none.
std::optional<std::string> programFile(const std::string &word, const LaunchSpec &command)
{
    const fs::path directory = command.workingDirectory;
    if (word.find('/') != std::string::npos)
        return (directory / word).string();
    std::istringstream folders(searchPath(command));
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path file = directory / folder / word;
        if (::access(file.c_str(), X_OK) == 0)
            return file.string();
    }
    return std::nullopt;
}

/// In a shell line, the name of a program comes first, after an operator, or after a word such as exec. An assignment
/// may precede the name. In an argument, '=' is an ordinary character.
bool isFollowedByProgram(std::string_view word, bool isProgram)
{
    constexpr std::array<std::string_view, 10> kWords{"&&", "||", "|", "&", "(", "{", "env", "exec", "nohup", "time"};
    return word.ends_with(';') || (isProgram && word.find('=') != std::string_view::npos) ||
           std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

std::vector<std::string> programsOf(const LaunchSpec &command)
{
    if (!command.argv.empty())
        return {command.argv.front()};
    std::istringstream line(command.shellLine);
    std::vector<std::string> programs;
    bool isProgram = true;
    for (std::string word; line >> word;) {
        if (isProgram)
            programs.push_back(word);
        isProgram = isFollowedByProgram(word, isProgram);
    }
    return programs;
}

}  // namespace

bool gainsRights(const std::string &program)
{
    struct stat info {};
    struct statvfs system {};
    if (::stat(program.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || ::statvfs(program.c_str(), &system) != 0)
        return false;
    if ((system.f_flag & ST_NOSUID) != 0 || ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return false;
    const bool setsUser = (info.st_mode & S_ISUID) != 0 && info.st_uid != ::getuid();
    const bool setsGroup = (info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0 && info.st_gid != ::getgid();
    const bool hasCapabilities = ::getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
    return setsUser || setsGroup || (hasCapabilities && ::getuid() != 0);
}

std::string privilegedProgram(const LaunchSpec &command)
{
    for (const std::string &word : programsOf(command)) {
        if (const std::optional<std::string> file = programFile(word, command); file && gainsRights(*file))
            return fs::path(word).filename().string();
    }
    return {};
}

}  // namespace ct
