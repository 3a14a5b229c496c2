// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Names, parents, wakes and waits: the contents of lanes and compact stations after the one-line calls.
#include "tests/probe/lanetest.h"

#include <atomic>
#include <thread>

#include <sys/prctl.h>

namespace {

using namespace lanetest;
using probetest::inChild;

/// A promise that shows its identity.
struct Promise : corotracer::PromiseMixin {
    using corotracer::PromiseMixin::identity;
};

std::string text(const Region &region, std::uint64_t string)
{
    const std::uint64_t offset = string >> 16;
    const std::uint64_t length = string & 0xFFFF;
    REQUIRE(offset <= Options().stringBytes && length <= Options().stringBytes - offset);
    const char *const strings = reinterpret_cast<const char *>(&region.header()) + region.extension().strings_offset;
    return {strings + offset, length};
}

std::vector<Record> ofKind(const Region &region, std::uint8_t kind)
{
    std::vector<Record> result;
    for (std::uint32_t i = 0; i < region.lanes(); ++i) {
        for (const Record &record : peek(region, i)) {
            if (record.kind == kind)
                result.push_back(record);
        }
    }
    return result;
}

std::uint32_t indexOf(const Promise &promise)
{
    return static_cast<std::uint32_t>(promise.identity());
}

CT_CASE(nameIsInStationAndLane)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise promise;
        promise.set_name("first");
        promise.set_name("Größe");
        CHECK_EQUAL(text(region, region.birth(indexOf(promise)).name.load()), "Größe");
        const std::vector<Record> names = ofKind(region, kRecordName);
        REQUIRE(names.size() == 2);
        CHECK_EQUAL(text(region, names[0].arg), "first");
        CHECK_EQUAL(text(region, names[1].arg), "Größe");
        CHECK_EQUAL(names[1].identity, promise.identity());
        promise.set_name("");  // no name: nothing happens
        CHECK_EQUAL(ofKind(region, kRecordName).size(), 2U);
    });
}

CT_CASE(theNextGenerationHasNoName)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        std::uint32_t index = 0;
        {
            const Promise parent;
            Promise promise;
            promise.set_name("gone");
            promise.set_parent(parent);
            index = indexOf(promise);
        }
        const Promise again;
        const Promise andAgain;
        CHECK(indexOf(again) == index || indexOf(andAgain) == index);
        CHECK_EQUAL(region.birth(index).name.load(), 0U);
        CHECK_EQUAL(region.birth(index).parent.load(), kNoIdentity);
    });
}

CT_CASE(equalNamesAreStoredOnce)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        std::set<std::uint64_t> strings;
        for (int i = 0; i < 1000; ++i) {
            Promise promise;
            promise.set_name(std::string("work") + "er");
            strings.insert(region.birth(indexOf(promise)).name.load());
        }
        CHECK_EQUAL(strings.size(), 1U);
        CHECK_EQUAL(text(region, *strings.begin()), "worker");
    });
}

CT_CASE(longNamesEndWithAWholeCharacter)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise promise;
        const auto lengthOf = [&](const std::string &name) {
            promise.set_name(name);
            return text(region, region.birth(indexOf(promise)).name.load()).size();
        };
        CHECK_EQUAL(lengthOf(std::string(4096, 'x')), 4096U);
        CHECK_EQUAL(lengthOf(std::string(5000, 'x')), 4096U);
        CHECK_EQUAL(lengthOf(std::string(4095, 'x') + "ü"), 4095U);
        CHECK_EQUAL(lengthOf(std::string(4094, 'x') + "ü"), 4096U);
        CHECK_EQUAL(lengthOf(std::string(4093, 'x') + "\xF0\x9F\x98\x80"), 4093U);
        CHECK_EQUAL(lengthOf(std::string(4092, 'x') + "\xF0\x9F\x98\x80"), 4096U);
        CHECK_EQUAL(lengthOf(std::string(5000, '\x80')), 4092U);  // not UTF-8 at all
    });
}

CT_CASE(namesThatFindNoRoomAreCounted)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise promise;
        promise.set_name("early");
        region.extension().strings_used.store(Options().stringBytes - 3);
        promise.set_name("too long");
        CHECK_EQUAL(text(region, region.birth(indexOf(promise)).name.load()), "early");
        promise.set_name("early");  // known
        CHECK_EQUAL(region.extension().names_dropped.load(), 1U);
        region.extension().strings_used.store(~std::uint64_t{0} - 2);
        promise.set_name("an overflow");
        CHECK_EQUAL(region.extension().names_dropped.load(), 2U);
        CHECK_EQUAL(ofKind(region, kRecordName).size(), 2U);
    });
}

