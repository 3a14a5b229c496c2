// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures exports: events/s into a file, by format. The floor is writing as many bytes with write(2).
//   bench_export [--events N] [--coroutines N] [--threads N] [--directory DIR] [KIND...]
// Defaults: 4,000,000 events of 1000 coroutines on 4 threads, /dev/shm, every format.
#include "core/exporting/exportformat.h"
#include "tests/bench/schedulerevents.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

using namespace ct;
using namespace bench;

namespace {

struct Options {
    std::size_t events = 4'000'000;
    std::uint32_t coroutines = 1000;
    std::uint32_t threads = 4;
    std::string directory = "/dev/shm";
    std::vector<std::string_view> kinds;
};

Options optionsOf(int count, char **values)
{
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string_view name = values[i];
        const bool hasValue = name.substr(0, 2) == "--" && i + 1 < count;
        const char *const value = hasValue ? values[++i] : "";
        if (name == "--events")
            options.events = std::strtoull(value, nullptr, 10);
        else if (name == "--coroutines")
            options.coroutines = static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
        else if (name == "--threads")
            options.threads = static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
        else if (name == "--directory")
            options.directory = value;
        else
            options.kinds.push_back(name);
    }
    if (options.kinds.empty()) {
        for (const ExportFormat &format : exportFormats())
            options.kinds.push_back(format.kind);
    }
    return options;
}

/// The stream is made while it is exported, so that its size does not matter. Returns the time of the sink alone.
double secondsOfExport(const Options &options, const ExportFormat &format, const std::string &path)
{
    StormStream stream({"export", options.coroutines, options.threads, false, false});
    const Result<std::shared_ptr<Sink>> sink = format.makeSink(path);
    if (!sink) {
        std::fprintf(stderr, "%s\n", sink.error().message.c_str());
        std::exit(1);
    }
    double seconds = 0;
    const auto check = [](const Result<void> &done) {
        if (!done) {
            std::fprintf(stderr, "%s\n", done.error().message.c_str());
            std::exit(1);
        }
    };
    Accounting sums;
    sums.captured = options.events;
    for (std::size_t count = 0; count < options.events; count += kBatch) {
        const Batch batch = stream.next(std::min(kBatch, options.events - count));
        seconds += secondsOf([&] { check((*sink)->consume(batch)); });
    }
    return seconds + secondsOf([&] { check((*sink)->finish(sums)); });
}

double secondsOfWriting(const std::string &path, std::uintmax_t bytes)
{
    const std::vector<char> block(1U << 20, 'x');
    const int fd = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    const double seconds = secondsOf([&] {
        for (std::uintmax_t done = 0; done < bytes;) {
            const ssize_t written = ::write(fd, block.data(), std::min<std::uintmax_t>(block.size(), bytes - done));
            if (written <= 0)
                std::exit(1);
            done += static_cast<std::uintmax_t>(written);
        }
    });
    ::close(fd);
    return seconds;
}

long peakKiB()
{
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

}  // namespace

int main(int argc, char **argv)
{
    const Options options = optionsOf(argc, argv);
    const auto events = static_cast<double>(options.events);
    for (const std::string_view kind : options.kinds) {
        const ExportFormat *const format = exportFormatOfKind(kind);
        if (!format) {
            std::fprintf(stderr, "there is no format %s\n", std::string(kind).c_str());
            return 1;
        }
        const std::string path = options.directory + "/bench_export." + std::string(format->extension);
        const double seconds = secondsOfExport(options, *format, path);
        const std::uintmax_t bytes = std::filesystem::file_size(path);
        const double floor = secondsOfWriting(path, bytes);
        std::filesystem::remove(path);
        std::printf("%-10s %6.2f M events/s, %6.1f B/event; floor %6.2f M events/s; peak %ld MiB\n",
                    std::string(kind).c_str(), events / seconds / 1e6, static_cast<double>(bytes) / events,
                    events / floor / 1e6, peakKiB() / 1024);
        std::fflush(stdout);
    }
    return 0;
}
