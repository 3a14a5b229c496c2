// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures opening a large recording: its overview, and loading all of it into memory as the window does. The floors
// are decompressing the file and copying its events.
//   bench_open [DIRECTORY, default /dev/shm] [EVENTS, default 100000000] [COROUTINES: only storms with this number]
#include "core/playback/fileloader.h"
#include "core/recording/read/recordingoverview.h"
#include "core/recording/read/recordingreader.h"
#include "core/recording/write/recordingwriter.h"
#include "core/trace/history.h"
#include "core/trace/population.h"
#include "tests/bench/schedulerevents.h"

#include <QCoreApplication>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

using namespace ct;
using namespace bench;

namespace {

constexpr int kRuns = 3;

/// Returns the median of several runs, in seconds.
double median(const std::function<double()> &run)
{
    std::vector<double> times;
    for (int i = 0; i < kRuns; ++i)
        times.push_back(run());
    std::sort(times.begin(), times.end());
    return times[kRuns / 2];
}

/// Ends the program with a message if the result is an error.
template <class T>
T &&good(T &&result)
{
    if (result)
        return std::forward<T>(result);
    std::fprintf(stderr, "bench_open: %s\n", result.error().message.c_str());
    std::exit(1);
}

void record(const Storm &storm, const std::string &path, std::size_t events)
{
    StormStream stream(storm);
    const auto writer = good(RecordingWriter::open(path));
    for (std::size_t done = 0; done < events; done += kBatch)
        good((*writer)->consume(stream.next(std::min(kBatch, events - done))));
    good((*writer)->finish({}));
}

double copyTime(std::size_t events)
{
    Transitions from(kBatch), to(kBatch);
    std::memset(static_cast<void *>(from.data()), 1, kBatch * sizeof(Transition));
    return secondsOf([&] {
        for (std::size_t done = 0; done < events; done += kBatch) {
            std::memcpy(static_cast<void *>(to.data()), from.data(), kBatch * sizeof(Transition));
            asm volatile("" : : "r"(to.data()) : "memory");
        }
    });
}

/// Measures pread, checksum and zstd.
double blockTime(const std::string &path)
{
    const auto reader = good(ctr::BlockReader::open(path));
    return secondsOf([&] {
        ctr::Block block;
        while (*good((*reader)->next(block))) {
        }
    });
}

double readTime(const std::string &path)
{
    const auto reader = good(RecordingReader::open(path));
    return secondsOf([&] {
        Batch batch;
        while (*good((*reader)->next(batch))) {
        }
    });
}

double overviewTime(const std::string &path)
{
    return secondsOf([&] {
        const auto overview = good(overviewOf(path));
        overview->transitionsOverTime(overview->firstTs, overview->lastTs, 2000);
    });
}

/// Measures loading on one thread, without read-ahead.
double serialTime(const std::string &path, std::uint64_t budget)
{
    Population population;
    History history(budget);
    return secondsOf([&] {
        const auto reader = good(RecordingReader::open(path));
        Batch batch;
        while (*good((*reader)->next(batch))) {
            good(population.consume(batch));
            good(history.consume(batch));
        }
    });
}

double loadTime(const std::string &path, std::uint64_t budget)
{
    const auto population = std::make_shared<Population>();
    const auto history = std::make_shared<History>(budget);
    return secondsOf([&] {
        FileLoader loader(path, {population, history});
        loader.start();
        loader.wait();
        if (!loader.errorMessage().isEmpty())
            std::fprintf(stderr, "bench_open: %s\n", qPrintable(loader.errorMessage()));
    });
}

void say(const Storm &storm, const std::string &path, std::size_t events)
{
    record(storm, path, events);
    const double count = static_cast<double>(events);
    const auto size = static_cast<double>(std::filesystem::file_size(path));
    std::printf("%s: %zu events, %.0f MB, %.2f B/event\n", storm.name, events, size / 1e6, size / count);
    std::printf("  floors: memcpy of the events %.2f s; read, check and decompress %.2f s\n",
                median([&] { return copyTime(events); }), median([&] { return blockTime(path); }));
    std::printf("  overview %.4f s", median([&] { return overviewTime(path); }));
    const std::string cut = path + ".cut";
    std::filesystem::copy_file(path, cut);
    std::filesystem::resize_file(cut, static_cast<std::uint64_t>(size) - 1);
    std::printf("; without an index %.4f s\n", median([&] { return overviewTime(cut); }));
    std::filesystem::remove(cut);
    std::printf("  decode to batches %.2f s\n", median([&] { return readTime(path); }));
    constexpr std::uint64_t kAll = 4ULL << 30;
    constexpr std::uint64_t kPart = 256ULL << 20;
    for (const std::uint64_t budget : {kAll, kPart}) {
        std::printf("  into memory, %s: one thread %.2f s", budget == kAll ? "all of it" : "the last 256 MiB",
                    median([&] { return serialTime(path, budget); }));
        std::printf("; as the window loads it %.2f s\n", median([&] { return loadTime(path, budget); }));
    }
    std::fflush(stdout);
    std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const std::string path = std::string(argc > 1 ? argv[1] : "/dev/shm") + "/bench_open.ctr";
    const std::size_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100'000'000;
    for (const Storm &storm : {Storm{"1,000 coroutines in turn", 1000, 2, true, false},
                               Storm{"1,000 coroutines in random order", 1000, 2, true, true},
                               Storm{"100,000 coroutines in turn", 100'000, 2, true, false},
                               Storm{"100,000 coroutines in random order", 100'000, 2, true, true}})
        if (argc < 4 || storm.coroutines == std::strtoul(argv[3], nullptr, 10))
            say(storm, path, events);
}