CT_CASE(aNameIsDroppedWhileTheLockIsKept)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise promise;
        corotracer::detail::site_table &table = corotracer::detail::sites_v2;
        REQUIRE(corotracer::detail::lock_table(table, 0));
        CHECK(!corotracer::detail::lock_table(table, 0));
        errno = 4321;
        promise.set_name("late");
        const auto siteOfSuspension = [&, where = corotracer::location::current()] {
            std::uint32_t site = 0;
            CHECK(promise.record_suspend(corotracer::detail::page_v2.session.load(), nullptr, where, kAwaitPoint, site)
                      .running != 0);
            return site;
        };
        CHECK_EQUAL(siteOfSuspension(), 0U);
        CHECK_EQUAL(errno, 4321);
        CHECK_EQUAL(region.birth(indexOf(promise)).name.load(), 0U);
        CHECK_EQUAL(region.extension().names_dropped.load(), 1U);
        corotracer::detail::unlock_table(table);
        CHECK(siteOfSuspension() != 0);
        promise.set_name("late");
        CHECK_EQUAL(text(region, region.birth(indexOf(promise)).name.load()), "late");
        CHECK_EQUAL(region.extension().names_dropped.load(), 1U);
    });
}

CT_CASE(manyNamesLeaveSpaceForSites)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise promise;
        for (int i = 0; i < 3000; ++i) {
            const std::string name = "job " + std::to_string(i);
            promise.set_name(name);
            CHECK_EQUAL(text(region, region.birth(indexOf(promise)).name.load()), name);
            (void)drainAll(region);
        }
        std::uint32_t site = 0;
        CHECK(promise
                  .record_suspend(corotracer::detail::page_v2.session.load(), nullptr, corotracer::location::current(),
                                  kAwaitPoint, site)
                  .running != 0);
        CHECK_EQUAL(site, 1U);
        CHECK_EQUAL(region.extension().sites_dropped.load(), 0U);
    });
}

CT_CASE(parentIsInStationAndLane)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Promise parent;
        Promise child;
        child.set_parent(parent);
        CHECK_EQUAL(region.birth(indexOf(child)).parent.load(), parent.identity());
        const std::vector<Record> parents = ofKind(region, kRecordParent);
        REQUIRE(parents.size() == 1);
        CHECK_EQUAL(parents[0].identity, child.identity());
        CHECK_EQUAL(parents[0].arg, parent.identity());
    });
}

CT_CASE(waitsBelongToASuspension)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Promise other;
        Promise promise;
        int lock = 0;
        promise.waits_on(corotracer::wait::lock, &lock);  // suspension 0 comes next
        promise.write_trace(1, false);
        promise.waits_on(corotracer::wait::descriptor, 0);  // now it is suspension 0
        promise.write_trace(0, true);
        promise.waits_on(corotracer::wait::timer, std::uint64_t{12345});  // suspension 2 comes next
        promise.write_trace(1, false);
        const std::chrono::steady_clock::time_point deadline{std::chrono::milliseconds(7)};
        promise.waits_on(deadline);
        promise.waits_on(other);
        const struct {
            std::uint8_t wait;
            std::uint64_t object;
            std::uint32_t number;
        } expected[] = {{kWaitLock, reinterpret_cast<std::uintptr_t>(&lock), 0},
                        {kWaitDescriptor, 0, 0},
                        {kWaitTimer, 12345, 2},
                        {kWaitTimer, 7'000'000, 2},
                        {kWaitCoroutine, other.identity(), 2}};
        for (const auto &[wait, object, number] : expected) {
            const std::vector<Record> found = ofKind(region, static_cast<std::uint8_t>(kRecordWaitsOn | wait));
            bool seen = false;
            for (const Record &record : found)
                seen = seen || (record.identity == promise.identity() && record.arg == object && record.n == number);
            CHECK(seen);
        }
    });
}

CT_CASE(wakesCarryTheTargetsNumber)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise target;
        const Promise by;
        corotracer::note_wake(target);
        target.write_trace(1, false);
        std::thread([&] { corotracer::note_wake(target, &by); }).join();
        target.write_trace(0, true);
        target.write_trace(1, false);
        std::uint64_t tid = 0;
        std::thread([&] {
            tid = corotracer::get_tid();
            corotracer::note_wake(target);
        }).join();
        const std::vector<Record> wakes = ofKind(region, kRecordWake);
        REQUIRE(wakes.size() == 3);
        const std::uint64_t wakers[] = {kNoIdentity, by.identity(), kNoIdentity};
        const std::uint32_t numbers[] = {0, 1, 3};
        // Threads one after another may share a lane. Records in separate lanes are in order, too.
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK_EQUAL(wakes[i].identity, target.identity());
            CHECK_EQUAL(wakes[i].arg, wakers[i]);
            CHECK_EQUAL(wakes[i].n, numbers[i]);
        }
        CHECK_EQUAL(wakes[2].tid, tid);
    });
}

