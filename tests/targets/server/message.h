// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace server {

/// A request or a response: sixteen bytes each.
struct Message {
    std::uint64_t id = 0;
    std::uint64_t value = 0;
};

/// Assembles messages from the bytes of a stream, which may arrive in any pieces.
class MessageBuffer {
public:
    /// Returns the buffer for the next read. It has room for several messages, as in a real server.
    [[nodiscard]] std::span<std::byte> room() { return std::span(m_bytes).subspan(m_used); }
    void received(std::size_t bytes) { m_used += bytes; }
    /// Extracts the first message. Returns false if it is not complete.
    [[nodiscard]] bool take(Message &message);

private:
    std::array<std::byte, 16 * sizeof(Message)> m_bytes;
    std::size_t m_used = 0;
};

[[nodiscard]] inline std::span<const std::byte> bytesOf(const Message &message)
{
    return std::as_bytes(std::span(&message, 1));
}

/// The server's response to a request, with enough arithmetic to make it cost something.
[[nodiscard]] Message answer(const Message &request);

}  // namespace server
