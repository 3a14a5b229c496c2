// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A limited address space (ulimit -v). The probe maps at most a quarter of the rest, and what it cannot map is counted.
// The program keeps the remaining space.
#include "tests/probe/lanetest.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>

#include <sys/mman.h>
#include <sys/resource.h>

namespace {

using namespace lanetest;
using corotracer::detail::address_space_used;
using probetest::inChild;

constexpr std::uint64_t kMiB = 1 << 20;

/// An engine's default sizes: 2.8 GiB.
const Options kLarge{.compactStations = kMostStations,
                     .laneRecords = 1 << 19,
                     .poolBytes = 512 * kMiB,
                     .lanes = 4096,
                     .stations = kMostStations,
                     .stringBytes = 64 * kMiB};

/// Limits the address space to `bytes` more than is used. Returns false under sanitizers, which need more than any
/// limit.
bool limitTo(std::uint64_t bytes)
{
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = address_space_used() + bytes;
    return address_space_used() < (std::uint64_t{64} << 30) && ::setrlimit(RLIMIT_AS, &limit) == 0;
}

/// Returns whether the program can allocate `bytes`.
bool canAllocate(std::uint64_t bytes)
{
    void *const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        ::munmap(memory, bytes);
    return memory != MAP_FAILED;
}

CT_CASE(theProgramKeepsThreeQuartersOfTheAddressSpace)
{
    const Region region(kLarge);
    std::uint32_t partly = 0;
    for (const std::uint64_t left : {4096 * kMiB, 2048 * kMiB, 600 * kMiB, 100 * kMiB, 16 * kMiB}) {
        ++partly;
        inChild([&] {
            if (!limitTo(left))
                CHECK_SKIP("a sanitizer needs the address space that this case takes away");
            const std::uint64_t before = address_space_used();
            corotracer::InitTracer();
            CHECK(address_space_used() - before <= left / 4 + kMiB);
            CHECK(canAllocate(left / 4 * 3 - 2 * kMiB));
            CHECK_EQUAL(region.extension().processes_unmapped.load(), 0U);
            CHECK_EQUAL(region.extension().processes_partly_mapped.load(), partly);
            const std::uint32_t index = region.compactStations();
            {
                Traced promise;
                events(promise, 1000);
                CHECK(promise.is_traced());
            }
            CHECK_EQUAL(region.compactStation(index).seq.load(), 2000U);
            CHECK_EQUAL(count(drainAll(region), kRecordDeath), 1U);
        });
    }
}

/// As many coroutines are traced as there is room for. The others are counted.
CT_CASE(coroutinesWithoutRoomAreCounted)
{
    const Region region(kLarge);
    inChild([&] {
        if (!limitTo(16 * kMiB))
            CHECK_SKIP("a sanitizer needs the address space that this case takes away");
        corotracer::InitTracer();
        std::vector<std::unique_ptr<Traced>> all;
        for (int i = 0; i < 9000; ++i)
            all.push_back(std::make_unique<Traced>());
        CHECK(all[2000]->is_traced());
        CHECK(!all.back()->is_traced());
        CHECK_EQUAL(region.compactStations() + region.extension().births_without_station.load(), 9000U);
    });
}

CT_CASE(anUnlimitedProcessMapsTheWholeRegion)
{
    const Region region(kLarge);
    inChild([&] {
        const std::uint64_t before = address_space_used();
        corotracer::InitTracer();
        CHECK(address_space_used() - before >= region.size());
        CHECK_EQUAL(region.extension().processes_partly_mapped.load(), 0U);
    });
}

/// With too little space, the program runs untraced, and the region says so.
CT_CASE(withoutRoomTheProgramRunsUntraced)
{
    const Region region(kLarge);
    inChild([&] {
        if (!limitTo(3 * kMiB))
            CHECK_SKIP("a sanitizer needs the address space that this case takes away");
        const std::uint64_t before = address_space_used();
        corotracer::InitTracer();
        CHECK_EQUAL(address_space_used(), before);
        Traced promise;
        events(promise, 10);
        CHECK(!promise.is_traced());
        CHECK_EQUAL(region.extension().processes_unmapped.load(), 1U);
    });
}

/// The limit is below what is used already: not even the header can be mapped.
CT_CASE(programRunsUntracedWithoutAnyAddressSpace)
{
    const Region region(kLarge);
    inChild([&] {
        if (!limitTo(0))
            CHECK_SKIP("a sanitizer needs the address space that this case takes away");
        corotracer::InitTracer();
        Traced promise;
        events(promise, 10);
        CHECK(!promise.is_traced());
    });
}

/// Full stations are mapped as far as there is room.
CT_CASE(mapsOnlyPartOfTheStationsWithoutLanes)
{
    Options options = kLarge;
    options.mode = kLanesNone;
    const Region region(options);
    inChild([&] {
        if (!limitTo(64 * kMiB))
            CHECK_SKIP("a sanitizer needs the address space that this case takes away");
        const std::uint64_t before = address_space_used();
        corotracer::InitTracer();
        CHECK(address_space_used() - before <= 17 * kMiB);
        std::vector<std::unique_ptr<Traced>> all;
        for (int i = 0; i < 9000; ++i)
            all.push_back(std::make_unique<Traced>());
        CHECK(all[6000]->is_traced());
        CHECK(!all.back()->is_traced());
        events(*all[6000], 9);
        CHECK_EQUAL(region.header().allocated_count.load(), 9000U);
    });
}

/// Allocates all the memory that the program can still get, up to `most` bytes, as a list of blocks.
class ExhaustedHeap {
public:
    explicit ExhaustedHeap(std::uint64_t most)
    {
        for (std::size_t size = 1 << 20; size >= 16; size /= 2) {
            while (m_spent < most) {
                void *const block = std::calloc(1, size);
                if (!block)
                    break;
                m_last = new (block) void *(m_last);
                m_spent += size;
            }
        }
    }
    ExhaustedHeap(const ExhaustedHeap &) = delete;
    ExhaustedHeap &operator=(const ExhaustedHeap &) = delete;
    ~ExhaustedHeap()
    {
        while (m_last)
            std::free(std::exchange(m_last, static_cast<void **>(*m_last)));
    }
    std::uint64_t spent() const { return m_spent; }

private:
    void **m_last = nullptr;
    std::uint64_t m_spent = 0;
};

/// The first event of a thread does not allocate. Otherwise glibc would end a program whose heap is exhausted.
CT_CASE(aThreadsFirstEventAllocatesNothing)
{
    const Region region;
    inChild([&] {
        constexpr std::uint64_t most = 256 * kMiB;
        corotracer::InitTracer();
        std::atomic<bool> isSpent{false};
        std::thread thread([&] {
            while (!isSpent.load(std::memory_order_acquire))
                std::this_thread::yield();
            Traced promise;
            events(promise, 10);
        });
        const bool isLimited = limitTo(0);
        std::uint64_t spent = most;
        if (isLimited) {
            const ExhaustedHeap heap(most);
            spent = heap.spent();
            isSpent.store(true, std::memory_order_release);
            thread.join();
        } else {
            isSpent.store(true, std::memory_order_release);
            thread.join();
        }
        if (spent >= most)
            CHECK_SKIP("a sanitizer or an emulator keeps no limit of the address space");
        CHECK_EQUAL(region.lane(0).state.load(), kLaneClosed);
        CHECK_EQUAL(pattern(drainAll(region)), "BSRSRSRSRSRD");
    });
}

/// Another process wrote lanes and stations beyond this process's mapping. They are left alone.
CT_CASE(leavesUnmappedStationsAlone)
{
    const Region region(kLarge);
    inChild([&] {
        corotracer::InitTracer();
        std::vector<std::unique_ptr<Traced>> all;
        for (int i = 0; i < 100'000; ++i)
            all.push_back(std::make_unique<Traced>());
        all.clear();  // most of them are in the stack of free ones now
    });
    for (std::uint32_t i = 0; i < region.lanes(); ++i) {
        region.lane(i).state.store(kLaneClosed);
        (void)drain(region, i);
    }
    inChild([&] {
        if (!limitTo(16 * kMiB))
            CHECK_SKIP("a sanitizer needs the address space that this case takes away");
        corotracer::InitTracer();
        std::vector<std::unique_ptr<Traced>> all;
        for (int i = 0; i < 2000; ++i) {
            all.push_back(std::make_unique<Traced>());
            events(*all.back(), 2);
        }
        CHECK_EQUAL(region.extension().processes_unmapped.load(), 0U);
    });
}

}  // namespace
