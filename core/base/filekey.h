// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Identifies a file independently of its name.
// See docs/decisions/0019-files-that-are-not-ours.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ct {

/// Device and inode. The system reuses the inode number of a deleted file. Keep a descriptor of the file open (for a
/// socket file, the bound socket) as long as the key is compared.
struct FileKey {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;

    bool operator==(const FileKey &) const = default;

    static std::optional<FileKey> of(int fd);
    static std::optional<FileKey> of(const std::string &path);       ///< follows symbolic links
    static std::optional<FileKey> ofEntry(const std::string &path);  ///< identifies a symbolic link itself
};

/// Removes the directory entry `path` if it still refers to `file`. Returns false if the entry is gone, refers to
/// another file, or cannot be removed.
bool unlinkIfSame(const std::string &path, const std::optional<FileKey> &file);

}  // namespace ct
