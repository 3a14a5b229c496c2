// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What threads and descriptors of a process do, as text.
#pragma once

#include "core/stream/evidence.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <utility>
#include <vector>

namespace ct::format {

/// Threads that do the same, most frequent first: "sleep in epoll 5, without a timeout".
std::vector<std::pair<QString, std::vector<std::uint32_t>>> threadsByActivity(const std::vector<ThreadSample> &threads);

/// One line for each descriptor, at most 12: "timer 7 in epoll 5, due in 1.2 s". `now`: ns, CLOCK_MONOTONIC.
QStringList descriptorLines(const std::vector<DescriptorSample> &descriptors, std::uint64_t now);

}  // namespace ct::format
