// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Recordings with a limit: sequences of files, of which the oldest were removed.
#include "core/recording/read/renumbering.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/blockwriter.h"
#include "core/recording/write/presentstate.h"
#include "core/trace/population.h"
#include "tests/core/recording/recordingtest.h"
#include "tests/core/recording/simulatedprogram.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

using namespace recordingtest;

namespace {

void processStarts(ctr::PresentState &state, std::uint32_t pid, std::uint64_t second)
{
    Batch batch;
    batch.now = second * kSecond;
    batch.notes.processes.push_back({pid, batch.now, "server"});
    state.consume(batch);
}

void processEnds(ctr::PresentState &state, std::uint32_t pid, std::uint64_t second)
{
    Batch batch;
    batch.now = second * kSecond;
    batch.notes.processEnds.push_back({pid, batch.now});
    state.consume(batch);
}

void timePasses(ctr::PresentState &state, std::uint64_t second)
{
    Batch batch;
    batch.now = second * kSecond;
    state.consume(batch);
}

/// A recording of a program, and the live view's population.
struct Recorded {
    TempDir dir;
    SimulatedProgram program;
    std::vector<Batch> batches;
    Population live;

    Recorded(std::size_t longLived, int rounds, RecordingLimits limits) : program(longLived)
    {
        auto writer = RecordingWriter::open(dir.file("run.ctr"), limits);
        REQUIRE(static_cast<bool>(writer));
        RecordingInfo info;
        info.session = "rotated";
        (*writer)->addInfo(info);
        for (int i = 0; i < rounds; ++i) {
            batches.push_back(program.next());
            CHECK(static_cast<bool>(live.consume(batches.back())));
            CHECK(static_cast<bool>((*writer)->consume(batches.back())));
        }
        CHECK(static_cast<bool>((*writer)->finish({})));
    }
    /// Numbers of the existing files.
    std::vector<std::uint32_t> segments() const
    {
        std::vector<std::uint32_t> numbers;
        for (std::uint32_t i = 0; i < 1000; ++i) {
            if (std::filesystem::exists(segment(i)))
                numbers.push_back(i);
        }
        return numbers;
    }
    std::string segment(std::uint32_t number) const { return ctr::segmentPath(dir.file("run.ctr"), number); }
};

constexpr RecordingLimits forSeconds(std::uint64_t seconds)
{
    return {0, seconds * kSecond};
}

std::string stateOf(const Population &population, CoroutineId id)
{
    const CoroutineSnapshot one = population.at(id);
    const CoroutineNotes notes = population.notes(id);
    std::ostringstream out;
    out << one.probeId << " station " << one.station << '/' << one.generation << " pid " << one.pid << " born "
        << one.birthTs << " dead " << one.deathTs << " state " << static_cast<int>(one.state) << " since " << one.since
        << " site " << one.site << " addr " << one.addr << " tid " << one.tid << " numbers "
        << one.events + one.lost + one.missed + one.unexplained << " lost " << one.lost << " name " << notes.name
        << " woken " << notes.woken << " waits " << (notes.waitsOn ? notes.waitsOn->object : 0);
    return out.str();
}

/// The states of living coroutines, without their ids.
std::multiset<std::string> livingIn(const Population &population)
{
    std::multiset<std::string> all;
    for (CoroutineId id = 0; id < population.size(); ++id) {
        if (population.at(id).deathTs == 0)
            all.insert(stateOf(population, id));
    }
    return all;
}

using Event = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
std::vector<Event> eventsIn(const std::vector<Batch> &batches)
{
    std::vector<Event> events;
    for (const Batch &batch : batches) {
        for (const Transition &event : batch.transitions)
            events.emplace_back(event.addr, event.n, event.ts);
    }
    return events;
}

void checkSameLiving(const Recorded &recorded, const std::string &path)
{
    const Everything all = readAll(path);
    CHECK_EQUAL(all.error, "");
    Population population;
    for (const Batch &batch : all.batches)
        CHECK(static_cast<bool>(population.consume(batch)));
    CHECK(livingIn(population) == livingIn(recorded.live));
    CHECK_EQUAL(all.info.session, "rotated");
}

}  // namespace

