// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What waits in the receive queues of sockets, as the kernel answers sock_diag(7) requests. They cost a tenth of
// /proc/PID/net/tcp. Qt-free. Not thread-safe.
#pragma once

#include "core/stream/evidence.h"
#include "core/target/procfile.h"

#include <cstdint>
#include <linux/netlink.h>
#include <unordered_map>
#include <unordered_set>

namespace ct {

/// Knows the sockets of this program's network namespace.
class SocketQueues {
public:
    struct Socket {
        std::uint64_t pending = DescriptorSample::kUnknown;  ///< as DescriptorSample::pending
        std::uint8_t tcpState = 0;
        bool readEnds = false;  ///< as DescriptorSample::readEnds
        bool canWrite = false;  ///< as DescriptorSample::canWrite
        bool isListener = false;
    };
    /// Returns the sockets with these inodes; those of other protocols or namespaces are missing.
    std::unordered_map<std::uint64_t, Socket> read(const std::unordered_set<std::uint64_t> &inodes);

private:
    enum class Table : std::uint8_t { Tcp, Tcp6, Udp, Udp6, Unix, None };

    bool send(nlmsghdr &request);
    template <class Visit>
    bool answers(Visit &&visit);
    void readInternet(Table table, std::unordered_map<std::uint64_t, Socket> &found);
    void readUnix(std::uint64_t inode, std::unordered_map<std::uint64_t, Socket> &found);

    ProcFile m_netlink;
    bool m_isOpened = false;
    std::uint32_t m_request = 0;                        ///< number of the latest request
    std::unordered_map<std::uint64_t, Table> m_tables;  ///< where the inodes of the latest call are
};

}  // namespace ct
