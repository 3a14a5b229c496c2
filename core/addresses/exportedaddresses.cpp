// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/addresses/exportedaddresses.h"

namespace ct {

namespace {

constexpr std::size_t kMostAddresses = 2'000'000;

}  // namespace

void ExportedAddresses::addAddress(const Transition &transition, std::uint32_t pid)
{
    if (transition.coroutine == kNoCoroutine)
        return;
    if (transition.coroutine >= m_latest.size())
        m_latest.resize(static_cast<std::size_t>(transition.coroutine) + 1);
    std::uint64_t &latest = m_latest[transition.coroutine];
    if (latest == transition.addr)
        return;
    if (m_addresses.size() >= kMostAddresses) {
        ++m_leftOut;
        return;
    }
    latest = transition.addr;
    if (m_noted.insert({transition.coroutine, transition.addr}).second)
        m_addresses.push_back({transition.coroutine, pid, transition.addr, 0});
}

Result<void> ExportedAddresses::resolve(const Visitor &visit)
{
    if (m_addresses.empty())
        return {};
    m_resolver->resolve(m_addresses);
    for (EventAddress &address : m_addresses) {
        address.since = m_resolver->lineSince(address);
        const ExportResolver::Answer answer = m_resolver->known(address);
        if (Result<void> visited = answer ? visit(address, *answer) : Result<void>(); !visited)
            return visited;
    }
    return {};
}

std::string ExportedAddresses::remark() const
{
    return m_leftOut == 0 ? std::string()
                          : "the addresses of " + std::to_string(m_leftOut) +
                                " suspensions are not resolved, because there are more than " +
                                std::to_string(kMostAddresses) + " different ones";
}

}  // namespace ct
