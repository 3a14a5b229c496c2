// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "corotracer/traced.h"
#include "message.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace server {

/// Collects a line per request and writes a page at a time, on the thread that filled the page. The write lasts until
/// the other threads have answered a number of requests, so it takes longer on a slow machine.
class AccessLog {
public:
    void add(const Message &request);

private:
    void writeOut(const std::vector<Message> &page) const;

    corotracer::Traced<std::mutex> m_mutex;
    std::vector<Message> m_page;
    std::atomic<std::uint64_t> m_lines{0};  ///< requests logged so far
};

}  // namespace server
