// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Replaces a file as a whole or not at all.
#pragma once

#include "core/base/filekey.h"
#include "core/base/result.h"

#include <optional>
#include <string>

namespace ct {

/// A temporary file in the folder of the target. Removed unless commit() succeeds.
class ReplaceFile {
public:
    /// Creates the temporary file, with the permissions of an existing target. Follows a link, which stays a link.
    /// Returns an error if another writer has the target open, because its later output would be lost.
    static Result<ReplaceFile> prepare(const std::string &path);
    ReplaceFile(ReplaceFile &&other) noexcept;
    ReplaceFile &operator=(ReplaceFile &&) = delete;
    ~ReplaceFile();

    const std::string &temporaryPath() const { return m_temporary; }
    /// Synchronises the file, renames it, and synchronises the directory.
    Result<void> commit();

private:
    ReplaceFile(std::string target, std::string temporary);

    std::string m_target;
    std::string m_temporary;  ///< empty: nothing to remove
    std::optional<FileKey> m_key;
};

/// Rewrites an error of an export that wrote `temporary` instead of `path`. The result names `path`, says that nothing
/// was written, and ends with the remedy of the original error, the last part of its message. A statement about the
/// content of `temporary` is left out, because that file is removed.
Error nothingWritten(const Error &error, const std::string &temporary, const std::string &path);

}  // namespace ct
