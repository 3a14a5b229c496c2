// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/addressrows.h"

#include "core/base/utf8.h"

#include <algorithm>

namespace ct {

namespace {

/// About 100 bytes each. Further addresses are not resolved.
constexpr std::size_t kMostAddresses = 2'000'000;

Result<void> addFrame(RowStore &store, const EventAddress &address, const DescribedAddress &described,
                      std::size_t depth)
{
    static const SourceFrame kNothing;
    const SourceFrame &frame = depth < described.frames.size() ? described.frames[depth] : kNothing;
    const std::string function = validUtf8(frame.function);
    const std::string file = validUtf8(frame.file);
    const std::string module = validUtf8(described.module);
    const std::string remedy = validUtf8(described.remedy);
    return store.add(Table::Addresses, Row()
                                           .number(address.coroutine)
                                           .address(address.addr)
                                           .number(depth)
                                           .textIfAny(function)
                                           .textIfAny(file)
                                           .known(frame.line)
                                           .known(frame.column)
                                           .textIfAny(module)
                                           .known(address.since)
                                           .textIfAny(remedy));
}

}  // namespace

void AddressRows::addAddress(const Transition &transition, std::uint32_t pid)
{
    if (transition.coroutine == kNoCoroutine)
        return;
    if (transition.coroutine >= m_latest.size())
        m_latest.resize(static_cast<std::size_t>(transition.coroutine) + 1);
    std::uint64_t &latest = m_latest[transition.coroutine];
    if (latest == transition.addr || m_addresses.size() >= kMostAddresses)
        return;
    latest = transition.addr;
    if (m_noted.insert({transition.coroutine, transition.addr}).second)
        m_addresses.push_back({transition.coroutine, pid, transition.addr, 0});
}

Result<void> AddressRows::write(RowStore &store)
{
    if (!m_exportResolver || m_addresses.empty())
        return {};
    m_exportResolver->resolve(m_addresses);
    for (EventAddress &address : m_addresses) {
        address.since = m_exportResolver->lineSince(address);
        const ExportResolver::Answer answer = m_exportResolver->known(address);
        for (std::size_t depth = 0; answer && depth < std::max<std::size_t>(1, answer->frames.size()); ++depth) {
            if (Result<void> added = addFrame(store, address, *answer, depth); !added)
                return added;
        }
    }
    return {};
}

}  // namespace ct
