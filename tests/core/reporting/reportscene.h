// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run of any size for tests of reports, without a target.
#pragma once

#include "core/reporting/reportformats.h"

#include <algorithm>
#include <string>

namespace ct::test {

/// Everything that breaks out of markup, scripts, attributes or lines, and bytes that are no UTF-8.
inline const std::string kHostile =
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<!-- {{script}} & ' \" ` ${1} \\ \xe2\x80\xa8\xe2\x80\xa9 \xe2\x80\xae \xff\xfe \x1b[31m\n%s";

struct ReportScene {
    static constexpr std::uint64_t kStart = 1'000'000'000'000;
    static constexpr std::uint64_t kStep = 1'000'000;  ///< ns between two events of a coroutine

    Population population;
    History history{256 << 20};
    Verdict verdict;

    ReportScene()
    {
        Batch batch;
        batch.sites = {{1, 88, 1, "/src/net.cpp", "net::read(int)"}, {2, 9, 1, "/src/" + kHostile, kHostile}};
        consume(batch);
        verdict.judgedAt = kStart + 60 * kStep * 1000;
    }

    void consume(const Batch &batch)
    {
        static_cast<void>(population.consume(batch));
        static_cast<void>(history.consume(batch));
    }

    /// Adds `count` coroutines with `events` events each, the last of which is a suspension if their number is odd.
    /// They run on threads 11 and 12 in turn.
    void addCoroutines(CoroutineId count, std::uint64_t events)
    {
        const CoroutineId first = population.size();
        Batch batch;
        for (CoroutineId id = first; id < first + count; ++id) {
            const std::uint64_t born = kStart + id * 1000;
            batch.births.push_back({id, kFirstLaneStation + id, 0, 5, Dialect::Lane, id, born});
            for (std::uint64_t n = 0; n < events; ++n) {
                const auto tid = static_cast<std::uint32_t>(11 + (n + 1) / 2 % 2);
                batch.transitions.push_back(
                    {born + (n + 1) * kStep, 0, n, 0, id, tid, SiteId{1}, PointKind::Await, n % 2 == 1});
            }
            if (batch.transitions.size() > 65'536) {
                consume(batch);
                batch.clear();
            }
        }
        consume(batch);
    }

    void name(CoroutineId id, const std::string &text)
    {
        Batch batch;
        batch.notes.names = {{id, text}};
        consume(batch);
    }

    void addFinding(std::vector<CoroutineId> coroutines, Severity severity, const std::string &message, SiteId site = 1)
    {
        Finding finding;
        finding.severity = severity;
        finding.confidence = 0.95;
        finding.coroutines = std::move(coroutines);
        finding.site = site;
        finding.since = kStart + kStep;
        finding.message = message;
        finding.evidence = {"coroutine 1 signalled it", message};
        verdict.findings.push_back(finding);
    }

    Report report(const StepLimits &limits = {}, std::size_t mostCoroutines = CoroutineList::kMost,
                  const std::string &target = "server") const
    {
        Report report = makeReport(verdict, chainGroupsOf(population), population, nullptr, target);
        const CoroutineList list = listCoroutines(population, verdict, mostCoroutines);
        report.run = makeReportedRun(list, verdict, population, history, nullptr, limits);
        return report;
    }
};

}  // namespace ct::test
