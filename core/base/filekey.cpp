// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/base/filekey.h"

#include <sys/stat.h>
#include <unistd.h>

namespace ct {

namespace {

std::optional<FileKey> keyOf(int failed, const struct stat &info)
{
    return failed == 0 ? std::optional(FileKey{info.st_dev, info.st_ino}) : std::nullopt;
}

}  // namespace

std::optional<FileKey> FileKey::of(int fd)
{
    struct stat info = {};
    return keyOf(::fstat(fd, &info), info);
}

std::optional<FileKey> FileKey::of(const std::string &path)
{
    struct stat info = {};
    return keyOf(::stat(path.c_str(), &info), info);
}

std::optional<FileKey> FileKey::ofEntry(const std::string &path)
{
    struct stat info = {};
    return keyOf(::lstat(path.c_str(), &info), info);
}

bool unlinkIfSame(const std::string &path, const std::optional<FileKey> &file)
{
    return file && FileKey::ofEntry(path) == file && ::unlink(path.c_str()) == 0;
}

}  // namespace ct
