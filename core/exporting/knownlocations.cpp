// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/knownlocations.h"

namespace ct {

namespace {

constexpr std::uint64_t kAskAgainNs = 1'000'000'000;

}  // namespace

std::string_view KnownLocations::textOf(const Transition &suspension, std::uint32_t pid)
{
    if (suspension.addr == 0 || suspension.coroutine == kNoCoroutine)
        return {};
    if (suspension.coroutine >= m_entries.size())
        m_entries.resize(std::size_t{suspension.coroutine} + 1);
    Entry &entry = m_entries[suspension.coroutine];
    // In a file of several runs, times may go back.
    const bool isRecent = suspension.ts >= entry.askedAt && suspension.ts - entry.askedAt < kAskAgainNs;
    if (entry.addr != suspension.addr || !isRecent)
        ask(suspension, pid, entry);
    return entry.lineSince != 0 && entry.lineSince == suspension.ts ? entry.ofLine : entry.ofOthers;
}

void KnownLocations::ask(const Transition &suspension, std::uint32_t pid, Entry &entry)
{
    EventAddress address{suspension.coroutine, pid, suspension.addr, suspension.ts};
    entry = {suspension.addr, suspension.ts, m_resolver->lineSince(address), {}, {}};
    if (entry.lineSince == 0) {
        entry.ofOthers = textOf(m_resolver->known(address));
        return;
    }
    address.since = entry.lineSince;
    entry.ofLine = textOf(m_resolver->known(address));
    ++address.since;  // matches no suspension, so the answer has no line
    entry.ofOthers = textOf(m_resolver->known(address));
}

std::string_view KnownLocations::textOf(const ExportResolver::Answer &answer)
{
    if (!answer || answer->frames.empty())
        return {};
    const auto [text, isNew] = m_texts.try_emplace(answer);
    if (isNew)
        text->second = m_format(answer->frames.front());
    return text->second;
}

}  // namespace ct
