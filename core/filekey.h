// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Which file a path or a descriptor refers to, whatever its name is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ct {

/// Device and inode. The number of an inode is used again once its file is gone: hold a descriptor of the file (for a
/// socket file, the bound socket) for as long as the key is compared.
struct FileKey {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;

    bool operator==(const FileKey &) const = default;

    static std::optional<FileKey> of(int fd);
    static std::optional<FileKey> of(const std::string &path);       ///< links are followed
    static std::optional<FileKey> ofEntry(const std::string &path);  ///< of a link, the link itself
};

/// Removes the directory entry `path` if it still is `file`. False: it is gone, another file, or cannot be removed.
bool unlinkIfSame(const std::string &path, const std::optional<FileKey> &file);

}  // namespace ct
