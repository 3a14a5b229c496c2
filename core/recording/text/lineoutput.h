// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The output file of the text formats: a large buffer that is written only in whole lines, and compressed if the name
// of the file ends in .gz or .zst.
#pragma once

#include "core/base/result.h"
#include "core/recording/text/packing.h"
#include "core/recording/text/puttext.h"
#include "core/recording/write/appendfile.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// Call close() before destruction. Without it, errors are not reported, and lines are discarded if no line has reached
/// the file before. Not thread-safe: one thread at a time.
class LineOutput {
public:
    /// See AppendFile::open(). Also returns an error if the file is already being written. `unit`: Write for a file
    /// whose units are not lines, so that messages do not mention lines.
    static Result<std::unique_ptr<LineOutput>>
    open(const std::string &path, AppendFile::Unit unit = AppendFile::Unit::Line, OldContent old = OldContent::Replace);
    ~LineOutput();

    /// The old content ends inside a line: the first line begins with a line feed, which does not count.
    void endOldLineFirst() { m_isOldLineOpen = true; }

    /// Whether a line counts in linesWritten().
    enum class Counts : std::uint8_t { Yes, No };

    /// Returns room for one line of at most `bytes` bytes. endLine() then adds the line up to `end`, which must
    /// directly follow a line feed. May write the collected lines first.
    Result<char *> beginLine(std::size_t bytes)
    {
        if (bytes > m_buffer.size() - m_used)
            return makeRoom(bytes);
        return m_buffer.data() + m_used;
    }
    void endLine(const char *end, Counts counts = Counts::Yes)
    {
        m_used = static_cast<std::size_t>(end - m_buffer.data());
        if (counts == Counts::No)
            m_uncounted.push_back(m_ends.size());
        m_ends.push_back(m_used);
    }

    /// Writes the collected lines every half second of stream time. `now`: present time of the stream, in ns.
    Result<void> flushIfDue(std::uint64_t now);
    Result<void> flush();
    Result<void> close();
    bool hasFailed() const { return m_file->hasFailed(); }  ///< nothing more will be written
    /// Whole lines that were added to the file and count; valid also after an error.
    std::uint64_t linesWritten() const { return m_written; }

private:
    LineOutput(std::unique_ptr<AppendFile> file, std::unique_ptr<Packer> packer);
    Result<char *> makeRoom(std::size_t bytes);
    Result<void> append(std::string_view text, std::span<const std::size_t> ends);

    std::unique_ptr<AppendFile> m_file;
    std::unique_ptr<Packer> m_packer;  ///< nullptr: the file is not compressed
    std::vector<char> m_buffer;
    std::size_t m_used = 0;
    std::vector<std::size_t> m_ends;  ///< offsets of the line ends in m_buffer; quoted texts may contain line feeds
    std::vector<std::size_t> m_uncounted;  ///< indexes in m_ends of the lines that do not count
    std::uint64_t m_written = 0;           ///< lines in the file that count
    bool m_isOldLineOpen = false;
    std::uint64_t m_flushedAt = 0;  ///< stream time of the latest flush, ns; 0 = none yet
};

}  // namespace ct
