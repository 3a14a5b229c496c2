// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A file that grows at its end, in whole units: a full disk leaves no half ones.
#pragma once

#include "core/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ct {

/// Who may open a file that is created: what the umask leaves, as the user wants it in a folder of his choice; or its
/// owner alone, and then the file must be new, so that no link planted under its name is followed.
enum class FileAccess { ByUmask, OwnerOnly };

/// One thread at a time.
class AppendFile {
public:
    /// What stays when a write fails in the middle: whole lines of what was to be written, or nothing of it.
    enum class Unit { Line, Write };

    /// Opens or creates `path`; `-` is standard output (not closed at the end). What the file held stays until the
    /// first append() or close(): a capture that never begins costs nobody an older recording.
    static Result<std::unique_ptr<AppendFile>> open(const std::string &path, Unit unit,
                                                    FileAccess access = FileAccess::ByUmask);
    ~AppendFile();  ///< a file that was created and never written is gone again
    AppendFile(const AppendFile &) = delete;
    AppendFile &operator=(const AppendFile &) = delete;

    /// For files that nobody else may be writing: an error when somebody is (see fileclaim.h).
    Result<void> claim();
    /// An error is final: it says up to where the file is complete, and nothing more is written. `ends`: of a file of
    /// lines, the offsets in `data` behind each of them, the last one `size`.
    Result<void> append(const char *data, std::size_t size, std::span<const std::size_t> ends = {});
    Result<void> close();
    /// Closes the file and removes it, unless its name is another file's by now.
    void discard();

    bool isOpen() const { return m_fd >= 0; }
    bool hasBegun() const { return m_replaced; }  ///< to replace what the file held
    bool hasFailed() const { return m_failed; }
    std::uint64_t size() const { return m_size; }    ///< bytes, in whole units
    std::uint64_t lines() const { return m_lines; }  ///< that are in the file as a whole, also after an error
    const std::string &path() const { return m_path; }

private:
    AppendFile(std::string path, int fd, bool ownsFile, Unit unit);
    bool replaceOldContent();
    Result<void> fail(int errnoValue, std::size_t written, std::span<const std::size_t> ends);
    long writeSome(const char *data, std::size_t size);

    std::string m_path;
    std::uint64_t m_size = 0;
    std::uint64_t m_lines = 0;
    int m_fd = -1;
    Unit m_unit;
    bool m_ownsFile = false;
    bool m_regular = false;
    bool m_created = false;   ///< the file was not there before
    bool m_replaced = false;  ///< the old content is gone
    bool m_failed = false;
};

}  // namespace ct