CT_CASE(anySegmentOpensAllSegments)
{
    const Recorded recorded(10, 150, forSeconds(16));  // two seconds per file, and none is too old
    REQUIRE(recorded.segments().size() > 4);
    REQUIRE(recorded.segments().front() == 0);
    for (const std::uint32_t number : {0U, 2U, recorded.segments().back()}) {
        const Everything all = readAll(recorded.segment(number));
        CHECK_EQUAL(all.error, "");
        CHECK(all.hasEnded);
        REQUIRE(all.batches.size() == recorded.batches.size());
        for (std::size_t i = 0; i < all.batches.size(); ++i) {
            if (textOf(all.batches[i]) != textOf(recorded.batches[i])) {
                CHECK_EQUAL(textOf(all.batches[i]), textOf(recorded.batches[i]));
                return;
            }
        }
    }
}

CT_CASE(remainingSegmentsHaveThePresentState)
{
    const Recorded recorded(10, 300, forSeconds(8));
    const std::vector<std::uint32_t> segments = recorded.segments();
    REQUIRE(segments.front() > 0);
    checkSameLiving(recorded, recorded.segment(segments.back()));
    const Everything all = readAll(recorded.segment(segments.front()));
    CHECK(all.hasEnded);
    // The complete end of the stream, behind the rows that the keyframe repeats.
    const std::vector<Event> written = eventsIn(recorded.batches);
    std::vector<Event> read = eventsIn(all.batches);
    REQUIRE(read.size() < written.size());
    const std::set<Event> known(written.begin(), written.end());
    for (const Event &event : read)
        CHECK(known.count(event) != 0);
    const std::size_t same = static_cast<std::size_t>(
        std::mismatch(written.rbegin(), written.rend(), read.rbegin(), read.rend()).second - read.rbegin());
    CHECK(read.size() - same <= 2 * 16);  // two per coroutine that lived then
}

CT_CASE(theLatestSegmentAloneHasThePresentState)
{
    Recorded recorded(10, 300, forSeconds(8));
    const std::uint32_t last = recorded.segments().back();
    for (const std::uint32_t number : recorded.segments()) {
        if (number != last)
            std::filesystem::remove(recorded.segment(number));
    }
    checkSameLiving(recorded, recorded.segment(last));
}

