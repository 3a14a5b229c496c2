// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Replaces a file as a whole or not at all.
#pragma once

#include "core/filekey.h"
#include "core/result.h"

#include <optional>
#include <string>

namespace ct {

/// A temporary file beside the target; removed unless commit() succeeds.
class ReplaceFile {
public:
    /// Creates the temporary file, with the permissions of an existing target. A link is followed, so that it stays
    /// one. An error when somebody is writing the target: what comes after the replacement would be lost.
    static Result<ReplaceFile> prepare(const std::string &path);
    ReplaceFile(ReplaceFile &&other) noexcept;
    ReplaceFile &operator=(ReplaceFile &&) = delete;
    ~ReplaceFile();

    const std::string &temporaryPath() const { return m_temporary; }
    /// Synchronises the file, renames it, synchronises the directory.
    Result<void> commit();

private:
    ReplaceFile(std::string target, std::string temporary);

    std::string m_target;
    std::string m_temporary;  ///< empty: nothing to remove
    std::optional<FileKey> m_key;
};

/// An error of who wrote `temporary` in place of `path`. What it says of how much is in its file does not hold for one
/// that goes away: of that, only the cause stays.
Error ofNothingWritten(const Error &error, const std::string &temporary, const std::string &path);

}  // namespace ct
