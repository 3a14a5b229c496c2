// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes the wire format of protocol buffers: fields of varints, of 64 bits, and of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ct::viewers {

enum class Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2 };

/// Seven bits per byte, lowest first; at most 10 bytes.
inline char *putVarint(char *at, std::uint64_t value)
{
    while (value >= 0x80) {
        *at++ = static_cast<char>(value | 0x80);
        value >>= 7;
    }
    *at++ = static_cast<char>(value);
    return at;
}

inline char *putTag(char *at, std::uint32_t field, Wire wire)
{
    return putVarint(at, field << 3 | static_cast<std::uint32_t>(wire));
}

inline char *putField(char *at, std::uint32_t field, std::uint64_t value)
{
    return putVarint(putTag(at, field, Wire::Varint), value);
}

/// Little-endian, like the machines that this program runs on.
inline char *putFixed64(char *at, std::uint32_t field, std::uint64_t value)
{
    at = putTag(at, field, Wire::Fixed64);
    std::memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

inline char *putBytes(char *at, std::uint32_t field, std::string_view bytes)
{
    at = putVarint(putTag(at, field, Wire::Bytes), bytes.size());
    return at + bytes.copy(at, bytes.size());
}

/// A message inside another one, of fewer than 2^14 bytes. Its length always has two bytes, so it can be filled in
/// after the content.
class Nested {
public:
    static char *begin(char *at, std::uint32_t field) { return putTag(at, field, Wire::Bytes) + 2; }
    /// `content`: the result of begin(). `end`: the end of the content.
    static char *end(char *content, char *end)
    {
        const auto size = static_cast<std::size_t>(end - content);
        content[-2] = static_cast<char>(size | 0x80);
        content[-1] = static_cast<char>(size >> 7);
        return end;
    }
};

/// A message of any size; slower, for rare ones.
class Message {
public:
    Message &field(std::uint32_t field, std::uint64_t value)
    {
        char buffer[20];
        m_bytes.append(buffer, putField(buffer, field, value));
        return *this;
    }
    Message &bytes(std::uint32_t field, std::string_view bytes)
    {
        char buffer[20];
        m_bytes.append(buffer, putVarint(putTag(buffer, field, Wire::Bytes), bytes.size()));
        m_bytes += bytes;
        return *this;
    }
    Message &message(std::uint32_t field, const Message &message) { return bytes(field, message.m_bytes); }
    const std::string &bytes() const { return m_bytes; }

private:
    std::string m_bytes;
};

}  // namespace ct::viewers
