// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The engine and its target were killed together. Retained records, which the engine had read and no thread has
// overwritten, are read again, any number of times. Nothing in the region changes.
#include "tests/support/lanecapture.h"

#include <fstream>
#include <map>

using namespace lanecapture;

namespace {

constexpr std::uint32_t kPid = 5;

std::string contentOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    std::string content(static_cast<std::size_t>(file.tellg()), '\0');
    file.seekg(0);
    REQUIRE(file.read(content.data(), static_cast<std::streamsize>(content.size())));
    return content;
}

/// The results of one post-mortem reading.
struct Found {
    std::map<std::uint64_t, std::vector<std::uint64_t>> numbers;  ///< numbers of the captured events, by identity
    std::map<std::uint64_t, StreamSums::One> streamSums;          ///< by identity
    ct::Accounting sums;
    std::uint64_t total() const { return sums.captured + sums.lost + sums.missedBeforeAttach; }
};

/// Reads the region post mortem, with `passes` passes before the end.
Found readWith(Capture &c, int passes)
{
    c.restart({}, ct::RegionUse::PostMortem);
    REQUIRE(c.region->access() == ct::RegionAccess::PostMortem);
    CHECK(!c.region->writableHeader());
    Found found;
    std::vector<std::uint64_t> identities;
    const auto collect = [&] {
        for (const ct::Birth &birth : c.batch.births)
            identities.push_back(lanewriter::identityOf(birth.station - corotracer::kCompactBase, birth.generation));
        for (const ct::Transition &event : c.batch.transitions)
            found.numbers[identities[event.coroutine]].push_back(event.n);
    };
    for (int pass = 0; pass < passes; ++pass) {
        c.pass(pass % 2 == 1);
        collect();
    }
    for (bool done = false; !done;) {
        c.batch.clear();
        done = c.loop->finalDrain(c.batch);
        c.streamSums.add(c.batch);
        collect();
    }
    c.checkSums();
    c.streamSums.checkOrder();
    for (std::size_t i = 0; i < identities.size(); ++i)
        found.streamSums[identities[i]] = c.streamSums.coroutines[i];
    found.sums = c.loop->accounting();
    return found;
}

/// Reads ten times. All readings must be equal and change nothing. Returns the first one.
Found readTenTimes(Capture &c)
{
    c.dead.insert(kPid);
    std::string before;
    c.restart([&before](const std::string &path) { before = contentOf(path); }, ct::RegionUse::PostMortem);
    const Found first = readWith(c, 0);
    for (int i = 1; i < 10; ++i) {
        const Found again = readWith(c, i % 4 * 3);
        CHECK(again.numbers == first.numbers);
        CHECK_EQUAL(again.sums.captured, first.sums.captured);
        CHECK_EQUAL(again.sums.lost, first.sums.lost);
        CHECK_EQUAL(again.sums.missedBeforeAttach, first.sums.missedBeforeAttach);
        CHECK_EQUAL(again.sums.coroutines, first.sums.coroutines);
        CHECK_EQUAL(again.sums.recordsDropped, first.sums.recordsDropped);
        CHECK_EQUAL(again.sums.notesLost, first.sums.notesLost);
        CHECK_EQUAL(again.sums.untraced, first.sums.untraced);
    }
    CHECK(contentOf(c.region->path()) == before);
    return first;
}

/// Returns true if the last `count` events before `end` were all captured.
bool hasLast(const Found &found, std::uint64_t identity, std::uint64_t end, std::uint64_t count)
{
    const auto it = found.numbers.find(identity);
    if (it == found.numbers.end() || it->second.size() < count)
        return false;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (it->second[it->second.size() - 1 - i] != end - 1 - i)
            return false;
    }
    return true;
}

struct Ended {
    std::uint64_t identity = 0, events = 0;
};

}  // namespace

