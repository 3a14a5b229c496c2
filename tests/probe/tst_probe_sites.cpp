// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sites: their records in the region, one record per location, and a full table.
#include "probetest.h"

#include <atomic>
#include <set>
#include <thread>

namespace {

using namespace probetest;
namespace detail = corotracer::detail;

Task waitTwice()
{
    co_await std::suspend_always{};
    co_await std::suspend_always{};
}
constexpr std::uint32_t kSecondLine = __LINE__ - 2;

template <class T>
Task waitIn(T)
{
    co_await std::suspend_always{};
}

/// Registers a made-up location.
std::uint32_t registered(const char *file, const char *function, std::uint32_t line)
{
    struct SourceLocation {
        const char *fileName;
        const char *functionName;
        std::uint32_t lineNumber;
        const char *file_name() const { return fileName; }
        const char *function_name() const { return functionName; }
        std::uint32_t line() const { return lineNumber; }
        std::uint32_t column() const { return 1; }
    };
    return detail::site_id(detail::sites_v2, detail::state_v2.sites, SourceLocation{file, function, line});
}

CT_CASE(sitesHaveFileLineAndFunction)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Task first = waitTwice();
        first.handle.resume();
        const Task again = waitTwice();
        const std::vector<Event> events = region.events(0);
        CHECK_EQUAL(region.sites(), 2U);
        CHECK_EQUAL(region.site(events[2].site).line, kSecondLine);
        CHECK_EQUAL(region.site(events[2].site).ready.load(), 1U);
        CHECK_EQUAL(region.siteFile(events[2].site), __FILE__);
        CHECK(region.siteFunction(events[2].site).find("waitTwice") != std::string::npos);
        CHECK(events[0].site != events[2].site);
        CHECK_EQUAL(region.events(1)[0].site, events[0].site);
    });
}

CT_CASE(equalTextsAreOneSite)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const std::string file = "some/file.cpp";
        const std::string fileAgain = file;
        const std::string function = "void f()";
        const std::string functionAgain = function;
        const std::uint32_t id = registered(file.c_str(), function.c_str(), 7);
        CHECK_EQUAL(id, 1U);
        CHECK_EQUAL(registered(fileAgain.c_str(), functionAgain.c_str(), 7), id);
        CHECK_EQUAL(region.sites(), 1U);
        CHECK_EQUAL(registered(fileAgain.c_str(), function.c_str(), 8), 2U);
        CHECK_EQUAL(region.site(2).file_offset, region.site(1).file_offset);
        CHECK_EQUAL(region.header().extension.strings_used.load(), file.size() + function.size());
        CHECK_EQUAL(registered(fileAgain.c_str(), "void g()", 8), 3U);
        CHECK_EQUAL(region.siteFunction(3), "void g()");
    });
}

CT_CASE(eachTemplateInstanceIsASite)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Task number = waitIn(1);
        const Task letter = waitIn('a');
        const Task another = waitIn(2);
        CHECK_EQUAL(region.events(0)[0].site, region.events(2)[0].site);
        const corotracer::SiteRecord &first = region.site(region.events(0)[0].site);
        const corotracer::SiteRecord &second = region.site(region.events(1)[0].site);
        CHECK_EQUAL(first.line, second.line);
        CHECK_EQUAL(first.file_offset, second.file_offset);
    });
}

CT_CASE(countsSitesBeyondAFullTable)
{
    RegionOptions options;
    options.siteCapacity = 3;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        for (std::uint32_t line = 1; line <= 5; ++line)
            CHECK_EQUAL(registered("f.cpp", "f", line), line <= 3 ? line : 0);
        CHECK_EQUAL(region.header().extension.sites_dropped.load(), 2U);
        CHECK_EQUAL(registered("f.cpp", "f", 5), 0U);
        CHECK_EQUAL(region.header().extension.sites_dropped.load(), 2U);  // the table is known to be full
        CHECK_EQUAL(registered("f.cpp", "f", 2), 2U);
        const Task task = waitTwice();
        CHECK_EQUAL(region.pattern(0), "S");
    });
}

CT_CASE(countsSitesWithoutSpaceForTheirText)
{
    RegionOptions options;
    options.stringBytes = 64;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        CHECK_EQUAL(registered("f.cpp", std::string(59, 'f').c_str(), 1), 1U);
        CHECK_EQUAL(registered("f.cpp", "g", 1), 0U);
        CHECK_EQUAL(region.header().extension.sites_dropped.load(), 1U);
        CHECK_EQUAL(region.sites(), 1U);
    });
}

CT_CASE(longNamesAreCut)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const std::uint32_t id = registered("f.cpp", std::string(100'000, 'n').c_str(), 1);
        CHECK_EQUAL(region.siteFunction(id).size(), detail::string_limit);
    });
}

CT_CASE(registersThousandsOfSites)
{
    RegionOptions options;
    options.siteCapacity = 65536;
    options.stringBytes = 1 << 20;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        std::set<std::uint32_t> ids;
        for (int round = 0; round < 2; ++round) {
            for (std::uint32_t line = 1; line <= 6000; ++line)
                ids.insert(registered("f.cpp", "f", line));
        }
        CHECK_EQUAL(ids.size(), 6000U);
        CHECK(ids.count(0) == 0);
        CHECK_EQUAL(region.sites(), 6000U);
    });
}

CT_CASE(countsSitesBeyondTheContentTable)
{
    RegionOptions options;
    options.siteCapacity = 65536;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        for (int round = 0; round < 2; ++round) {
            for (std::uint32_t line = 1; line <= 30'000; ++line)
                (void)registered("f.cpp", "f", line);
        }
        CHECK(region.sites() <= detail::content_entries);
        CHECK(region.header().extension.sites_dropped.load() > 0);
    });
}

CT_CASE(threadsRegisterTheSameSites)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        constexpr std::size_t kThreads = 4;
        std::uint32_t seen[kThreads][100] = {};
        std::atomic<std::size_t> waiting{0};
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < kThreads; ++t) {
            threads.emplace_back([&, t] {
                waiting.fetch_add(1, std::memory_order_acq_rel);
                while (waiting.load(std::memory_order_acquire) < kThreads)
                    std::this_thread::yield();
                for (std::uint32_t line = 0; line < 100; ++line) {
                    // 0 means that the other thread took too long. The next event asks again.
                    while ((seen[t][line] = registered("f.cpp", "f", line + 1)) == 0)
                        std::this_thread::yield();
                }
            });
        }
        for (std::thread &thread : threads)
            thread.join();
        CHECK_EQUAL(region.sites(), 100U);
        for (std::size_t t = 1; t < kThreads; ++t)
            CHECK(std::memcmp(seen[t], seen[0], sizeof seen[0]) == 0);
    });
}

}  // namespace
