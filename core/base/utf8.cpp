// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/base/utf8.h"

#include <cstddef>

namespace ct {

namespace {

bool isContinuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/// Returns the bytes of the valid sequence at the start of `text`, or 0 if the sequence is invalid. `text` must not be
/// empty. Overlong forms, surrogates and values beyond U+10FFFF are invalid.
std::size_t sequenceLength(std::string_view text)
{
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = at(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length)
        return 0;
    const unsigned char lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (at(1) < lowest || at(1) > highest)
        return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if (!isContinuation(at(i)))
            return 0;
    }
    return length;
}

/// Decodes a valid sequence.
std::uint32_t decoded(std::string_view sequence)
{
    constexpr std::uint32_t kFirstBits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    std::uint32_t codePoint = static_cast<unsigned char>(sequence.front()) & kFirstBits[sequence.size()];
    for (const char byte : sequence.substr(1))
        codePoint = (codePoint << 6) | (static_cast<unsigned char>(byte) & 0x3F);
    return codePoint;
}

/// True for characters that control a terminal or change the direction of text. JSON itself requires an escape only
/// below U+0020.
bool changesDisplay(std::uint32_t codePoint)
{
    return codePoint < 0x20 || (codePoint >= 0x7F && codePoint <= 0x9F) || codePoint == 0x061C || codePoint == 0x200E ||
           codePoint == 0x200F || (codePoint >= 0x202A && codePoint <= 0x202E) ||
           (codePoint >= 0x2066 && codePoint <= 0x2069);
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Appends one character to a JSON string, escaped if necessary. `sequence` is the character in valid UTF-8. Characters
/// that need a numeric escape lie below U+10000, so four hexadecimal digits are enough.
void appendJsonCharacter(std::string &out, std::string_view sequence)
{
    static constexpr char kDigits[] = "0123456789abcdef";
    switch (sequence.front()) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
    }
    const std::uint32_t codePoint = decoded(sequence);
    if (!changesDisplay(codePoint)) {
        out += sequence;
        return;
    }
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        out += kDigits[(codePoint >> shift) & 0xF];
}

}  // namespace

std::string validUtf8(std::string_view bytes)
{
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        const std::size_t length = sequenceLength(bytes);
        out += length == 0 ? kReplacement : bytes.substr(0, length);
        bytes.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::string distinctUtf8(std::string_view bytes)
{
    static constexpr char kDigits[] = "0123456789ABCDEF";
    if (validUtf8(bytes) == bytes)
        return std::string(bytes);
    std::string out;
    while (!bytes.empty()) {
        const std::size_t length = sequenceLength(bytes);
        const auto byte = static_cast<unsigned char>(bytes.front());
        if (length == 0 || byte == '%')
            out.append({'%', kDigits[byte >> 4], kDigits[byte & 0xF]});
        else
            out += bytes.substr(0, length);
        bytes.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

void appendUtf8(std::string &out, std::uint32_t codePoint)
{
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (codePoint > 0x10FFFF || (codePoint >= 0xD800 && codePoint <= 0xDFFF)) {
        out += kReplacement;
    } else if (codePoint < 0x80) {
        put(codePoint);
    } else if (codePoint < 0x800) {
        put(0xC0 | (codePoint >> 6));
        put(0x80 | (codePoint & 0x3F));
    } else if (codePoint < 0x10000) {
        put(0xE0 | (codePoint >> 12));
        put(0x80 | ((codePoint >> 6) & 0x3F));
        put(0x80 | (codePoint & 0x3F));
    } else {
        put(0xF0 | (codePoint >> 18));
        put(0x80 | ((codePoint >> 12) & 0x3F));
        put(0x80 | ((codePoint >> 6) & 0x3F));
        put(0x80 | (codePoint & 0x3F));
    }
}

void appendJsonString(std::string &out, std::string_view text)
{
    out += '"';
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        if (length == 0)
            out += kReplacement;
        else
            appendJsonCharacter(out, text.substr(0, length));
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
}

}  // namespace ct
