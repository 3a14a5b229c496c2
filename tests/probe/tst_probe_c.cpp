// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The C interface: what its functions write, called from C with and without the inline part of the header, and together
// with coroutines of C++.
#include "tests/probe/cpart.h"
#include "tests/probe/lanetest.h"

#include <cerrno>

// Made by the linker: begin and end of this program's code.
extern const char programBegin[] __asm__("__executable_start");
extern const char programEnd[] __asm__("etext");

namespace {

using namespace lanetest;
using probetest::inChild;

/// Kind of a record with a kind of point or of wait.
constexpr std::uint8_t kindOf(unsigned record, unsigned low)
{
    return static_cast<std::uint8_t>(record + low);
}

const c_part *const kParts[] = {&c_part_inline, &c_part_library};

const SiteRecord &siteOf(const Region &region, std::uint32_t id)
{
    REQUIRE(id >= 1 && id <= region.extension().site_capacity);
    return reinterpret_cast<const SiteRecord *>(region.bytes() + region.extension().site_table_offset)[id - 1];
}

std::string textAt(const Region &region, std::uint64_t offset, std::uint64_t length)
{
    return {region.bytes() + region.extension().strings_offset + offset, length};
}

/// Checks file, line and function of a site in cpart.c.
void checkSite(const Region &region, std::uint32_t id, std::uint32_t line, const char *function)
{
    const SiteRecord &site = siteOf(region, id);
    CHECK_EQUAL(site.line, line);
    const std::string file = textAt(region, site.file_offset, site.file_length);
    CHECK_EQUAL(file.substr(file.rfind('/') + 1), "cpart.c");
    CHECK_EQUAL(textAt(region, site.function_offset, site.function_length), function);
}

/// Runs a case in a region of its own, once for each way to compile a C program.
void withEachPart(const std::function<void(const Region &, const c_part &)> &body)
{
    for (const c_part *part : kParts) {
        const Region region;
        inChild([&] { body(region, *part); });
    }
}

CT_CASE(eventsCarrySiteAndKindOfTheirPoint)
{
    withEachPart([](const Region &region, const c_part &part) {
        corotracer_init();
        CHECK(part.is_on());
        corotracer_coroutine self{};
        c_lines lines{};
        part.live(&self, "a task", &lines);
        const std::vector<Record> records = drainAll(region);
        CHECK_EQUAL(pattern(records), "B?RSRSD");
        REQUIRE(records.size() == 7);
        CHECK_EQUAL(records[0].arg, reinterpret_cast<std::uintptr_t>(&self));
        CHECK_EQUAL(records[1].kind, kindOf(kRecordName, 0));
        CHECK_EQUAL(textAt(region, records[1].arg >> 16, records[1].arg & 0xFFFF), "a task");
        CHECK_EQUAL(records[3].kind, kindOf(kRecordSuspend, kAwaitPoint));
        checkSite(region, records[3].site, lines.suspended, "live");
        CHECK_EQUAL(records[4].kind, kindOf(kRecordResume, kAwaitPoint));
        CHECK_EQUAL(records[4].site, records[3].site);
        CHECK_EQUAL(records[5].kind, kindOf(kRecordSuspend, kFinalSuspend));
        CHECK_EQUAL(records[6].n, 4U);
        CHECK_EQUAL(self.traced, 0U);
        CHECK_EQUAL(region.life(0), kCompactRecycled);
    });
}

CT_CASE(causesAreRecorded)
{
    withEachPart([](const Region &region, const c_part &part) {
        corotracer_init();
        corotracer_coroutine self{};
        corotracer_coroutine other{};
        int object = 0;
        const auto address = reinterpret_cast<std::uintptr_t>(&object);
        corotracer_birth(&self, nullptr);
        corotracer_birth(&other, nullptr);
        corotracer_suspend(&other, COROTRACER_INITIAL, nullptr);
        corotracer_resume(&self);
        (void)drainAll(region);
        c_lines lines{};
        part.report_causes(&self, &other, &object, &lines);

        struct Expected {
            std::uint8_t kind;
            const corotracer_coroutine *of;
            std::uint64_t arg;
            std::uint32_t n;
            std::uint32_t site;  ///< of uses and the finish: the line
        };
        const std::uint64_t selfId = corotracer_identity(&self);
        const std::uint64_t otherId = corotracer_identity(&other);
        CHECK(selfId != kNoIdentity && otherId != kNoIdentity && selfId != otherId);
        const Expected expected[] = {
            {kindOf(kRecordWaitsOn, kWaitLock), &self, address, 1, 0},
            {kindOf(kRecordWaitsOn, kWaitDescriptor), &self, 7, 1, wait_part(0, false)},
            {kindOf(kRecordWaitsOn, kWaitTimer), &self, 1234, 1, wait_part(1, false)},
            {kindOf(kRecordWaitsOn, kWaitCoroutine), &self, otherId, 1, 0},
            {kindOf(kRecordWaitsOn, kWaitChannel), &self, address, 1, wait_part(0, false)},
            {kindOf(kRecordWaitsOn, kWaitDescriptor), &self, 5, 1, wait_part(1, false)},
            {kindOf(kRecordWaitsOn, kWaitChannel), &self, address, 1, wait_part(0, true)},
            {kindOf(kRecordWaitsOn, kWaitDescriptor), &self, 5, 1, wait_part(1, true)},
            {kindOf(kRecordWaitsOn, kWaitCoroutine), &self, otherId, 1, wait_part(2, true)},
            {kRecordWake, &other, selfId, 1, 0},
            {kRecordWake, &other, kNoIdentity, 1, 0},
            {kRecordWakersLeft, &other, 3, 1, 0},
            {kRecordAcquired, &self, address, 1, lines.acquired},
            {kRecordReleased, &self, address, 1, lines.acquired + 1},
            {kRecordSignalled, &self, address, 1, 0},
            {kRecordParent, &other, selfId, 0, 0},
            {kRecordFinished, &self, 0, 1, lines.finished},
        };
        const std::vector<Record> records = drainAll(region);
        REQUIRE(records.size() == std::size(expected));
        for (std::size_t i = 0; i < records.size(); ++i) {
            CHECK_EQUAL(records[i].kind, expected[i].kind);
            CHECK_EQUAL(records[i].identity, corotracer_identity(expected[i].of));
            CHECK_EQUAL(records[i].arg, expected[i].arg);
            CHECK_EQUAL(records[i].n, expected[i].n);
            const bool isSite = expected[i].kind == kRecordAcquired || expected[i].kind == kRecordReleased ||
                                expected[i].kind == kRecordFinished;
            if (isSite)
                checkSite(region, records[i].site, expected[i].site, "report_causes");
            else
                CHECK_EQUAL(records[i].site, expected[i].site);
        }
    });
}

/// The views then show the function that suspends the coroutine.
CT_CASE(aSuspensionWithoutLocationHasTheAddressOfItsCaller)
{
    withEachPart([](const Region &region, const c_part &part) {
        corotracer_init();
        corotracer_coroutine self{};
        corotracer_birth(&self, nullptr);
        part.suspend_anywhere(&self);
        const std::vector<Record> records = drainAll(region);
        REQUIRE(records.size() == 2);
        CHECK_EQUAL(records[1].kind, kindOf(kRecordSuspend, kYieldPoint));
        CHECK_EQUAL(records[1].site, 0U);
        // A tail call has the caller of suspend_anywhere as its caller: also a function of this program.
        CHECK(records[1].arg >= reinterpret_cast<std::uintptr_t>(programBegin) &&
              records[1].arg < reinterpret_cast<std::uintptr_t>(programEnd));
    });
}

CT_CASE(zeroedMemoryIsAnUntracedCoroutine)
{
    withEachPart([](const Region &region, const c_part &part) {
        corotracer_coroutine self{};
        CHECK(!part.is_on());
        part.call_all(&self);
        corotracer_birth(&self, "too early");
        CHECK(!corotracer_is_traced(&self));
        part.call_all(&self);
        corotracer_init();
        part.call_all(&self);
        CHECK_EQUAL(corotracer_identity(&self), kNoIdentity);
        CHECK_EQUAL(drainAll(region).size(), 0U);
        CHECK_EQUAL(region.extension().born_before_init.load(), 1U);
        CHECK_EQUAL(self.traced, 0U);
    });
}

CT_CASE(whileOffNothingIsPublished)
{
    withEachPart([](const Region &region, const c_part &part) {
        corotracer_init();
        corotracer_coroutine self{};
        corotracer_birth(&self, nullptr);
        corotracer_enable(false);
        CHECK(!part.is_on());
        (void)drainAll(region);
        corotracer_coroutine late{};
        corotracer_birth(&late, nullptr);
        CHECK(!corotracer_is_traced(&late));
        CHECK(corotracer_is_traced(&self));
        part.suspend_anywhere(&self);
        corotracer_signalled(&self, nullptr);
        CHECK_EQUAL(drainAll(region).size(), 0U);
        CHECK_EQUAL(region.extension().births_while_off.load(), 1U);
        corotracer_enable(true);
        part.suspend_anywhere(&self);
        part.call_all(&late);
        CHECK_EQUAL(pattern(drainAll(region)), "+S");
    });
}

CT_CASE(aForkedChildIsOffUntilItsOwnInit)
{
    withEachPart([](const Region &region, const c_part &part) {
        corotracer_init();
        corotracer_coroutine self{};
        corotracer_birth(&self, nullptr);
        inChild([&] {
            CHECK(!part.is_on());
            CHECK(!corotracer_is_traced(&self));
            part.suspend_anywhere(&self);
            corotracer_init();
            corotracer_coroutine own{};
            corotracer_birth(&own, nullptr);
            CHECK(corotracer_is_traced(&own));
            part.suspend_anywhere(&own);
            part.suspend_anywhere(&self);
            part.call_all(&self);
        });
        corotracer_resume(&self);
        CHECK_EQUAL(region.process(0).pid.load(), static_cast<std::uint32_t>(::getpid()));
        CHECK(region.process(1).pid.load() != region.process(0).pid.load());
        Ledger ledger;
        ledger.add(drainAll(region));
        CHECK_EQUAL(ledger.transitions, 2U);
        CHECK_EQUAL(ledger.born(), 2U);
    });
}

/// C and C++ in one executable are one probe: each sees the coroutine that the other one resumed.
CT_CASE(coroutinesOfCAndCppCreateOneAnother)
{
    const Region region;
    inChild([&] {
        corotracer::InitTracer();
        corotracer_init();
        CHECK_EQUAL(region.process(1).state.load(), kProcessFree);
        Traced cpp;
        cpp.write_trace(0, true);
        corotracer::detail::promise_access::shows_all_suspensions(cpp);
        lanetest::events(cpp, 2);
        corotracer_coroutine c{};
        corotracer_birth(&c, nullptr);
        CHECK_EQUAL(region.birth(1).parent.load(), cpp.self());
        corotracer_resume(&c);
        const Traced nested;
        CHECK_EQUAL(region.birth(2).parent.load(), corotracer_identity(&c));
        corotracer_death(&c);
        CHECK_EQUAL(region.lanes(), 1U);
    });
}

/// A C coroutine does not begin to run at its birth. So its creator still runs, and is the parent of the next one, too.
CT_CASE(theCreatorRunsOnAfterABirth)
{
    withEachPart([](const Region &region, const c_part &part) {
        corotracer_init();
        corotracer_coroutine creator{};
        corotracer_coroutine tasks[2] = {};
        corotracer_birth(&creator, nullptr);
        corotracer_resume(&creator);
        for (corotracer_coroutine &task : tasks)
            corotracer_birth(&task, nullptr);
        for (std::uint32_t i = 1; i <= 2; ++i)
            CHECK_EQUAL(region.birth(i).parent.load(), corotracer_identity(&creator));
        corotracer_resume(&tasks[0]);
        part.suspend_anywhere(&tasks[0]);
        (void)drainAll(region);
        corotracer_signalled(&creator, nullptr);
        part.suspend_anywhere(&creator);
        corotracer_signalled(&creator, nullptr);
        const std::vector<Record> records = drainAll(region);
        REQUIRE(records.size() == 3);
        CHECK_EQUAL(records[0].identity, corotracer_identity(&creator));
        CHECK_EQUAL(records[2].identity, kNoIdentity);
    });
}

CT_CASE(aLocationMayLieAnywhere)
{
    const Region region;
    inChild([&] {
        corotracer_init();
        corotracer_coroutine self{};
        corotracer_birth(&self, nullptr);
        (void)drainAll(region);
        for (std::uint32_t line = 1; line <= 3; ++line) {
            const corotracer_location where{"scheduler.zig", "run", line % 2 + 10, 4};  // on the stack
            corotracer_suspend(&self, COROTRACER_AWAIT, &where);
        }
        const std::vector<Record> records = drainAll(region);
        REQUIRE(records.size() == 3);
        CHECK_EQUAL(records[0].site, records[2].site);
        CHECK(records[0].site != records[1].site);
        CHECK_EQUAL(siteOf(region, records[1].site).line, 10U);
        CHECK_EQUAL(siteOf(region, records[1].site).column, 4U);
        const corotracer_location unknown{nullptr, nullptr, 0, 0};
        corotracer_suspend(&self, COROTRACER_AWAIT, &unknown);
        CHECK_EQUAL(drainAll(region).size(), 1U);
    });
}

CT_CASE(errnoIsPreserved)
{
    withEachPart([](const Region &, const c_part &part) {
        errno = 12345;
        corotracer_init();
        corotracer_coroutine self{};
        corotracer_name_thread("a thread");
        c_lines lines{};
        part.live(&self, "a name", &lines);
        corotracer_birth(&self, "another name");
        part.call_all(&self);
        CHECK_EQUAL(errno, 12345);
    });
}

CT_CASE(theFlightRecorderHasDefaultsForZeroes)
{
    const ct::test::TempDir directory;
    inChild([&] {
        const std::string path = directory.file("flight.shm");
        corotracer_flight_options options{};
        options.path = path.c_str();
        options.pool_bytes = 1 << 20;
        CHECK(corotracer_start_flight_recorder(&options));
        CHECK_EQUAL(std::string(corotracer_flight_recorder_path()), path);
        corotracer_coroutine self{};
        corotracer_birth(&self, nullptr);
        CHECK(corotracer_is_traced(&self));
    });
    CHECK_EQUAL(corotracer_abi(), static_cast<std::uint32_t>(COROTRACER_ABI));
}

}  // namespace
