// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures exports to databases in rows/s, and for comparison a bare loop over one prepared statement of SQLite.
//   bench_databases FOLDER [EVENTS [RUNS [URL...]]]
// Use a folder on a tmpfs. Prints a line for each run and store: rows/s without and with the end of the session, which
// creates the indexes.
#include "core/exporting/exportformat.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sqlite3.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace ct;

namespace {

constexpr CoroutineId kCoroutines = 1000;
constexpr std::uint64_t kEventsPerBatch = 65'536;

Batch births()
{
    Batch batch;
    batch.sites.push_back({1, 10, 0, "server.cpp", "serve"});
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back({id, id, 1, 4242, Dialect::Lane, 0x7f0000000000ULL + id * 64, 1'000'000 + id});
    batch.now = 2'000'000;
    return batch;
}

/// Events [first, first + kEventsPerBatch) of the stream: coroutines in turns, on eight threads.
Batch eventsFrom(std::uint64_t first)
{
    Batch batch;
    for (std::uint64_t i = first; i < first + kEventsPerBatch; ++i) {
        Transition event;
        event.coroutine = static_cast<CoroutineId>(i % kCoroutines);
        event.n = i / kCoroutines;
        event.seq = slotSeq(Dialect::Lane, event.n);
        event.ts = 86'400'000'000'000 + i * 100;
        event.addr = 0x7fff12345678 + event.coroutine * 0x1000;
        event.tid = 4300 + static_cast<std::uint32_t>(i % 8);
        event.active = event.n % 2 == 1;
        event.site = 1;
        batch.transitions.push_back(event);
    }
    batch.now = batch.transitions.back().ts;
    return batch;
}

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print(const std::string &name, std::uint64_t events, double rows, double all)
{
    std::printf("%-24s %6.3f M rows/s, with the end %6.3f M rows/s\n", name.c_str(),
                static_cast<double>(events) / rows / 1e6, static_cast<double>(events) / all / 1e6);
    std::fflush(stdout);
}

[[noreturn]] void fail(const std::string &message)
{
    std::fprintf(stderr, "%s\n", message.c_str());
    std::exit(1);
}

void checked(const Result<void> &done)
{
    if (!done)
        fail(done.error().message);
}

void runStore(const ExportFormat &format, const std::string &target, std::uint64_t events)
{
    const std::vector<Batch> batches{eventsFrom(0)};
    Result<std::shared_ptr<Sink>> sink = format.makeSink(target);
    if (!sink)
        fail(sink.error().message);
    Accounting sums;
    sums.coroutines = kCoroutines;
    double rows = 0;
    const auto start = std::chrono::steady_clock::now();
    checked((*sink)->consume(births()));
    for (std::uint64_t first = 0; first < events; first += kEventsPerBatch) {
        const auto begin = std::chrono::steady_clock::now();
        const Batch batch = eventsFrom(first);
        const double made = secondsSince(begin);
        checked((*sink)->consume(batch));
        sums.captured += batch.transitions.size();
        rows -= made;  // the time that making the events took does not count
    }
    const double making = -rows;
    rows += secondsSince(start);
    checked((*sink)->finish(sums));
    print(std::string(format.name), sums.captured, rows, secondsSince(start) - making);
}

/// Adds the same rows with one statement in one transaction, and nothing else.
void runBareLoop(const std::string &path, std::uint64_t events)
{
    sqlite3 *database = nullptr;
    sqlite3_stmt *insert = nullptr;
    sqlite3_open(path.c_str(), &database);
    for (const char *sql :
         {"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA synchronous = OFF", "BEGIN",
          "CREATE TABLE t (id INTEGER PRIMARY KEY, probe_id TEXT, tid INTEGER, addr TEXT, seq INTEGER,"
          " is_active INTEGER, ts INTEGER, n INTEGER, coroutine INTEGER, pid INTEGER, site INTEGER,"
          " kind TEXT)"})
        sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
    sqlite3_prepare_v2(database, "INSERT INTO t VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", -1, &insert, nullptr);
    double making = 0;
    std::uint64_t id = 0;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t first = 0; first < events; first += kEventsPerBatch) {
        const auto begin = std::chrono::steady_clock::now();
        const Batch batch = eventsFrom(first);
        making += secondsSince(begin);
        for (const Transition &event : batch.transitions) {
            sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(++id));
            sqlite3_bind_text(insert, 2, "139637976727552", 15, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 3, event.tid);
            sqlite3_bind_text(insert, 4, "0x00007fff12345678", 18, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 5, static_cast<sqlite3_int64>(event.seq));
            sqlite3_bind_int64(insert, 6, event.active ? 1 : 0);
            sqlite3_bind_int64(insert, 7, static_cast<sqlite3_int64>(event.ts));
            sqlite3_bind_int64(insert, 8, static_cast<sqlite3_int64>(event.n));
            sqlite3_bind_int64(insert, 9, event.coroutine);
            sqlite3_bind_int64(insert, 10, 4242);
            sqlite3_bind_int64(insert, 11, event.site);
            sqlite3_bind_text(insert, 12, "await", 5, SQLITE_STATIC);
            sqlite3_step(insert);
            sqlite3_reset(insert);
        }
    }
    sqlite3_finalize(insert);
    sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
    const double rows = secondsSince(start) - making;
    sqlite3_close(database);
    ::unlink(path.c_str());
    print("bare loop", id, rows, rows);
}

const ExportFormat &formatOf(const std::string &target)
{
    const ExportFormat *const format = exportFormatOfKind(target.substr(0, target.find(':')));
    if (!format)
        fail(target + ": no format has this kind");
    return *format;
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("usage: bench_databases FOLDER [EVENTS [RUNS [URL...]]]");
    const std::string folder = argv[1];
    const std::uint64_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2'000'000;
    const int runs = argc > 3 ? std::atoi(argv[3]) : 5;
    for (int run = 0; run < runs; ++run) {
        runBareLoop(folder + "/bare.sqlite", events);
        const std::string path = folder + "/bench.sqlite";
        runStore(formatOf("sqlite"), path, events);
        ::unlink(path.c_str());
        for (int i = 4; i < argc; ++i)
            runStore(formatOf(argv[i]), argv[i], events);
    }
}
