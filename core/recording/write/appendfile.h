// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A file that grows at its end in whole units. A full disk leaves no partial unit.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ct {

/// The users who may open a created file. ByUmask: as the umask allows, for folders that the user chose. OwnerOnly: the
/// owner. The file must be new then, so a link that was planted under its name is never followed.
enum class FileAccess { ByUmask, OwnerOnly };

/// What the first write does with the content that a file has already. Keep: what is written follows it.
enum class OldContent : std::uint8_t { Replace, Keep };

/// Not thread-safe: one thread at a time.
class AppendFile {
public:
    /// The part that remains of a write that fails in the middle. Line: its whole lines. Write: nothing.
    enum class Unit { Line, Write };

    /// Opens or creates `path`; `-` is standard output, which stays open at the end. Old content stays until the first
    /// append() or close(), so a capture that never begins destroys no older recording.
    static Result<std::unique_ptr<AppendFile>> open(const std::string &path, Unit unit,
                                                    FileAccess access = FileAccess::ByUmask);
    ~AppendFile();  ///< removes a file that open() created and that was never written
    AppendFile(const AppendFile &) = delete;
    AppendFile &operator=(const AppendFile &) = delete;

    /// Claims the file for writing, see fileclaim.h. Returns an error when it is being written already.
    Result<void> claim();
    /// Call it after claim() and before the first append(), which then keeps the old content of a file. Failed writes
    /// keep it, too.
    void keepOldContent();
    /// Appends `size` bytes. An error is final: it says up to where the file is complete, and later calls write
    /// nothing. `ends`: in a file of lines, the offset in `data` behind each line; the last one is `size`.
    Result<void> append(const char *data, std::size_t size, std::span<const std::size_t> ends = {});
    Result<void> close();
    /// Closes the file and removes it, unless its name belongs to another file by now.
    void discard();

    bool isOpen() const { return m_fd >= 0; }
    bool hasBegun() const { return m_replaced; }  ///< append() was called, so the old content may be gone
    bool hasFailed() const { return m_failed; }
    std::uint64_t size() const { return m_size; }    ///< bytes, in whole units, with the old content that is kept
    std::uint64_t lines() const { return m_lines; }  ///< whole lines that were appended; valid also after an error
    const std::string &path() const { return m_path; }

private:
    AppendFile(std::string path, int fd, bool ownsFile, Unit unit);
    bool replaceOldContent();
    Result<void> fail(int errnoValue, std::size_t written, std::span<const std::size_t> ends);
    Error stateError(int errnoValue, std::string problem, const std::string &state) const;
    long writeSome(const char *data, std::size_t size);

    std::string m_path;
    std::uint64_t m_size = 0;
    std::uint64_t m_lines = 0;
    int m_fd = -1;
    Unit m_unit;
    bool m_ownsFile = false;
    bool m_regular = false;
    bool m_created = false;   ///< open() created the file
    bool m_keeps = false;     ///< the old content stays
    bool m_replaced = false;  ///< the old content is gone, or stays
    bool m_failed = false;
};

}  // namespace ct