CT_CASE(wakesAreWrittenWhileTheirCoroutineRuns)
{
    Options options;
    options.laneRecords = 1 << 15;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        Promise target;
        std::atomic<bool> go{true};
        std::thread runner([&] {
            for (std::uint64_t i = 0; i < 10'000; ++i)
                target.write_trace(i, i % 2 != 0);
            go.store(false);
        });
        std::uint32_t wakes = 0;
        for (; go.load() && wakes < 10'000; ++wakes)
            corotracer::note_wake(target);
        runner.join();
        const std::vector<Record> records = ofKind(region, kRecordWake);
        CHECK_EQUAL(records.size(), wakes);
        for (std::size_t i = 1; i < records.size(); ++i)
            CHECK(records[i - 1].n <= records[i].n && records[i].n <= 10'000);
    });
}

CT_CASE(threadsHaveNames)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        const Promise promise;
        CHECK_EQUAL(region.lane(0).thread_name.load(), 0U);
        corotracer::name_thread("main loop");
        CHECK_EQUAL(text(region, region.lane(0).thread_name.load()), "main loop");
        REQUIRE(ofKind(region, kRecordThreadName).size() == 1);
        CHECK_EQUAL(text(region, ofKind(region, kRecordThreadName)[0].arg), "main loop");
        std::thread([&] {
            ::prctl(PR_SET_NAME, "io 7");
            errno = 4321;
            const Promise here;
            CHECK_EQUAL(errno, 4321);
            CHECK_EQUAL(text(region, region.lane(1).thread_name.load()), "io 7");
            corotracer::name_thread("reader");
            CHECK_EQUAL(text(region, region.lane(1).thread_name.load()), "reader");
        }).join();
        // Drained and claimed by another thread: the old name does not stay.
        (void)drainAll(region);
        std::thread([&] {
            const Promise here;
            CHECK_EQUAL(region.lanes(), 2U);
            CHECK_EQUAL(region.lane(1).thread_name.load(), 0U);
        }).join();
    });
}

CT_CASE(switchedOffNotesStayInStation)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        std::uint32_t index = 0;
        {
            const Promise parent;
            Promise promise;
            index = indexOf(promise);
            corotracer::enable(false);
            promise.set_name("silent");
            promise.set_parent(parent);
            promise.waits_on(corotracer::wait::other, &promise);
            corotracer::note_wake(promise);
            corotracer::name_thread("nobody");
            corotracer::enable(true);
            CHECK_EQUAL(text(region, region.birth(index).name.load()), "silent");
            CHECK_EQUAL(region.birth(index).parent.load(), parent.identity());
            CHECK(ofKind(region, kRecordName).empty() && ofKind(region, kRecordParent).empty());
            CHECK(ofKind(region, kRecordWake).empty() && ofKind(region, kRecordThreadName).empty());
        }
        // The engine must read from the compact station what the lanes lack, before another coroutine claims it.
        CHECK_EQUAL(region.life(index), static_cast<std::uint32_t>(kCompactDead));
    });
}

CT_CASE(notesAreIgnoredWithoutLanes)
{
    const probetest::Region region;
    inChild([&] {
        corotracer::InitTracer();
        Promise promise;
        const Promise other;
        CHECK(promise.my_station != nullptr);
        promise.set_name("name");
        promise.set_parent(other);
        promise.waits_on(other);
        promise.waits_on(corotracer::wait::lock, &promise);
        corotracer::note_wake(promise, &other);
        corotracer::name_thread("thread");
        CHECK_EQUAL(region.header().extension.strings_used.load(), 0U);
    });
}

CT_CASE(untracedAndForkedCoroutinesWriteNoNotes)
{
    const Region region;
    inChild([&] {
        Promise early;
        early.set_name("early");
        corotracer::note_wake(early);
        corotracer::name_thread("early");
        corotracer::InitTracer();
        Promise promise;
        promise.set_parent(early);
        early.set_parent(promise);
        early.waits_on(promise);
        corotracer::note_wake(early, &promise);
        CHECK_EQUAL(region.birth(indexOf(promise)).parent.load(), kNoIdentity);
        inChild([&] {
            promise.set_name("child's");
            corotracer::note_wake(promise);
            corotracer::InitTracer();
            Promise own;
            promise.set_name("child's");
            own.set_parent(promise);
            corotracer::note_wake(promise);
            CHECK_EQUAL(region.birth(indexOf(own)).parent.load(), kNoIdentity);
            ::_exit(check::failures == 0 ? 0 : 1);
        });
        CHECK_EQUAL(region.birth(indexOf(promise)).name.load(), 0U);
        CHECK(ofKind(region, kRecordName).empty() && ofKind(region, kRecordWake).empty());
    });
}

CT_CASE(manyThreadsMaySetNames)
{
    Options options;
    options.laneRecords = 1 << 14;
    const Region region(options);
    inChild([&] {
        corotracer::InitTracer();
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&region, t] {
                for (int i = 0; i < 1000; ++i) {
                    const std::string name =
                        "job " + std::to_string(i % 50) + (i % 2 != 0 ? " of all" : std::to_string(t));
                    Promise promise;
                    // A name is dropped if another thread, which does not run, keeps the lock for long.
                    do {
                        promise.set_name(name);
                    } while (region.birth(indexOf(promise)).name.load() == 0);
                    CHECK_EQUAL(text(region, region.birth(indexOf(promise)).name.load()), name);
                }
            });
        }
        for (std::thread &thread : threads)
            thread.join();
        CHECK_EQUAL(ofKind(region, kRecordName).size(), 4000U);
        CHECK(region.extension().strings_used.load() < 16'384);
    });
}

}  // namespace
