// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Encodes columns of numbers and texts as bytes, and decodes them again: docs/recording.md, "Kind 2".
//
// Bytes from a file are untrusted. A reader never goes beyond its bytes. It remembers each failure, so its caller needs
// to check failed() only once, at the end.
#pragma once

#include "core/base/uninitialized.h"
#include "core/recording/format/ctrformat.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace ct::ctr {

using Bytes = std::vector<std::uint8_t, Uninitialized<std::uint8_t>>;

inline constexpr std::size_t kLongestVarint = 10;

constexpr std::uint64_t zigzag(std::uint64_t difference)
{
    return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t value)
{
    return (value >> 1) ^ (0 - (value & 1));
}

inline std::uint8_t *putVarintSlowly(std::uint8_t *at, std::uint64_t value)
{
    while (value >= 0x80) {
        *at++ = static_cast<std::uint8_t>(value | 0x80);
        value >>= 7;
    }
    *at++ = static_cast<std::uint8_t>(value);
    return at;
}

/// Writes a varint and returns its end. The caller provides kLongestVarint bytes. One byte or two needs no branch: in a
/// column of times, the processor could not predict it.
inline std::uint8_t *putVarint(std::uint8_t *at, std::uint64_t value)
{
    if (value >= 1U << 14) [[unlikely]]
        return putVarintSlowly(at, value);
    const bool two = value >= 0x80;
    const auto both = static_cast<std::uint16_t>((value & 0x7F) | std::uint64_t{two} << 7 | (value >> 7) << 8);
    std::memcpy(at, &both, sizeof(both));
    return at + 1 + two;
}

/// A growing column. To write many values, reserve space() for all, write through the pointer, and call used() once.
class ColumnWriter {
public:
    void clear()
    {
        m_used = 0;
        m_last = 0;
    }
    std::size_t size() const { return m_used; }
    const std::uint8_t *data() const { return m_bytes.data(); }

    /// Reserves `bytes` and returns their address. Call used() with the end of the bytes that were written.
    std::uint8_t *space(std::size_t bytes)
    {
        if (bytes > m_bytes.size() - m_used)
            m_bytes.resize((m_used + bytes) * 2);
        return m_bytes.data() + m_used;
    }
    void used(const std::uint8_t *end) { m_used = static_cast<std::size_t>(end - m_bytes.data()); }

    void plain(std::uint64_t value) { used(putVarint(space(kLongestVarint), value)); }
    void delta(std::uint64_t value)
    {
        plain(zigzag(value - m_last));
        m_last = value;
    }
    void bytes(const void *data, std::size_t size)
    {
        std::uint8_t *at = space(size);
        if (size != 0)
            std::memcpy(at, data, size);
        used(at + size);
    }
    void bytes(std::string_view text) { bytes(text.data(), text.size()); }
    /// Appends another column with its length in front, as sections hold their columns.
    void column(const ColumnWriter &other)
    {
        plain(other.size());
        bytes(other.data(), other.size());
    }

private:
    Bytes m_bytes;
    std::size_t m_used = 0;
    std::uint64_t m_last = 0;
};

/// Reads varints and bytes, for example of a column. At the end or at an invalid varint, a call returns 0 or an empty
/// text. From then on failed() and atEnd() are true.
class ColumnReader {
public:
    ColumnReader() = default;
    ColumnReader(const std::uint8_t *data, std::size_t size) : m_at(data), m_end(data + size) {}

    bool failed() const { return m_failed; }
    bool atEnd() const { return m_at == m_end; }
    std::size_t left() const { return static_cast<std::size_t>(m_end - m_at); }

    std::uint64_t plain()
    {
        if (left() >= 2) [[likely]] {
            std::uint16_t both = 0;
            std::memcpy(&both, m_at, sizeof(both));
            const unsigned two = both >> 7 & 1U;
            if (!(both & 0x8000 && two)) [[likely]] {
                m_at += 1 + two;
                return (both & 0x7FU) | ((both >> 8 & 0x7FU) << 7 & (0U - two));
            }
        }
        return slowly();
    }
    std::uint64_t delta()
    {
        m_last += unzigzag(plain());
        return m_last;
    }
    std::uint8_t byte() { return left() == 0 ? (fail(), std::uint8_t{0}) : *m_at++; }
    std::string_view text(std::uint64_t size)
    {
        if (size > left()) {
            fail();
            return {};
        }
        const auto *begin = reinterpret_cast<const char *>(m_at);
        m_at += size;
        return {begin, static_cast<std::size_t>(size)};
    }
    /// The next column of a section. Columns that the writer did not know are missing at the end, and read as empty.
    ColumnReader column()
    {
        if (atEnd())
            return {};
        const std::string_view inner = text(plain());
        return {reinterpret_cast<const std::uint8_t *>(inner.data()), inner.size()};
    }

private:
    void fail()
    {
        m_failed = true;
        m_at = m_end;
    }
    std::uint64_t slowly();

    const std::uint8_t *m_at = nullptr;
    const std::uint8_t *m_end = nullptr;
    std::uint64_t m_last = 0;
    bool m_failed = false;
};

}  // namespace ct::ctr
