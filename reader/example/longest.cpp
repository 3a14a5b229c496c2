// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Prints the longest suspension at each site of a recording.
#include <corotracer/recording/reader.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>

int main(int argc, char **argv)
{
    namespace recording = corotracer::recording;
    recording::reader reader(argc > 1 ? argv[1] : "run.ctr");
    std::map<std::uint32_t, std::string> locations;
    std::map<std::uint32_t, std::uint64_t> longest;                        // ns, by site
    std::unordered_map<std::uint32_t, recording::transition> suspensions;  // the latest of each coroutine
    while (const auto batch = reader.next()) {
        for (const auto &site : batch.sites())
            locations[site.id] = std::string(recording::view(site.file)) + ':' + std::to_string(site.line);
        for (const auto &event : batch.transitions()) {
            const auto before = suspensions.find(event.coroutine);
            if (!event.active)
                suspensions[event.coroutine] = event;
            else if (before != suspensions.end() && before->second.n + 1 == event.n)  // nothing was lost in between
                longest[before->second.site] = std::max(longest[before->second.site], event.ts - before->second.ts);
        }
        for (const auto &death : batch.deaths())
            suspensions.erase(death.coroutine);
    }
    for (const auto &[site, ns] : longest)
        std::printf("%-40s %12.3f ms\n", site == 0 ? "(unknown)" : locations[site].c_str(),
                    static_cast<double>(ns) / 1e6);
    const recording::sums sums = reader.sums();
    std::printf("%llu transitions of %llu coroutines, %llu lost\n", static_cast<unsigned long long>(sums.captured),
                static_cast<unsigned long long>(sums.coroutines), static_cast<unsigned long long>(sums.lost));
    std::fprintf(stderr, "%s", std::string(reader.message()).append(reader.message().empty() ? "" : "\n").c_str());
    return reader.status() == recording::status::failed ? 1 : 0;
}
