// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures resolving addresses of a large program with empty caches: bench_symbols PROGRAM [ADDRESSES] [RUNS]. The
// floor is reading the file.
#include "core/symbols/buildid.h"
#include "core/symbols/elfimage.h"
#include "core/symbols/symbolizer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <random>
#include <set>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::uint64_t kBase = 0x5500'0000'0000;

double secondsOf(const auto &work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Reads the file and returns its size in bytes.
std::size_t readAll(const std::string &path)
{
    std::vector<char> block(1U << 20);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::size_t total = 0;
    for (ssize_t got = 0; fd >= 0 && (got = ::read(fd, block.data(), block.size())) > 0;)
        total += static_cast<std::size_t>(got);
    ::close(fd);
    return total;
}

/// Removes the file from the page cache, as after a reboot.
void forget(const std::string &path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
}

ct::ModuleMap mapOf(const std::string &path)
{
    std::vector<ct::Module> modules;
    if (const ct::Result<ct::ElfImage> image = ct::ElfImage::open(path)) {
        for (const ct::ElfImage::Segment &segment : image->executableSegments())
            modules.push_back({path, kBase + segment.address, kBase + segment.address + segment.size, segment.offset,
                               image->buildId()});
    }
    return ct::ModuleMap(modules);
}

/// Returns distinct addresses in random functions of the program, shuffled.
std::vector<std::uint64_t> addressesOf(const ct::ModuleMap &modules, std::size_t count)
{
    ct::Symbolizer symbolizer;
    const auto &symbols = symbolizer.symbolsOf(modules.modules().front())->symbols().symbols();
    std::mt19937_64 random(1);
    std::set<std::uint64_t> chosen;
    for (std::size_t tries = 0; !symbols.empty() && chosen.size() < count && tries < 100 * count; ++tries) {
        const auto &symbol = symbols[random() % symbols.size()];
        if (symbol.end > symbol.begin)
            chosen.insert(kBase + symbol.begin + random() % (symbol.end - symbol.begin));
    }
    std::vector<std::uint64_t> addresses(chosen.begin(), chosen.end());
    std::shuffle(addresses.begin(), addresses.end(), random);
    return addresses;
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_symbols PROGRAM [ADDRESSES] [RUNS]\n");
        return 2;
    }
    const std::string path = argv[1];
    const std::size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10'000;
    const int runs = argc > 3 ? std::max(std::atoi(argv[3]), 1) : 5;
    const ct::ModuleMap modules = mapOf(path);
    if (modules.modules().empty()) {
        std::fprintf(stderr, "%s is no program\n", path.c_str());
        return 1;
    }
    const std::vector<std::uint64_t> addresses = addressesOf(modules, count);
    std::vector<double> floor;
    std::vector<double> cached;
    std::vector<double> uncached;
    std::vector<ct::DescribedAddress> described;
    std::size_t size = 0;
    for (int run = 0; run < runs; ++run) {
        floor.push_back(secondsOf([&] { size = readAll(path); }));
        cached.push_back(secondsOf([&] { described = ct::Symbolizer().describe(modules, addresses); }));
        forget(path);
        uncached.push_back(secondsOf([&] { described = ct::Symbolizer().describe(modules, addresses); }));
    }
    std::size_t withLine = 0;
    std::size_t frames = 0;
    for (const ct::DescribedAddress &one : described) {
        withLine += one.reason == ct::Unresolved::None ? 1 : 0;
        frames += one.frames.size();
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    std::printf("%s: %.1f MB, %zu distinct addresses, %zu with a line, %zu frames\n", path.c_str(),
                static_cast<double>(size) / 1e6, addresses.size(), withLine, frames);
    std::printf("reading the file              %8.3f s\n", median(floor));
    std::printf("all named, file in the cache  %8.3f s\n", median(cached));
    std::printf("all named, file not cached    %8.3f s\n", median(uncached));
    std::printf("most memory at once           %8.1f MB\n", static_cast<double>(usage.ru_maxrss) / 1024);
    return 0;
}
