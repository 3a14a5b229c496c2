// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/socketqueues.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace ct {

namespace {

constexpr std::size_t kAnswerBytes = 65'536;

template <class Body>
struct Request {
    nlmsghdr head{};
    Body body{};

    explicit Request(std::uint16_t flags)
    {
        head.nlmsg_len = sizeof(Request);
        head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
        head.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    }
};

void setTcpState(SocketQueues::Socket &entry, const inet_diag_msg &socket)
{
    entry.tcpState = socket.idiag_state;
    entry.isListener = socket.idiag_state == TCP_LISTEN;
    const bool isOpen = socket.idiag_state == TCP_ESTABLISHED || socket.idiag_state == TCP_CLOSE_WAIT;
    entry.readEnds = socket.idiag_state == TCP_CLOSE_WAIT || socket.idiag_state == TCP_CLOSE;
    // Without a connection, a write fails at once.
    entry.canWrite = socket.idiag_state == TCP_CLOSE || (isOpen && socket.idiag_wqueue == 0);
}

/// One attribute of a local socket.
void readAttribute(const rtattr &attribute, SocketQueues::Socket &entry, bool isStream)
{
    unix_diag_rqlen lengths{};
    if (attribute.rta_type == UNIX_DIAG_RQLEN && RTA_PAYLOAD(&attribute) >= sizeof lengths) {
        std::memcpy(&lengths, RTA_DATA(&attribute), sizeof lengths);
        entry.pending = lengths.udiag_rqueue;
        entry.canWrite = entry.canWrite || (isStream && !entry.isListener && lengths.udiag_wqueue == 0);
    }
    if (attribute.rta_type == UNIX_DIAG_SHUTDOWN && RTA_PAYLOAD(&attribute) >= 1 && isStream) {
        constexpr std::uint8_t kRead = 1;
        constexpr std::uint8_t kWrite = 2;
        const std::uint8_t ended = *static_cast<const std::uint8_t *>(RTA_DATA(&attribute));
        entry.readEnds = (ended & kRead) != 0;
        entry.canWrite = entry.canWrite || (ended & kWrite) != 0;  // it fails at once
    }
}

}  // namespace

/// Numbers the request, so that answers() knows its answers.
bool SocketQueues::send(nlmsghdr &request)
{
    if (!std::exchange(m_isOpened, true)) {
        m_netlink = ProcFile::adopt(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
        const timeval patience{1, 0};
        (void)::setsockopt(m_netlink.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    request.nlmsg_seq = ++m_request;
    return m_netlink.isOpen() && ::send(m_netlink.fd(), &request, request.nlmsg_len, 0) == request.nlmsg_len;
}

/// Calls visit(message) for each message that answers the latest request.
template <class Visit>
bool SocketQueues::answers(Visit &&visit)
{
    alignas(nlmsghdr) static thread_local std::array<char, kAnswerBytes> buffer;
    for (;;) {
        const ssize_t got = ::recv(m_netlink.fd(), buffer.data(), buffer.size(), 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        auto left = static_cast<unsigned>(got);
        const auto *message = reinterpret_cast<const nlmsghdr *>(buffer.data());
        bool isMultiple = true;
        for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left)) {
            if (message->nlmsg_seq != m_request)
                continue;  // what an earlier request left over after an error
            if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR)
                return message->nlmsg_type == NLMSG_DONE;
            visit(*message);
            isMultiple = (message->nlmsg_flags & NLM_F_MULTI) != 0;
        }
        if (!isMultiple)
            return true;
    }
}

void SocketQueues::readInternet(Table table, std::unordered_map<std::uint64_t, Socket> &found)
{
    const bool isTcp = table == Table::Tcp || table == Table::Tcp6;
    Request<inet_diag_req_v2> request(NLM_F_DUMP);
    request.body.sdiag_family = table == Table::Tcp || table == Table::Udp ? AF_INET : AF_INET6;
    request.body.sdiag_protocol = isTcp ? IPPROTO_TCP : IPPROTO_UDP;
    // Sockets in these two states have no descriptor.
    request.body.idiag_states = ~(1U << TCP_TIME_WAIT | 1U << TCP_SYN_RECV);
    if (!send(request.head))
        return;
    answers([&](const nlmsghdr &message) {
        inet_diag_msg socket{};
        if (message.nlmsg_len < NLMSG_LENGTH(sizeof socket))
            return;
        std::memcpy(&socket, NLMSG_DATA(&message), sizeof socket);
        const auto known = m_tables.find(socket.idiag_inode);
        if (known == m_tables.end())
            return;
        known->second = table;
        Socket &entry = found[socket.idiag_inode];
        entry.pending = socket.idiag_rqueue;
        if (isTcp)
            setTcpState(entry, socket);
    });
}

void SocketQueues::readUnix(std::uint64_t inode, std::unordered_map<std::uint64_t, Socket> &found)
{
    Request<unix_diag_req> request(0);
    request.body.sdiag_family = AF_UNIX;
    request.body.udiag_states = ~0U;
    request.body.udiag_ino = static_cast<std::uint32_t>(inode);
    request.body.udiag_show = UDIAG_SHOW_RQLEN;
    request.body.udiag_cookie[0] = request.body.udiag_cookie[1] = ~0U;  // any
    if (!send(request.head))
        return;
    answers([&](const nlmsghdr &message) {
        unix_diag_msg socket{};
        if (message.nlmsg_len < NLMSG_LENGTH(sizeof socket) || inode != request.body.udiag_ino)
            return;
        std::memcpy(&socket, NLMSG_DATA(&message), sizeof socket);
        m_tables[inode] = Table::Unix;
        Socket &entry = found[inode];
        entry.isListener = socket.udiag_state == TCP_LISTEN;
        auto left = message.nlmsg_len - NLMSG_LENGTH(sizeof socket);
        const auto *attribute = reinterpret_cast<const rtattr *>(static_cast<const char *>(NLMSG_DATA(&message)) +
                                                                 NLMSG_ALIGN(sizeof socket));
        for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
            readAttribute(*attribute, entry, socket.udiag_type == SOCK_STREAM);
    });
}

std::unordered_map<std::uint64_t, SocketQueues::Socket>
SocketQueues::read(const std::unordered_set<std::uint64_t> &inodes)
{
    constexpr std::array kInternet{Table::Tcp, Table::Tcp6, Table::Udp, Table::Udp6};
    std::unordered_map<std::uint64_t, Socket> found;
    std::erase_if(m_tables, [&inodes](const auto &entry) { return !inodes.contains(entry.first); });
    for (const std::uint64_t inode : inodes)
        m_tables.try_emplace(inode, Table::None);
    for (const Table table : kInternet) {
        // A socket that is in no table yet may be in any later.
        const bool isWanted = std::any_of(m_tables.begin(), m_tables.end(), [table](const auto &entry) {
            return entry.second == table || entry.second == Table::None;
        });
        if (isWanted)
            readInternet(table, found);
    }
    for (const auto &[inode, table] : m_tables) {
        if (table == Table::Unix || table == Table::None)
            readUnix(inode, found);
    }
    return found;
}

}  // namespace ct
