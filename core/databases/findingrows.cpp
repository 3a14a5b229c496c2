// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/findingrows.h"

#include "core/base/utf8.h"

#include <cmath>
#include <set>
#include <string>

namespace ct {

namespace {

/// One sentence per line.
std::string linesOf(const std::vector<std::string> &sentences)
{
    std::string lines;
    for (const std::string &sentence : sentences)
        lines += (lines.empty() ? "" : "\n") + sentence;
    return validUtf8(lines);
}

Result<void> addFinding(RowStore &store, std::uint64_t number, const ReportedFinding &reported, std::uint64_t judgedAt)
{
    const Finding &finding = reported.finding;
    const std::string function = validUtf8(reported.function);
    const std::string file = validUtf8(reported.file);
    const std::string message = validUtf8(finding.message);
    const std::string evidence = linesOf(finding.evidence);
    return store.add(Table::Findings, Row()
                                          .number(number)
                                          .text(nameOf(finding.rule))
                                          .text(nameOf(finding.severity))
                                          .number(static_cast<std::uint64_t>(std::lround(finding.confidence * 100)))
                                          .text(reported.fingerprint)
                                          .textIfAny(function)
                                          .textIfAny(file)
                                          .known(reported.line)
                                          .known(reported.pid)
                                          .number(finding.coroutines.size())
                                          .known(finding.since)
                                          .number(judgedAt)
                                          .text(message)
                                          .textIfAny(evidence));
}

}  // namespace

Result<void> addFindingRows(RowStore &store, const Report &report, const ChangingRows &stored)
{
    std::uint64_t number = 0;
    for (const ReportedFinding &reported : report.findings) {
        if (Result<void> added = addFinding(store, ++number, reported, report.judgedAt); !added)
            return added;
        for (const CoroutineId coroutine :
             std::set(reported.finding.coroutines.begin(), reported.finding.coroutines.end())) {
            if (!stored.has(coroutine))
                continue;
            if (Result<void> added = store.add(Table::FindingCoroutines, Row().number(number).number(coroutine));
                !added)
                return added;
        }
    }
    return {};
}

}  // namespace ct
