// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/findingcursors.h"

#include "core/reporting/report.h"

#include <cmath>
#include <set>
#include <string>

namespace ct::query {

namespace {

std::uint64_t countOf(const Report *report)
{
    return report ? report->findings.size() : 0;
}

/// One sentence per line.
std::string linesOf(const std::vector<std::string> &sentences)
{
    std::string lines;
    for (const std::string &sentence : sentences)
        lines += (lines.empty() ? "" : "\n") + sentence;
    return lines;
}

}  // namespace

void FindingCursor::start(const Filter &filter)
{
    m_number = filter.key.value_or(1) - 1;
    m_last = filter.key ? std::min(*filter.key, countOf(m_report)) : countOf(m_report);
}

bool FindingCursor::next()
{
    return m_number++ < m_last;
}

void FindingCursor::put(int column, SqlValue &value)
{
    const ReportedFinding &reported = m_report->findings[m_number - 1];
    const Finding &finding = reported.finding;
    switch (column) {
    case 0: return value.integer(m_number);
    case 1: return value.word(nameOf(finding.rule));
    case 2: return value.word(nameOf(finding.severity));
    case 3: return value.integer(static_cast<std::uint64_t>(std::lround(finding.confidence * 100)));
    case 4: return value.text(reported.fingerprint);
    case 5: return value.textOrNull(reported.function);
    case 6: return value.textOrNull(reported.file);
    case 7: return value.known(reported.line);
    case 8: return value.known(reported.pid);
    case 9: return value.integer(finding.coroutines.size());
    case 10: return value.known(finding.since);
    case 11: return value.integer(m_report->judgedAt);
    case 12: return value.text(finding.message);
    default: return value.textOrNull(linesOf(finding.evidence));
    }
}

FindingCoroutineCursor::FindingCoroutineCursor(Snapshot &snapshot)
{
    const Report *const report = snapshot.report();
    for (std::uint64_t number = 1; number <= countOf(report); ++number) {
        const std::vector<CoroutineId> &all = report->findings[number - 1].finding.coroutines;
        for (const CoroutineId id : std::set(all.begin(), all.end())) {
            if (snapshot.hasRecord(id))
                m_rows.emplace_back(number, id);
        }
    }
}

void FindingCoroutineCursor::start(const Filter &filter)
{
    const auto firstOf = [this](std::uint64_t number) {
        return static_cast<std::size_t>(std::lower_bound(m_rows.begin(), m_rows.end(), Row(number, 0)) -
                                        m_rows.begin());
    };
    m_at = filter.key ? firstOf(*filter.key) : 0;
    m_end = filter.key && *filter.key < ~std::uint64_t{0} ? firstOf(*filter.key + 1) : m_rows.size();
}

bool FindingCoroutineCursor::next()
{
    return m_at++ < m_end;
}

void FindingCoroutineCursor::put(int column, SqlValue &value)
{
    const Row &row = m_rows[m_at - 1];
    value.integer(column == 0 ? row.first : row.second);
}

}  // namespace ct::query
