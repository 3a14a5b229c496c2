// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Samples what is registered in the epolls of one process: armed timers, counters, receive queues. Only reads /proc,
// and asks the kernel about sockets. Qt-free. Not thread-safe.
#pragma once

#include "core/stream/evidence.h"
#include "core/target/procfile.h"
#include "core/target/socketqueues.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ct {

class DescriptorSampler {
public:
    /// More registrations than these are not sampled; then areKnown() is false.
    static constexpr std::size_t kMost = 16'384;

    /// `process` is the open directory /proc/PID. It and `sockets` must outlive the sampler.
    DescriptorSampler(std::uint32_t pid, const ProcFile &process, SocketQueues &sockets);

    /// Finds all epolls of the process. Costs some 5 us for each of its descriptors.
    void findEpolls();
    void addEpoll(std::uint32_t descriptor) { m_epolls.insert(descriptor); }
    /// Visits what is registered in the known epolls, and appends the rows of what changed, with time `ts`. Costs some
    /// 2 us for each registration.
    void sample(std::uint64_t ts, std::vector<DescriptorSample> &rows);

    bool areKnown() const { return m_areKnown; }

private:
    /// A registration, by epoll and descriptor.
    using Key = std::pair<std::uint32_t, std::uint32_t>;
    struct Registration {
        std::uint64_t inode = 0;   ///< of the file
        std::uint64_t device = 0;  ///< of the file
        std::uint64_t visit = 0;   ///< number of the latest visit that found it
        bool isNew = true;
        DescriptorSample present;
        DescriptorSample emitted;
    };

    std::string targetOf(std::uint32_t descriptor) const;
    DescriptorKind kindOf(std::uint32_t descriptor, std::uint64_t device);
    bool visitEpoll(std::uint32_t epoll);
    void visitRegistration(std::uint32_t epoll, std::string_view line);
    void readCounters(Registration &registration) const;
    void fillSockets();
    DescriptorKind endOf(const Registration &registration) const;
    void emitChanges(std::uint64_t ts, std::vector<DescriptorSample> &rows);

    const std::uint32_t m_pid;
    SocketQueues &m_socketQueues;
    bool m_isOurNetwork = false;
    ProcFile m_descriptors;
    ProcFile m_infos;
    std::set<std::uint32_t> m_epolls;
    bool m_hasFoundEpolls = false;
    std::map<Key, Registration> m_registrations;
    std::map<std::uint64_t, DescriptorKind> m_kinds;  ///< of file systems that have nothing but sockets, or pipes
    std::uint64_t m_visit = 0;
    bool m_areKnown = false;
};

}  // namespace ct
