// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures SQL queries on a trace in memory, and for comparison a loop that only calls History::read().
// usage: bench_query [events [coroutines [SQL...]]]
#include "core/base/monotonic.h"
#include "core/query/tracequery.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

using namespace ct;

namespace {

constexpr const char *kUsualQueries[] = {
    "SELECT count(*), max(ts) FROM coro_trace_events",
    "SELECT count(*), max(ts) FROM coro_trace_events WHERE coroutine = 5",
    "SELECT count(*) FROM coro_trace",
    "SELECT count(*) FROM stuck_coroutines",
    "SELECT * FROM site_latency",
    "SELECT * FROM thread_utilisation",
};

QueriedTrace makeTrace(std::uint64_t events, CoroutineId coroutines)
{
    const auto population = std::make_shared<Population>();
    const auto history = std::make_shared<History>(std::uint64_t{4} << 30);
    Batch batch;
    for (SiteId site = 1; site <= 20; ++site)
        batch.sites.push_back({site, site, 1, "server.cpp", "serve" + std::to_string(site)});
    for (CoroutineId id = 0; id < coroutines; ++id)
        batch.births.push_back({id, id, 1, 4711, Dialect::Lane, id, 1});
    for (std::uint64_t event = 0; event < events; ++event) {
        const auto id = static_cast<CoroutineId>(event % coroutines);
        const std::uint64_t n = event / coroutines;
        batch.now = 1000 + event * 50;
        batch.transitions.push_back({batch.now, 0x401000, n, 0, id, 100 + id % 8, static_cast<SiteId>(1 + id % 20),
                                     PointKind::Await, n % 2 == 1});
        if (batch.transitions.size() < 8192 && event + 1 < events)
            continue;
        (void)population->consume(batch);
        (void)history->consume(batch);
        batch.clear();
    }
    return {population, history, {}, {}, {}};
}

void report(const std::string &name, std::uint64_t events, std::uint64_t ns)
{
    const double ms = static_cast<double>(ns) / 1e6;
    std::printf("%10.1f ms  %8.2f M events/s  %s\n", ms, static_cast<double>(events) / ms / 1e3, name.c_str());
}

void runBareLoop(const QueriedTrace &trace, std::uint64_t events)
{
    const std::uint64_t begun = monotonicNow();
    std::uint64_t count = 0;
    std::uint64_t latest = 0;
    std::array<HistoryEvent, 256> read;
    for (CoroutineId id = 0; id < trace.population->size(); ++id) {
        History::Position position;
        while (const std::size_t found = trace.history->read(id, position, read)) {
            for (std::size_t i = 0; i < found; ++i)
                latest = std::max(latest, read[i].ts);
            count += found;
        }
    }
    report("bare loop: " + std::to_string(count) + " " + std::to_string(latest), events, monotonicNow() - begun);
}

void runQuery(const QueriedTrace &trace, std::uint64_t events, const std::string &sql)
{
    const std::atomic<bool> cancelled{false};
    const QueryOutcome outcome = ct::runQuery(trace, sql, cancelled);
    report(sql + ": " + (outcome.error ? outcome.error->error.message : std::to_string(outcome.rows.count()) + " rows"),
           events, outcome.elapsedNs);
    for (std::size_t row = 0; row < outcome.rows.count() && sql.starts_with("EXPLAIN"); ++row)
        std::printf("    %s\n", std::get<std::string>(outcome.rows.at(row, 3)).c_str());
}

/// The time from cancelling to the end of a query.
void runCancelled(const QueriedTrace &trace, std::uint64_t events)
{
    std::uint64_t latest = 0;
    for (int i = 0; i < 10; ++i) {
        std::atomic<bool> cancelled{false};
        std::uint64_t ended = 0;
        std::thread thread([&] {
            (void)ct::runQuery(trace, "SELECT * FROM coro_trace_events a, coro_trace_events b WHERE b.tid = 1",
                               cancelled);
            ended = monotonicNow();
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(50 + i * 17));
        const std::uint64_t begun = monotonicNow();
        cancelled = true;
        thread.join();
        latest = std::max(latest, ended - std::min(ended, begun));
    }
    report("cancelling, the slowest of 10", events, latest);
}

}  // namespace

int main(int argc, char **argv)
{
    const std::uint64_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
    const auto coroutines = static_cast<CoroutineId>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10'000);
    const QueriedTrace trace = makeTrace(events, coroutines);
    for (int i = 0; i < 2; ++i)
        runBareLoop(trace, events);
    for (int i = 3; i < argc; ++i)
        runQuery(trace, events, argv[i]);
    if (argc > 3)
        return 0;
    for (const char *sql : kUsualQueries)
        runQuery(trace, events, sql);
    runCancelled(trace, events);
    return 0;
}
