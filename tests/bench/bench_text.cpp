// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures the export of a scheduler's events, in rows per second. The floor, for comparison, copies the bytes of the
// finished file through a buffer of 1 MiB and writes them. Export and floor take turns; the figures are medians.
//   bench_text [DIRECTORY, default /dev/shm] [ENDING, default all: csv, jsonl]
#include "core/exporting/exportformat.h"
#include "core/recording/library/openrecording.h"
#include "tests/bench/schedulerevents.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace ct;
using namespace bench;

namespace {

constexpr std::size_t kEvents = 4'000'000;
constexpr int kRuns = 5;
constexpr std::size_t kPiece = 1U << 20;  ///< bytes

double medianOf(std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// Like a capture from lanes: each coroutine has a process and the address of its promise.
std::vector<Batch> eventsOf(const Storm &storm)
{
    StormStream stream(storm);
    std::vector<Batch> batches;
    for (std::size_t count = 0; count < kEvents; count += kBatch)
        batches.push_back(stream.next(std::min(kBatch, kEvents - count)));
    for (Birth &birth : batches.front().births) {
        birth.pid = 4711;
        birth.probeId = 0x5581'F0A2'C300 + std::uint64_t{birth.coroutine} * 208;
    }
    return batches;
}

double exportTime(const std::vector<Batch> &batches, const ExportFormat &format, const std::string &path)
{
    const Result<std::shared_ptr<Sink>> sink = format.makeSink(path);
    if (!sink)
        std::abort();
    return secondsOf([&] {
        for (const Batch &batch : batches) {
            if (!(*sink)->consume(batch))
                std::abort();
        }
        if (!(*sink)->finish({}))
            std::abort();
    });
}

double floorTime(const std::string &bytes, const std::string &path)
{
    std::vector<char> piece(kPiece);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const double seconds = secondsOf([&] {
        for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
            const std::size_t size = std::min(kPiece, bytes.size() - at);
            std::memcpy(piece.data(), bytes.data() + at, size);
            if (::write(fd, piece.data(), size) != static_cast<ssize_t>(size))
                std::abort();
        }
    });
    ::close(fd);
    return seconds;
}

double readTime(const std::string &path)
{
    return secondsOf([&] {
        const Result<std::unique_ptr<StreamFile>> file = openRecording(path);
        Batch batch;
        for (;;) {
            const Result<bool> more = (*file)->next(batch);
            if (!more)
                std::abort();
            if (!*more)
                break;
        }
    });
}

std::string contentOf(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void measure(const std::vector<Batch> &batches, const std::string &directory, const std::string &ending)
{
    const std::string path = directory + "/bench_text." + ending;
    const ExportFormat *const format = exportFormatFor(path);
    if (format == nullptr) {
        std::fprintf(stderr, "bench_text: no format has the ending %s\n", ending.c_str());
        std::exit(2);
    }
    (void)exportTime(batches, *format, path);
    const std::string bytes = contentOf(path);
    ::unlink(path.c_str());
    std::vector<double> exports;
    std::vector<double> floors;
    std::vector<double> reads;
    for (int i = 0; i < kRuns; ++i) {
        exports.push_back(exportTime(batches, *format, path));
        if (format->kind == "jsonl")
            reads.push_back(readTime(path));
        ::unlink(path.c_str());
        floors.push_back(floorTime(bytes, path));
        ::unlink(path.c_str());
    }
    const auto rate = [](const std::vector<double> &times) { return kEvents / medianOf(times) / 1e6; };
    std::printf("  %-9s %6.1f B/event  %6.2f M events/s  floor %6.2f M events/s", ending.c_str(),
                static_cast<double>(bytes.size()) / kEvents, rate(exports), rate(floors));
    if (reads.empty())
        std::printf("\n");
    else
        std::printf("  reading %6.2f M events/s\n", rate(reads));
}

}  // namespace

int main(int argc, char **argv)
{
    const std::string directory = argc > 1 ? argv[1] : "/dev/shm";
    std::vector<std::string> endings{"csv", "jsonl"};
    if (argc > 2)
        endings.assign(argv + 2, argv + argc);
    for (const Storm &storm : {Storm{"1,000 coroutines, 2 threads", 1000, 2, false, false},
                               Storm{"100,000 coroutines, 2 threads, in random order", 100'000, 2, true, true}}) {
        std::printf("%s\n", storm.name);
        const std::vector<Batch> batches = eventsOf(storm);
        for (const std::string &ending : endings)
            measure(batches, directory, ending);
    }
}