/// Twenty coroutines that move between three lanes. Each lane has lapped several times, or not once.
CT_CASE(readsDrainedRecordsAgain)
{
    for (const int rounds : {5, 90, 700}) {
        for (const int unread : {0, 3}) {
            Capture c;
            std::vector<Ended> all;
            {
                const Process process = c.process(kPid);
                std::vector<Lane> lanes;
                for (std::uint64_t tid = 1; tid <= 3; ++tid)
                    lanes.push_back(*process.claimLane(tid));
                std::vector<Coroutine> coroutines;
                for (std::uint64_t key = 1; key <= 20; ++key)
                    coroutines.push_back(*Coroutine::create(process, lanes[key % 3], key, key));
                for (int round = 0; round < rounds + unread; ++round) {
                    for (Coroutine &one : coroutines)
                        one.step(lanes[(one.key() + one.events()) % 3]);
                    if (round < rounds)
                        c.scanAll(round % 32 == 0);
                }
                CHECK_EQUAL(c.streamSums.captured, static_cast<std::uint64_t>(rounds) * 20);
                for (const Coroutine &one : coroutines)
                    all.push_back({one.identity(), one.events()});
            }
            const Found found = readTenTimes(c);
            CHECK_EQUAL(found.sums.coroutines, 20u);
            CHECK_EQUAL(found.total(), static_cast<std::uint64_t>(rounds + unread) * 20);
            CHECK_EQUAL(found.sums.lost, 0u);
            for (const Ended &one : all)
                CHECK(hasLast(found, one.identity, one.events, std::min<std::uint64_t>(one.events, 250)));
        }
    }
}

/// The producer was killed in the middle of a record. The record that it was overwriting is not whole.
CT_CASE(ignoresHalfOverwrittenRecord)
{
    Capture c;
    std::uint64_t identity = 0, events = 0;
    {
        const Process process = c.process(kPid);
        Lane lane = *process.claimLane(1);
        Coroutine one = *Coroutine::create(process, lane, 1, 1);
        for (int i = 0; i < 50; ++i) {
            steps(one, lane, 100);
            c.scanAll();
        }
        identity = one.identity();
        events = one.events();
        lane.putTorn({corotracer::kRecordSuspend, 77, 99, 1234, 0, 0});
    }
    const Found found = readTenTimes(c);
    CHECK_EQUAL(found.sums.captured, 2047u);
    CHECK(hasLast(found, identity, events, 2047));
    CHECK_EQUAL(found.total(), events);
}

/// Records dropped after the engine had stopped are lost. Overwritten events that the engine had read are missed.
CT_CASE(countsUnreadDropsAsLost)
{
    Capture c;
    std::uint64_t kept = 0;
    {
        const Process process = c.process(kPid);
        Lane lane = *process.claimLane(1), other = *process.claimLane(2);
        Coroutine one = *Coroutine::create(process, lane, 1, 1);
        for (int i = 0; i < 50; ++i) {
            steps(one, lane, 100);
            c.scanAll();
        }
        steps(one, lane, 2100);  // 2048 of them fit
        steps(one, other, 3);
        kept = one.identity();
    }
    const Found found = readTenTimes(c);
    const StreamSums::One &one = found.streamSums.at(kept);
    CHECK_EQUAL(one.missed, 5000u);
    CHECK_EQUAL(one.lost, 52u);
    CHECK_EQUAL(one.captured, 2051u);
    CHECK_EQUAL(found.sums.recordsDropped, 52u);
}

/// Ended coroutines whose compact stations others use, and a lane that changes from thread to thread.
CT_CASE(readsEndedCoroutinesAndThreadsAgain)
{
    Capture c;
    std::uint64_t emitted = 0;
    {
        const Process process = c.process(kPid);
        for (std::uint64_t tid = 1; tid <= 40; ++tid) {
            Lane lane = *process.claimLane(tid);
            CHECK_EQUAL(c.header().extension.lane_count.load(), 1u);
            runShortLivedCoroutines(process, lane, 5);
            emitted += 20;
            lane.close(1);
            c.scanAll(true);
            c.pass(true);
        }
    }
    const Found found = readTenTimes(c);
    CHECK_EQUAL(found.sums.coroutines, 200u);
    CHECK_EQUAL(found.sums.captured, emitted);
    for (const auto &[identity, one] : found.streamSums)
        CHECK_EQUAL(one.deaths, 1u);
}

/// A thread was killed while it claimed a used lane.
CT_CASE(readsLaneBeingClaimedAgain)
{
    Capture c;
    std::uint64_t identity = 0;
    {
        const Process process = c.process(kPid);
        Lane lane = *process.claimLane(1);
        Coroutine one = *Coroutine::create(process, lane, 1, 1);
        steps(one, lane, 100);
        lane.close(1);
        c.scanAll(true);
        c.pass(true);
        lane.ring().header->state.store(corotracer::kLaneMaking);
        identity = one.identity();
    }
    const Found found = readTenTimes(c);
    CHECK(hasLast(found, identity, 100, 100));
}

