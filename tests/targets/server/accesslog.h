// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "message.h"

#include <mutex>
#include <vector>

namespace server {

/// Collects a line for each request and writes them out a page at a time, on the thread that filled the page.
class AccessLog {
public:
    void add(const Message &request);

private:
    static void writeOut(const std::vector<Message> &page);

    std::mutex m_mutex;
    std::vector<Message> m_page;
};

}  // namespace server
