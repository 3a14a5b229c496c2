// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/sqlite/sqliteaddresses.h"

#include "core/exporting/sqlite/sqlrows.h"

namespace ct {

namespace {

/// About 100 bytes each. Further addresses are not resolved.
constexpr std::size_t kMostAddresses = 2'000'000;

constexpr const char *kInsertAddresses =
    "INSERT INTO addresses (coroutine, addr, depth, function, file, line, \"column\", module, line_since, gap) VALUES ";

void textOrNull(SqlRows &rows, const std::string &text)
{
    if (text.empty())
        rows.integerOrNull(0, false);
    else
        rows.text(text);
}

void addRow(SqlRows &rows, const EventAddress &address, const DescribedAddress &described, std::size_t depth)
{
    static const SourceFrame kNothing;
    const SourceFrame &frame = depth < described.frames.size() ? described.frames[depth] : kNothing;
    rows.beginRow();
    rows.integer(address.coroutine);
    rows.hexText(address.addr);
    rows.integer(depth);
    textOrNull(rows, frame.function);
    textOrNull(rows, frame.file);
    rows.known(frame.line);
    rows.known(frame.column);
    textOrNull(rows, described.module);
    rows.known(address.since);
    textOrNull(rows, described.remedy);
    rows.endRow();
}

}  // namespace

void SqliteAddresses::addAddress(const Transition &transition, std::uint32_t pid)
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

Result<void> SqliteAddresses::write(SqliteConnection &connection)
{
    if (!m_exportResolver || m_addresses.empty())
        return {};
    m_exportResolver->resolve(m_addresses);
    SqlRows rows(kInsertAddresses);
    for (EventAddress &address : m_addresses) {
        address.since = m_exportResolver->lineSince(address);
        const ExportResolver::Answer answer = m_exportResolver->known(address);
        for (std::size_t depth = 0; answer && depth < std::max<std::size_t>(1, answer->frames.size()); ++depth) {
            addRow(rows, address, *answer, depth);
            if (!rows.isFull())
                continue;
            if (Result<void> written = connection.run(rows.takeStatement()); !written)
                return written;
        }
    }
    return rows.isEmpty() ? Result<void>() : connection.run(rows.takeStatement());
}

}  // namespace ct