CT_CASE(manyLivingCoroutinesNeedSeveralBlocks)
{
    Recorded recorded(20'000, 30, forSeconds(8));
    REQUIRE(recorded.segments().size() > 1);
    std::filesystem::remove(recorded.segment(0));
    checkSameLiving(recorded, recorded.segment(recorded.segments().back()));
}

CT_CASE(removesTheOldestSegments)
{
    const Recorded recorded(10, 600, forSeconds(8));
    const Everything all = readAll(recorded.segment(recorded.segments().back()));
    const std::uint64_t end = recorded.batches.back().now;
    std::uint64_t first = end;
    for (const Batch &batch : all.batches)
        first = std::min(first, batch.now);
    CHECK(end - first >= 7 * kSecond);
    CHECK(end - first <= 11 * kSecond);
}

CT_CASE(segmentsStayWithinTheirByteLimit)
{
    TempDir dir;
    const RecordingLimits limits{RecordingLimits::kLeastBytes, 0};
    auto writer = RecordingWriter::open(dir.file("run.ctr"), limits);
    REQUIRE(static_cast<bool>(writer));
    std::mt19937_64 random(7);
    SimulatedProgram program(3);
    std::uint64_t most = 0;
    for (int i = 0; i < 100; ++i) {
        std::string noise(500'000, '\0');
        std::generate(noise.begin(), noise.end(), [&] { return static_cast<char>(random()); });
        (*writer)->addOutput(1, std::move(noise));
        CHECK(static_cast<bool>((*writer)->consume(program.next())));
        std::uint64_t bytes = 0;
        for (const auto &entry : std::filesystem::directory_iterator(dir.path()))
            bytes += entry.file_size();
        most = std::max(most, bytes);
    }
    // One block, of half a megabyte here, may follow after its file has reached the limit.
    CHECK(most > limits.bytes / 2);
    CHECK(most <= limits.bytes + 550'000);
    CHECK(static_cast<bool>((*writer)->finish({})));
}

CT_CASE(readingStartsAtTheNextIntactKeyframe)
{
    const Recorded recorded(10, 300, forSeconds(8));
    const std::uint32_t first = recorded.segments().front();
    std::string content = contentOf(recorded.segment(first));
    for (std::size_t i = 64 + 64; i < 64 + 64 + 600; ++i)  // its first blocks
        content[i] = '\x55';
    putContent(recorded.segment(first), content);
    const Everything all = readAll(recorded.segment(first));
    CHECK(all.error.find(recorded.segment(first) + " is damaged") != std::string::npos);
    Population population;
    for (const Batch &batch : all.batches)
        CHECK(static_cast<bool>(population.consume(batch)));
    CHECK(livingIn(population) == livingIn(recorded.live));
}

CT_CASE(survivesAnyWrongByte)
{
    const Recorded recorded(4, 300, forSeconds(8));
    const std::vector<Event> written = eventsIn(recorded.batches);
    const std::set<Event> known(written.begin(), written.end());
    const std::string path = recorded.segment(recorded.segments().front());
    const std::string content = contentOf(path);
    std::mt19937 random(99);
    for (int i = 0; i < 300; ++i) {
        std::string changed = content;
        changed[random() % changed.size()] ^= static_cast<char>(1U << random() % 8);
        if (i % 3 == 0)
            changed.resize(random() % changed.size());
        putContent(path, changed);
        const Everything all = readAll(path);
        Population population;
        for (const Batch &batch : all.batches)
            CHECK(static_cast<bool>(population.consume(batch)));
        for (const Event &event : eventsIn(all.batches))
            CHECK(known.count(event) != 0);
    }
}

CT_CASE(ignoresSegmentsOfAnotherRecording)
{
    const Recorded one(10, 150, forSeconds(16));
    const Recorded other(10, 150, forSeconds(16));
    std::filesystem::copy_file(other.segment(3), one.segment(3), std::filesystem::copy_options::overwrite_existing);
    CHECK_EQUAL(ctr::segmentsAround(one.segment(1)).size(), 3U);
    CHECK_EQUAL(ctr::segmentsAround(one.segment(3)).size(), 1U);
    CHECK_EQUAL(ctr::segmentsAround(one.dir.file("run.1.txt")).size(), 1U);
    CHECK_EQUAL(ctr::segmentPath("/a/b.c/run.ctr", 7), "/a/b.c/run.7.ctr");
}

/// The files before it are read, and the error says that there is more.
CT_CASE(reportsADamagedHead)
{
    const Recorded recorded(10, 150, forSeconds(16));
    REQUIRE(recorded.segments().size() > 4);
    std::string content = contentOf(recorded.segment(3));
    content[20] = static_cast<char>(content[20] + 1);
    putContent(recorded.segment(3), content);
    const Everything all = readAll(recorded.segment(0));
    CHECK(all.error.find(recorded.segment(3)) != std::string::npos);
    CHECK(!all.batches.empty());
    CHECK(all.batches.size() < recorded.batches.size());
}

/// The name of the next file would be too long for the system.
CT_CASE(longestNameIsTheLastSegment)
{
    const TempDir dir;
    const std::string last = dir.file(std::string(249, 'a') + ".9.ctr");
    auto identity = ctr::BlockWriter::newIdentity();
    identity.segment = 9;
    const auto writer = ctr::BlockWriter::open(last, identity);
    REQUIRE(static_cast<bool>(writer));
    CHECK(static_cast<bool>((*writer)->finish()));
    CHECK(ctr::segmentsAround(last) == std::vector{last});
}

CT_CASE(refusesImpossibleLimits)
{
    TempDir dir;
    const auto small = RecordingWriter::open(dir.file("run.ctr"), {1000, 0});
    REQUIRE(!small);
    CHECK(small.error().message.find("16 MiB") != std::string::npos);
    CHECK(!RecordingWriter::open("-", forSeconds(1)));
}

CT_CASE(aKeyframeHasWhatDiagnosisNeeds)
{
    ctr::PresentState state;
    Batch batch;
    batch.births = {jsonltest::birth(0, 1), jsonltest::birth(1, 2)};
    batch.notes.parents = {{1, 0}};
    batch.notes.waits = {{1, 3, WaitKind::Lock, 7, kNoCoroutine, 1}, {1, 3, WaitKind::Timer, 9, kNoCoroutine, 3}};
    batch.notes.wakersLeft = {{1, 4, 2, 100}, {1, 4, 0, 101}};
    batch.notes.finishes = {{0, 102, 0}};
    const auto use = [](CoroutineId by, UseKind kind, std::uint64_t object, std::uint64_t ts) {
        return Use{by, 1, kind, object, 0, ts, 5, 6};
    };
    batch.notes.uses = {use(0, UseKind::Acquired, 7, 1),  use(0, UseKind::Acquired, 8, 2),
                        use(0, UseKind::Acquired, 7, 3),  use(0, UseKind::Released, 7, 4),
                        use(0, UseKind::Signalled, 9, 5), use(kNoCoroutine, UseKind::Acquired, 9, 6),
                        use(1, UseKind::Acquired, 9, 7),  use(1, UseKind::Released, 9, 8)};
    state.consume(batch);
    const Notes notes = state.keyframe().notes;
    CHECK(notes.parents.size() == 1 && notes.parents[0].parent == 0);
    REQUIRE(notes.waits.size() == 2);
    CHECK(notes.waits[0].object == 7 && notes.waits[1].object == 9);
    CHECK(notes.wakersLeft.size() == 1 && notes.wakersLeft[0].count == 0);
    CHECK(notes.finishes.size() == 1 && notes.finishes[0].ts == 102);
    // Released in reverse: the object 7 was acquired twice. A thread holds the object 9.
    REQUIRE(notes.uses.size() == 3);
    CHECK(notes.uses[0].ts == 1 && notes.uses[1].ts == 2 && notes.uses[2].ts == 6);

    Batch later;
    // The lanes of several threads come in any order.
    later.notes.waits = {{1, 5, WaitKind::Channel, 1}, {1, 4, WaitKind::Lock, 2}};
    later.notes.wakes = {{1, kNoCoroutine, 6, 190, 5, 6}, {1, kNoCoroutine, 5, 180, 5, 6}};
    later.deaths = {{0, 200}};
    state.consume(later);
    const Notes after = state.keyframe().notes;
    CHECK(after.waits.size() == 1 && after.waits[0].kind == WaitKind::Channel);
    CHECK(after.wakes.size() == 1 && after.wakes[0].n == 6);
    CHECK(after.finishes.empty());
    REQUIRE(after.uses.size() == 3);  // what a dead coroutine has not released is still acquired
    for (const Use &acquisition : after.uses)
        CHECK_EQUAL(acquisition.by, kNoCoroutine);

    later.clear();
    later.notes.uses = {use(1, UseKind::Released, 7, 8)};  // a semaphore, released by another coroutine
    state.consume(later);
    CHECK_EQUAL(state.keyframe().notes.uses.size(), 2U);
}

CT_CASE(aKeyframeHasTheLatestSamples)
{
    ctr::PresentState state;
    Batch batch;
    batch.notes.threadSamples = {{5, 50, 1, ThreadState::Running}, {5, 51, 1, ThreadState::Sleeping}};
    batch.notes.descriptorSamples = {{5, 8, 7, 1, DescriptorKind::Timer}, {5, 9, 7, 1, DescriptorKind::Event}};
    batch.notes.processSamples = {{5, 1, 1, 2}, {6, 1, 1, 1}};
    state.consume(batch);
    batch.clear();
    batch.notes.threadSamples = {{5, 50, 2, ThreadState::Stopped}, {5, 51, 2, ThreadState::Ended}};
    batch.notes.descriptorSamples = {{5, 8, 7, 2, DescriptorKind::Socket}, {5, 9, 7, 2, DescriptorKind::Removed}};
    batch.notes.processSamples = {{5, 2, 2, 1, 1}};
    state.consume(batch);
    Notes notes = state.keyframe().notes;
    REQUIRE(notes.threadSamples.size() == 1 && notes.descriptorSamples.size() == 1);
    CHECK(notes.threadSamples[0].tid == 50 && notes.threadSamples[0].state == ThreadState::Stopped);
    CHECK(notes.descriptorSamples[0].descriptor == 8 && notes.descriptorSamples[0].ts == 2);
    REQUIRE(notes.processSamples.size() == 2);
    CHECK_EQUAL(notes.processSamples[0].stoppedSince, 1U);

    state.removeProcesses({6});
    batch.clear();
    batch.notes.processSamples = {{5, 3, 3, 0}};  // it has ended
    state.consume(batch);
    notes = state.keyframe().notes;
    CHECK(!notes.hasSamples());
}

/// A reader that begins at a keyframe numbers the living coroutines first.
CT_CASE(usersOfObjectsGetTheirNewNumbers)
{
    ctr::Renumbering renumbering;
    renumbering.setStart({5, 9}, 10);
    Batch batch;
    for (const CoroutineId by : {CoroutineId{5}, CoroutineId{9}, CoroutineId{7}, CoroutineId{12}, kNoCoroutine})
        batch.notes.uses.push_back({by, 1, UseKind::Acquired, 1, 0, 1, 5, 6});
    renumbering.apply(batch);
    std::vector<CoroutineId> users;
    for (const Use &use : batch.notes.uses)
        users.push_back(use.by);
    CHECK(users == (std::vector<CoroutineId>{0, 1, kNoCoroutine, 4, kNoCoroutine}));  // 7 had died
}

/// The record of the first object may have found no room in its lane.
CT_CASE(aWaitKeepsItsOwnObjectsOnly)
{
    ctr::PresentState state;
    Batch batch;
    batch.births = {jsonltest::birth(0, 1)};
    batch.notes.waits = {{0, 1, WaitKind::Lock, 7, kNoCoroutine, 1}, {0, 3, WaitKind::Timer, 9, kNoCoroutine, 3}};
    state.consume(batch);
    std::vector<WaitsOn> waits = state.keyframe().notes.waits;
    REQUIRE(waits.size() == 1);
    CHECK_EQUAL(waits[0].n, 3U);

    Batch many;
    for (std::uint32_t i = 0; i < 1000; ++i)
        many.notes.waits.push_back({0, 5, WaitKind::Lock, i, kNoCoroutine, 2 * i + 1});
    state.consume(many);
    CHECK_EQUAL(state.keyframe().notes.waits.size(), 256U);
}

CT_CASE(onlyTheLatestAcquisitionsAreKept)
{
    ctr::PresentState state;
    Batch batch;
    batch.births = {jsonltest::birth(0, 1)};
    for (std::uint64_t i = 0; i < 1000; ++i)
        batch.notes.uses.push_back({0, 1, UseKind::Acquired, 7, 0, i, 5, 6});
    state.consume(batch);
    std::vector<Use> uses = state.keyframe().notes.uses;
    REQUIRE(uses.size() == Acquisitions::kMostHolders);
    CHECK(uses.front().ts == 744 && uses.back().ts == 999);

    batch.notes.uses.clear();
    for (std::uint64_t i = 1000; i < 200'000; ++i)
        batch.notes.uses.push_back({0, 1, UseKind::Acquired, i, 0, i, 5, 6});
    state.consume(batch);
    uses = state.keyframe().notes.uses;
    CHECK(uses.size() > Acquisitions::kMost / 2 && uses.size() <= Acquisitions::kMost);
    CHECK_EQUAL(uses.front().ts + uses.size(), 200'000U);
}

CT_CASE(aReusedPidEndsWithItsLastProcess)
{
    ctr::PresentState state;
    processStarts(state, 5, 1);
    processEnds(state, 5, 2);
    timePasses(state, 12);
    CHECK(state.endedProcesses().empty());  // its latest events may be a little later
    timePasses(state, 13);
    CHECK(state.endedProcesses() == std::set<std::uint32_t>{5});
    processStarts(state, 5, 100);
    timePasses(state, 150);
    CHECK(state.endedProcesses().empty());
    processEnds(state, 5, 200);
    CHECK(state.endedProcesses().empty());
    timePasses(state, 211);
    CHECK(state.endedProcesses() == std::set<std::uint32_t>{5});
}

/// After exec, the process is emitted again. It ends once.
CT_CASE(aProcessThatCalledExecEndsOnce)
{
    ctr::PresentState state;
    processStarts(state, 7, 1);
    processStarts(state, 7, 2);
    timePasses(state, 50);
    CHECK(state.endedProcesses().empty());
    processEnds(state, 7, 60);
    timePasses(state, 71);
    CHECK(state.endedProcesses() == std::set<std::uint32_t>{7});
}