/// Two processes, killed together with the engine. Each lane is read by the clock of its own process.
CT_CASE(readsEachProcessAgainByItsOwnClock)
{
    Capture c;
    std::vector<Ended> all;
    {
        const Process first = c.process(kPid), second = c.process(kPid + 1);
        c.dead.insert(kPid + 1);
        Lane lane = *first.claimLane(1), other = *second.claimLane(2);
        c.dead.clear();
        for (std::uint64_t key = 1; key <= 8; ++key) {
            const Process &process = key % 2 ? first : second;
            Lane &its = key % 2 ? lane : other;
            Coroutine one = *Coroutine::create(process, its, key, key);
            for (int i = 0; i < 10; ++i) {
                steps(one, its, 50);
                c.scanAll();
            }
            all.push_back({one.identity(), one.events()});
        }
        c.dead.insert(kPid + 1);
    }
    const Found found = readTenTimes(c);
    CHECK_EQUAL(found.total(), 4000u);
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(hasLast(found, all[i].identity, all[i].events, 400));
        CHECK_EQUAL(found.streamSums.at(all[i].identity).pid, i % 2 ? kPid + 1 : kPid);
    }
}

/// A coroutine with billions of events.
CT_CASE(drainedRecordsOfLateCoroutineAreNumberedByItsStation)
{
    for (const std::uint64_t first :
         {std::uint64_t{3'000'000'000}, std::uint64_t{1} << 32, std::uint64_t{5'000'000'000}}) {
        Capture c;
        std::uint64_t identity = 0;
        {
            const Process process = c.process(kPid);
            Lane lane = *process.claimLane(1);
            Coroutine one = *Coroutine::create(process, lane, 1, 1);
            c.scanAll();
            one.setEvents(first);
            steps(one, lane, 1000);
            c.scanAll(true);
            identity = one.identity();
        }
        const Found found = readTenTimes(c);
        CHECK(hasLast(found, identity, first + 1000, 1000));
        CHECK_EQUAL(found.total(), first + 1000);
    }
}

/// Notes that the previous engine had read are not lost.
CT_CASE(emittedNotesAreNotLost)
{
    Capture c;
    {
        const Process process = c.process(kPid);
        Lane lane = *process.claimLane(1), other = *process.claimLane(2);
        Coroutine one = *Coroutine::create(process, lane, 1, 1);
        Coroutine gone = *Coroutine::create(process, lane, 2, 1);
        one.writeNote(other, {corotracer::kRecordWake, 5, gone.identity(), one.identity(), 0, 0});
        c.scanAll();
        gone.destroy(lane, 10);
        for (int i = 0; i < 40; ++i) {
            steps(one, lane, 100);
            c.scanAll(true);
        }
        CHECK(Coroutine::create(process, lane, 3, writers::tsOf(4001)));
        c.scanAll();
        CHECK_EQUAL(c.loop->accounting().notesLost, 0u);
    }
    const Found found = readTenTimes(c);
    CHECK_EQUAL(found.sums.notesLost, 0u);
    CHECK_EQUAL(found.total(), 4000u);
}

/// A hole behind the tail, which the previous engine had skipped.
CT_CASE(missesOnlyTheHoleInDrainedRecords)
{
    Capture c;
    std::uint64_t identity = 0;
    {
        const Process process = c.process(kPid);
        Lane lane = *process.claimLane(1);
        Coroutine one = *Coroutine::create(process, lane, 1, 1);
        steps(one, lane, 1000);
        c.scanAll(true);
        lane.ring().records[500].commit.store(0);
        identity = one.identity();
    }
    const Found found = readTenTimes(c);
    CHECK(hasLast(found, identity, 1000, 500));
    CHECK_EQUAL(found.sums.captured, 999u);
    CHECK_EQUAL(found.sums.missedBeforeAttach, 1u);
}

/// Many holes end the first search for the lane's end, so a coroutine behind them is discovered after the first sweep.
/// Its birth and its first events were overwritten: they were missed, not lost.
CT_CASE(overwrittenEventsAreMissedAfterLateDiscovery)
{
    constexpr std::uint32_t kRecords = 8192;
    Capture c;
    std::uint64_t late = 0;
    {
        const Process process = c.process(kPid);
        Lane lane = *process.claimLane(1, kRecords);
        Coroutine one = *Coroutine::create(process, lane, 1, 1);
        Coroutine two = *Coroutine::create(process, lane, 2, 1);
        late = two.identity();
        steps(two, lane, 5);
        for (std::uint32_t written = 0; written < kRecords; written += 512) {
            steps(one, lane, 512);
            c.scanAll();
        }
        steps(two, lane, 10);
        two.destroy(lane, writers::tsOf(20));
        c.scanAll(true);
        // The search doubles its steps, and 2048 is the first step that fails. It gives up after 64 holes.
        const std::uint64_t oldest = lane.position() + 1 - kRecords;
        for (std::uint64_t hole = 0; hole < 100; ++hole)
            lane.ring().records[(oldest + 2047 + 2 * hole) % kRecords].commit.store(0);
    }
    const Found found = readTenTimes(c);
    CHECK_EQUAL(found.sums.lost, 0u);
    const auto it = found.streamSums.find(late);
    REQUIRE(it != found.streamSums.end());
    CHECK_EQUAL(it->second.captured, 10u);
    CHECK_EQUAL(it->second.missed, 5u);
}

