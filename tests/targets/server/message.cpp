// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "message.h"

#include <algorithm>
#include <cstring>

namespace server {

bool MessageBuffer::take(Message &message)
{
    if (m_used < sizeof(Message))
        return false;
    std::memcpy(&message, m_bytes.data(), sizeof(Message));
    m_used -= sizeof(Message);
    std::copy_n(m_bytes.begin() + sizeof(Message), m_used, m_bytes.begin());
    return true;
}

Message answer(const Message &request)
{
    std::uint64_t value = request.value;
    for (int round = 0; round < 2000; ++round)
        value = value * 6364136223846793005U + 1442695040888963407U;
    return {request.id, value};
}

}  // namespace server
