// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace server {

/// What travels on a connection: requests one way, responses the other, sixteen bytes each.
struct Message {
    std::uint64_t id = 0;
    std::uint64_t value = 0;
};

/// Collects the bytes of one message; a stream may deliver them in any pieces.
class MessageBuffer {
public:
    /// Where the next read goes: room for several messages, as a reader of a real stream would have.
    [[nodiscard]] std::span<std::byte> room() { return std::span(m_bytes).subspan(m_used); }
    void received(std::size_t bytes) { m_used += bytes; }
    /// Takes the first message out, if it is complete.
    [[nodiscard]] bool take(Message &message);

private:
    std::array<std::byte, 16 * sizeof(Message)> m_bytes;
    std::size_t m_used = 0;
};

[[nodiscard]] inline std::span<const std::byte> bytesOf(const Message &message)
{
    return std::as_bytes(std::span(&message, 1));
}

/// What the server answers: enough arithmetic that a request costs something.
[[nodiscard]] Message answer(const Message &request);

}  // namespace server
