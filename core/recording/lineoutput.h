// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file below the text formats: a big buffer that reaches the file in whole lines only.
#pragma once

#include "core/recording/appendfile.h"
#include "core/result.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// One thread at a time. Destruction flushes what is left, without a report: call close() first.
class LineOutput {
public:
    /// See AppendFile::open(); an error also when somebody else is writing the file.
    static Result<std::unique_ptr<LineOutput>> open(const std::string &path);
    ~LineOutput();

    /// Room for one line of at most `bytes` bytes at the returned address; endLine() takes it over up to `end`,
    /// which must be right behind a line feed. May write what was collected before.
    Result<char *> beginLine(std::size_t bytes);
    void endLine(const char *end)
    {
        m_used = static_cast<std::size_t>(end - m_buffer.data());
        m_ends.push_back(m_used);
    }

    /// Writes what was collected when the last write is half a second of stream time ago (ns).
    Result<void> flushIfDue(std::uint64_t now);
    Result<void> flush();
    Result<void> close();
    /// Lines that are in the file as a whole, also after an error.
    std::uint64_t linesWritten() const { return m_file->lines(); }

private:
    explicit LineOutput(std::unique_ptr<AppendFile> file);

    std::unique_ptr<AppendFile> m_file;
    std::vector<char> m_buffer;
    std::size_t m_used = 0;
    std::vector<std::size_t> m_ends;  ///< of the lines in the buffer; a quoted text may have line feeds as well
    std::uint64_t m_flushedAt = 0;    ///< stream time of the latest flush, ns; 0 = none yet
};

// Formatting into a line whose size was reserved: each returns the end.

inline char *put(char *at, std::string_view text)
{
    return at + text.copy(at, text.size());
}

inline constexpr std::size_t kMaxDecimal = 20;  ///< digits of the largest 64-bit number
inline char *putDecimal(char *at, std::uint64_t value)
{
    return std::to_chars(at, at + kMaxDecimal, value).ptr;
}

/// 0x and 16 lower-case digits.
inline constexpr std::size_t kHexLength = 18;
inline char *putHex(char *at, std::uint64_t value)
{
    static constexpr char kDigits[] = "0123456789abcdef";
    *at++ = '0';
    *at++ = 'x';
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = kDigits[(value >> shift) & 0xF];
    return at;
}

}  // namespace ct
