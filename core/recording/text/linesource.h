// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the lines of a file of any size, which may be compressed with gzip or zstd. Only one chunk is in memory at a
// time.
#pragma once

#include "core/base/result.h"
#include "core/recording/text/packing.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

class LineSource {
public:
    static constexpr std::size_t kLongestLine = 1U << 20;  ///< bytes

    static Result<std::unique_ptr<LineSource>> open(const std::string &path);
    ~LineSource();
    LineSource(const LineSource &) = delete;
    LineSource &operator=(const LineSource &) = delete;

    struct Line {
        std::string_view text;   ///< without its end (LF or CRLF); valid until the next call
        bool ended = true;       ///< false: the last line of the file, which has no line feed
        bool isTooLong = false;  ///< longer than kLongestLine; `text` is empty
    };
    /// Reads the next line. Returns false at the end of the file. An error contains the number of the line. The end of
    /// a compressed file that was cut off is an error, after all of its lines.
    Result<bool> next(Line &line);

    std::uint64_t number() const { return m_number; }  ///< number of the latest line, from 1
    double progress() const;                           ///< 0..1
    const std::string &path() const { return m_path; }

private:
    LineSource(std::string path, int fd, std::uint64_t size);
    Result<void> fill();
    Result<std::size_t> read(char *to, std::size_t size);
    Result<std::size_t> readUnpacked(char *to, std::size_t size);
    Error cutOff() const;
    void consume(std::size_t bytes);

    std::string m_path;
    int m_fd = -1;
    std::uint64_t m_size = 0;      ///< size of the file when it was opened, bytes; 0 = unknown
    std::uint64_t m_consumed = 0;  ///< bytes of the file before m_begin; if it is compressed, bytes that were read
    std::uint64_t m_number = 0;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0;    ///< first byte that next() has not returned yet
    std::size_t m_end = 0;      ///< end of the bytes that were read
    std::size_t m_scanned = 0;  ///< bytes from m_begin on that have no line feed
    bool m_atEnd = false;
    bool m_skipsLine = false;              ///< the rest of a line that is too long comes next
    std::unique_ptr<Unpacker> m_unpacker;  ///< nullptr: the file is not compressed
    std::vector<char> m_packed;            ///< bytes of a compressed file
    std::string_view m_packedRest;         ///< bytes in m_packed that are not decompressed yet
};

}  // namespace ct