/// A damaged tail: bounded work, and equal results each time.
CT_CASE(survivesAScribbledTail)
{
    for (const std::uint64_t tail :
         {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}, ~std::uint64_t{4095}}) {
        Capture c;
        {
            const Process process = c.process(kPid);
            Lane lane = *process.claimLane(1);
            Coroutine one = *Coroutine::create(process, lane, 1, 1);
            for (int i = 0; i < 50; ++i) {
                steps(one, lane, 100);
                c.scanAll();
            }
            c.loop.reset();  // it would store the tail again
            lane.ring().header->tail.store(tail);
        }
        const Found found = readTenTimes(c);
        CHECK_EQUAL(found.total(), 5000u);
    }
}

/// A region in overwrite mode, and full stations without lanes, which an owner would recycle.
CT_CASE(leavesOtherRegionsUnchanged)
{
    Capture overwriting;
    overwriting.setOverwriteMode();
    std::uint64_t emitted = 0;
    {
        const Process process = overwriting.process(kPid);
        Lane lane = *process.claimLane(1);
        emitted = runShortLivedCoroutines(process, lane, 3000);
    }
    CHECK_EQUAL(readTenTimes(overwriting).total(), emitted);

    regions::TempDir dir;
    ct::RegionSpec spec;
    spec.path = dir.file("r.shm");
    spec.stations = 64;
    spec.lanes = false;
    {
        auto created = ct::Region::create(spec);
        REQUIRE(created);
        HarvestLoop loop(*created);
        ct::Batch batch;
        for (std::uint64_t key = 1; key <= 20; ++key) {
            writers::Writer writer(*writers::allocateFullStation(*created->writableHeader()), writers::Style::Ours,
                                   key);
            writer.create();
            for (int n = 0; n < 20; ++n)
                writer.write();
            if (key % 2)
                writer.destroy();
            if (key == 10)
                loop.safetyPass(batch);  // five are free now
        }
    }
    const std::string before = contentOf(spec.path);
    for (int i = 0; i < 10; ++i) {
        auto opened = ct::Region::open(spec.path, ct::RegionUse::PostMortem);
        REQUIRE(opened && opened->access() == ct::RegionAccess::PostMortem);
        HarvestLoop loop(*opened);
        regions::StreamSums streamSums;
        ct::Batch batch;
        for (bool done = false; !done;) {
            batch.clear();
            done = loop.finalDrain(batch);
            streamSums.add(batch);
        }
        CHECK_EQUAL(streamSums.captured, 15u * 8);
        CHECK_EQUAL(streamSums.missed, 15u * 12);
        CHECK_EQUAL(streamSums.deaths, 5u);
        CHECK_EQUAL(loop.accounting().untraced, 0u);
        sums::check(streamSums, loop.accounting());
    }
    CHECK(contentOf(spec.path) == before);
}

/// Two engines may read at the same time. No third engine can become the owner while they do.
CT_CASE(postMortemAccessIsSharedAndReadOnly)
{
    Capture c;
    const std::string path = c.region->path();
    {
        auto owned = ct::Region::open(path, ct::RegionUse::PostMortem);
        REQUIRE(owned && owned->access() == ct::RegionAccess::Observer);
    }
    c.restart([](const std::string &file) { ::chmod(file.c_str(), 0400); }, ct::RegionUse::PostMortem);
    CHECK(c.region->access() == ct::RegionAccess::PostMortem);
    auto second = ct::Region::open(path, ct::RegionUse::PostMortem);
    REQUIRE(second && second->access() == ct::RegionAccess::PostMortem);
    ::chmod(path.c_str(), 0600);
    auto owner = ct::Region::open(path);
    REQUIRE(owner && owner->access() == ct::RegionAccess::Observer);
    CHECK(!second->writableHeader() && second->writableLanes().empty() && second->writableCompactStations().empty());
    c.end();
}
