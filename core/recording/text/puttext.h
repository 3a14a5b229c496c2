// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Formats values into a line whose room was reserved. Each function returns the end of its text. An export spends most
// of its time here, so eight digits are made at once, one per byte of a word.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ct {

inline char *put(char *at, std::string_view text)
{
    return at + text.copy(at, text.size());
}

/// The digits of `value`, which is less than 10^8, as numbers from 0 to 9: the first one in the lowest byte.
constexpr std::uint64_t eightDigits(std::uint64_t value)
{
    // Divides by 10^4, then both halves by 10^2, then the quarters by 10. Products with reciprocals are exact here.
    const std::uint64_t halves = value / 10'000 | (value % 10'000) << 32;
    const std::uint64_t hundreds = (halves * 10'486 >> 20) & 0x0000'007F'0000'007F;
    const std::uint64_t quarters = hundreds | (halves - hundreds * 100) << 16;
    const std::uint64_t tens = (quarters * 103 >> 10) & 0x000F'000F'000F'000F;
    return tens | (quarters - tens * 10) << 8;
}

/// Writes the lowest byte of `word` first.
inline char *putWord(char *at, std::uint64_t word)
{
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(at, &word, sizeof(word));
    return at + sizeof(word);
}

/// Needs room for eight characters, even for a shorter number.
inline char *putBelow100Million(char *at, std::uint64_t value)
{
    const std::uint64_t digits = eightDigits(value);
    const int zeros = std::countr_zero(digits | std::uint64_t{1} << 56) / 8;  // the last digit is always written
    return putWord(at, (digits | 0x3030'3030'3030'3030) >> zeros * 8) - zeros;
}

/// Room that every number needs: the digits of the largest one.
inline constexpr std::size_t kMaxDecimal = 20;
inline char *putDecimal(char *at, std::uint64_t value)
{
    constexpr std::uint64_t k100Million = 100'000'000;
    if (value < k100Million)
        return putBelow100Million(at, value);
    const std::uint64_t front = value / k100Million;
    at = front < k100Million ? putBelow100Million(at, front)
                             : putWord(putBelow100Million(at, front / k100Million),
                                       eightDigits(front % k100Million) | 0x3030'3030'3030'3030);
    return putWord(at, eightDigits(value % k100Million) | 0x3030'3030'3030'3030);
}

/// The eight hexadecimal digits of a number of 32 bits, as characters.
constexpr std::uint64_t eightHexDigits(std::uint64_t value)
{
    std::uint64_t digits = value >> 16 | (value & 0xFFFF) << 32;
    digits = (digits & 0x0000'00FF'0000'00FF) << 16 | (digits >> 8 & 0x0000'00FF'0000'00FF);
    digits = (digits & 0x000F'000F'000F'000F) << 8 | (digits >> 4 & 0x000F'000F'000F'000F);
    const std::uint64_t letters = (digits + 0x0606'0606'0606'0606) >> 4 & 0x0101'0101'0101'0101;
    return digits + 0x3030'3030'3030'3030 + letters * ('a' - '9' - 1);
}

/// 0x and 16 lower-case digits.
inline constexpr std::size_t kHexLength = 18;
inline char *putHex(char *at, std::uint64_t value)
{
    return putWord(putWord(put(at, "0x"), eightHexDigits(value >> 32)), eightHexDigits(value & 0xFFFF'FFFF));
}

}  // namespace ct
