// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures SQL queries on a trace in memory, on a trace of which nine tenths are only in the recording, and on a SQLite
// file to which the trace was exported; and a loop that only calls History::read(). Processor time, medians.
// usage: bench_query FOLDER [events [coroutines [repetitions [SQL...]]]]
#include "core/base/monotonic.h"
#include "core/base/usedtime.h"
#include "core/exporting/exporttrace.h"
#include "core/query/tracequery.h"
#include "core/recording/write/recordingwriter.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <sqlite3.h>
#include <string>
#include <thread>

using namespace ct;

namespace {

constexpr const char *kUsualQueries[] = {
    "SELECT count(*), max(ts) FROM coro_trace_events",
    "SELECT count(*), max(ts) FROM coro_trace_events WHERE coroutine = 5",
    "SELECT count(*), max(n) FROM coro_trace_events WHERE ts > (SELECT last_ts FROM sessions) * 0.99",
    "SELECT count(*), max(n) FROM coro_trace_events WHERE ts BETWEEN (SELECT last_ts FROM sessions) * 0.5 AND (SELECT "
    "last_ts FROM sessions) * 0.51",
    "SELECT ts / 1000000 AS ms, count(*) FROM coro_trace_events GROUP BY ms",
    "SELECT coroutine, events FROM coroutines ORDER BY events DESC LIMIT 100",
    "SELECT count(*) FROM coro_trace",
    "SELECT count(*) FROM stuck_coroutines",
    "SELECT * FROM site_latency",
    "SELECT * FROM thread_utilisation",
};
constexpr std::uint64_t kRoomy = std::uint64_t{4} << 30;
constexpr std::uint64_t kBytesPerEvent = 16;

struct Traces {
    QueriedTrace inMemory;
    QueriedTrace recorded;  ///< memory has about a tenth of the events
};

void consume(const Batch &batch, const QueriedTrace &trace)
{
    (void)std::const_pointer_cast<Population>(trace.population)->consume(batch);
    (void)std::const_pointer_cast<History>(trace.history)->consume(batch);
}

Traces makeTraces(const std::string &folder, std::uint64_t events, CoroutineId coroutines)
{
    const auto streamIndex = std::make_shared<StreamIndex>();
    const std::shared_ptr<RecordingWriter> writer = *RecordingWriter::open(folder + "/bench_query.ctr");
    writer->setStreamIndex(streamIndex);
    const Traces traces{{std::make_shared<Population>(), std::make_shared<History>(kRoomy), {}, {}, {}, {}},
                        {std::make_shared<Population>(),
                         std::make_shared<History>(events / 10 * kBytesPerEvent),
                         {},
                         {},
                         streamIndex,
                         {}}};
    Batch batch;
    for (SiteId site = 1; site <= 20; ++site)
        batch.sites.push_back({site, site, 1, "server.cpp", "serve" + std::to_string(site)});
    for (CoroutineId id = 0; id < coroutines; ++id)
        batch.births.push_back({id, id, 1, 4711, Dialect::Lane, id, 1});
    for (std::uint64_t event = 0; event < events; ++event) {
        const auto id = static_cast<CoroutineId>(event % coroutines);
        const std::uint64_t n = event / coroutines;
        batch.now = 1000 + event * 50;
        batch.transitions.push_back({batch.now, 0x401000, n, slotSeq(Dialect::Lane, n), id, 100 + id % 8,
                                     static_cast<SiteId>(1 + id % 20), PointKind::Await, n % 2 == 1});
        if (batch.transitions.size() < 8192 && event + 1 < events)
            continue;
        consume(batch, traces.inMemory);
        consume(batch, traces.recorded);
        (void)writer->consume(batch);
        batch.clear();
    }
    (void)writer->finish({});
    return traces;
}

std::string exported(const std::string &folder, const QueriedTrace &trace)
{
    std::string path = folder + "/bench_query.sqlite";
    const auto done = exportTrace(*trace.population, *trace.history, *exportFormatFor(path), path, {});
    if (!done)
        std::printf("%s\n", done.error().message.c_str());
    return path;
}

template <class Measure>
double medianMs(int repetitions, const Measure &measure)
{
    std::vector<std::uint64_t> times;
    for (int i = 0; i < repetitions; ++i)
        times.push_back(measure());
    std::sort(times.begin(), times.end());
    return static_cast<double>(times[times.size() / 2]) / 1e6;
}

std::uint64_t bareLoop(const QueriedTrace &trace)
{
    const std::uint64_t begun = usedByThread();
    std::uint64_t latest = 0;
    std::array<HistoryEvent, 256> read;
    for (CoroutineId id = 0; id < trace.population->size(); ++id) {
        History::Position position;
        while (const std::size_t found = trace.history->read(id, position, read)) {
            for (std::size_t i = 0; i < found; ++i)
                latest = std::max(latest, read[i].ts);
        }
    }
    return latest != 0 ? usedByThread() - begun : 0;
}

std::uint64_t query(const QueriedTrace &trace, const std::string &sql)
{
    const std::atomic<bool> cancelled{false};
    const std::uint64_t begun = usedByThread();
    const QueryOutcome outcome = runQuery(trace, sql, cancelled);
    const std::uint64_t used = usedByThread() - begun;
    if (outcome.error)
        std::printf("%s\n", outcome.error->error.message.c_str());
    if (outcome.missingEvents != 0)
        std::printf("%llu events are missing\n", static_cast<unsigned long long>(outcome.missingEvents));
    for (std::size_t row = 0; row < outcome.rows.count() && sql.starts_with("EXPLAIN"); ++row)
        std::printf("    %s\n", std::get<std::string>(outcome.rows.at(row, 3)).c_str());
    return used;
}

std::uint64_t queryFile(const std::string &path, const std::string &sql)
{
    const std::uint64_t begun = usedByThread();
    sqlite3 *database = nullptr;
    sqlite3_stmt *statement = nullptr;
    if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK ||
        sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
        std::printf("%s\n", sqlite3_errmsg(database));
    std::size_t rows = 0;
    while (rows < QueryLimits().rows && sqlite3_step(statement) == SQLITE_ROW)
        ++rows;
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return usedByThread() - begun;
}

/// Returns the longest of ten times from cancelling to the end of a query, in ms.
double cancelMs(const QueriedTrace &trace)
{
    std::uint64_t longest = 0;
    for (int i = 0; i < 10; ++i) {
        std::atomic<bool> cancelled{false};
        std::uint64_t ended = 0;
        std::thread thread([&] {
            (void)runQuery(trace, "SELECT * FROM coro_trace_events a, coro_trace_events b WHERE b.tid = 1", cancelled);
            ended = monotonicNow();
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(50 + i * 17));
        const std::uint64_t begun = monotonicNow();
        cancelled = true;
        thread.join();
        longest = std::max(longest, ended - std::min(ended, begun));
    }
    return static_cast<double>(longest) / 1e6;
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::printf("usage: bench_query FOLDER [events [coroutines [repetitions [SQL...]]]]\n");
        return 2;
    }
    const std::string folder = argv[1];
    const std::uint64_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000'000;
    const auto coroutines = static_cast<CoroutineId>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 10'000);
    const int repetitions = argc > 4 ? std::max(1, std::atoi(argv[4])) : 5;
    std::vector<std::string> queries(argv + std::min(argc, 5), argv + argc);
    if (queries.empty())
        queries.assign(std::begin(kUsualQueries), std::end(kUsualQueries));
    const Traces traces = makeTraces(folder, events, coroutines);
    const std::string file = exported(folder, traces.inMemory);
    std::printf("%llu of %llu events were evicted\n",
                static_cast<unsigned long long>(traces.recorded.history->evictedEvents()),
                static_cast<unsigned long long>(events));
    std::printf("bare loop: %.1f ms\n", medianMs(repetitions, [&] { return bareLoop(traces.inMemory); }));
    std::printf("%10s %10s %10s\n", "memory, ms", "recording", "file");
    for (const std::string &sql : queries) {
        const double inMemory = medianMs(repetitions, [&] { return query(traces.inMemory, sql); });
        const double recorded = medianMs(repetitions, [&] { return query(traces.recorded, sql); });
        const double inFile = medianMs(repetitions, [&] { return queryFile(file, sql); });
        std::printf("%10.1f %10.1f %10.1f  %s\n", inMemory, recorded, inFile, sql.c_str());
        std::fflush(stdout);
    }
    std::printf("cancelling: %.1f ms\n", cancelMs(traces.inMemory));
    (void)std::remove(file.c_str());
    (void)std::remove((folder + "/bench_query.ctr").c_str());
    return 0;
}
