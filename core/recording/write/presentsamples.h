// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The latest samples of everything in a stream, for a keyframe.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace ct::ctr {

/// Not thread-safe: one thread.
class PresentSamples {
public:
    void consume(const Notes &notes);
    /// Appends the latest row of each thread that lives, descriptor that is registered, and process.
    void appendTo(Notes &notes) const;
    void removeProcesses(const std::set<std::uint32_t> &pids);

private:
    std::map<std::tuple<std::uint32_t, std::uint32_t>, ThreadSample> m_threads;  ///< by pid, tid
    /// By pid, epoll, descriptor.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, DescriptorSample> m_descriptors;
    std::map<std::tuple<std::uint32_t>, ProcessSample> m_processes;  ///< by pid
};

}  // namespace ct::ctr
