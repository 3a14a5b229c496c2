// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Addresses in the events of a run, resolved with a running program and with the content of a recording.
#include "core/addresses/addressresolver.h"
#include "core/addresses/runningframes.h"
#include "core/symbols/symbolizer.h"
#include "tests/core/symbols/runningprogram.h"
#include "tests/support/check.h"

#include <algorithm>
#include <ctime>

using namespace ct;
using made::RunningProgram;
using made::Seen;

namespace {

std::uint64_t monotonicNow()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// A run of a started program. The test makes its events.
struct Run {
    explicit Run(pid_t pid, std::uint32_t said = 0)
    {
        batch.births.push_back({0, 0, 1, said, Dialect::Seqlock, 64, monotonicNow()});
        resolver->setLive(true);
        resolver->setTarget(pid);
    }
    void event(std::uint64_t frame, bool active, std::uint64_t ts)
    {
        batch.transitions.push_back({ts, frame, n, slotSeq(Dialect::Seqlock, n), 0, 7, 0, PointKind::Await, active});
        ++n;
    }
    void commit(std::uint64_t now)
    {
        batch.now = now;
        CHECK(static_cast<bool>(population->consume(batch)));
        CHECK(static_cast<bool>(history->consume(batch)));
        batch.clear();
    }
    AddressResolver::Answer ask() const
    {
        return resolver->resolveOrRequest(AddressResolver::queryOf(population->at(0)));
    }
    /// Waits until the worker has read all requested frames.
    void read() const
    {
        resolver->poll();
        worker->waitUntilIdle();
    }
    /// Moves the time of the stream on, so that all events before the reading count as harvested.
    void advanceStream()
    {
        commit(monotonicNow() + 10 * AddressResolver::kCaptureDelayNs);
        resolver->poll();
    }

    Batch batch;
    std::uint64_t n = 0;
    std::shared_ptr<Population> population = std::make_shared<Population>();
    std::shared_ptr<History> history = std::make_shared<History>(16 << 20);
    std::shared_ptr<SymbolWorker> worker = std::make_shared<SymbolWorker>();
    std::shared_ptr<AddressResolver> resolver = std::make_shared<AddressResolver>(worker, population);
};

/// Returns the first frame that the program prints.
Seen suspendedIn(RunningProgram &program)
{
    const std::vector<Seen> frames = made::framesIn(program.listen());
    REQUIRE(!frames.empty());
    return frames.front();
}

/// A program, and a run that has the suspension of its first coroutine.
struct Suspended {
    explicit Suspended(const char *name) : program(name), seen(suspendedIn(program)), run(program.pid())
    {
        run.event(seen.frame, false, monotonicNow());
        run.commit(monotonicNow());
    }
    RunningProgram program;
    Seen seen;
    Run run;
};

}  // namespace

CT_CASE(resolvesAFrameToFunctionAndLine)
{
    Suspended suspended("coroutines_gxx_o2");
    Run &run = suspended.run;
    CHECK(!run.ask());
    std::vector<FrameLocation> learned;
    run.resolver->addListener([&](const std::vector<FrameLocation> &frames) { learned = frames; });
    run.read();
    CHECK(!run.ask());  // it may have been resumed during the reading
    run.resolver->poll();
    CHECK(learned.empty());
    const std::uint64_t before = run.resolver->generation();
    run.advanceStream();
    CHECK(run.resolver->generation() > before);
    const AddressResolver::Answer answer = run.ask();
    REQUIRE(answer && answer->frames.size() == 1);
    CHECK_EQUAL(answer->frames[0].function, "work::sequence(int)");
    CHECK(answer->module.ends_with("coroutines_gxx_o2"));
    REQUIRE(learned.size() == 1);
    CHECK_EQUAL(learned[0].function, "work::sequence(int)");
    CHECK(learned[0].code != 0 && learned[0].frame == suspended.seen.frame);
#if defined(__x86_64__)
    CHECK_EQUAL(answer->frames[0].line, suspended.seen.line);
    CHECK_EQUAL(learned[0].line, suspended.seen.line);
    CHECK_EQUAL(learned[0].since, run.population->at(0).since);
#endif
    CHECK(run.resolver->problem().empty());

    // For another suspension only the function is known, even after the end of the process.
    suspended.program.end();
    run.event(0, true, monotonicNow());
    run.event(suspended.seen.frame, false, monotonicNow());
    run.advanceStream();
    run.resolver->setLive(false);
    const AddressResolver::Answer later = run.ask();
    REQUIRE(later && later->frames.size() == 1);
    CHECK_EQUAL(later->frames[0].function, "work::sequence(int)");
    CHECK_EQUAL(later->frames[0].line, 0U);
}

/// The final suspension is not traced, as in version-1 targets: the latest event is a resumption.
CT_CASE(findsRunningCoroutinesThatHaveFinished)
{
    RunningProgram program("coroutines_gxx_o2");
    const Seen seen = suspendedIn(program);
    Run run(program.pid());
    std::vector<Finish> finishes;
    run.resolver->setFinishListener([&](const std::vector<Finish> &found) { finishes = found; });
    run.resolver->setReadsAhead(true);
    const std::uint64_t resumed = monotonicNow() - 10 * RunningFrames::kEveryNs;
    run.event(seen.frame, false, resumed - 1);
    run.event(0, true, resumed);
    run.commit(monotonicNow());
    run.read();  // of the process's modules, with the frame
    run.advanceStream();
    run.worker->waitUntilIdle();  // so much time has passed that it reads the frame again
    CHECK(finishes.empty());      // at a suspension point, or running
    for (int round = 0; round < 3; ++round) {
        program.goOn();
        program.listen();
    }
    const std::uint64_t before = monotonicNow();
    run.commit(monotonicNow() + 20 * RunningFrames::kEveryNs);
    run.read();
    CHECK(finishes.empty());  // an event may have been captured since
    run.commit(monotonicNow() + 40 * RunningFrames::kEveryNs);
    run.resolver->poll();
    REQUIRE(finishes.size() == 1);
    CHECK_EQUAL(finishes[0].coroutine, 0U);
    CHECK(finishes[0].ts >= before && finishes[0].ts <= monotonicNow());
}

/// A page of coroutines without frames is not visited again, until one of them changes.
CT_CASE(readsFramesAheadOfRequests)
{
    RunningProgram program("coroutines_gxx_o2");
    const Seen seen = suspendedIn(program);
    Run run(program.pid());
    std::vector<FrameLocation> learned;
    run.resolver->addListener([&](const std::vector<FrameLocation> &frames) { learned = frames; });
    run.resolver->setReadsAhead(true);
    run.commit(monotonicNow());
    run.read();
    run.read();
    CHECK(run.resolver->isIdle());
    run.event(seen.frame, false, monotonicNow());
    run.commit(monotonicNow());
    run.read();
    CHECK(!run.resolver->isIdle());
    run.advanceStream();
    REQUIRE(learned.size() == 1);
    CHECK_EQUAL(learned[0].function, "work::sequence(int)");
}

/// The suspension has ended when its frame is compared with the stream. The history shows that it lasted so long.
CT_CASE(readsLinesOfShortSuspensionsThatTheHistoryProves)
{
    RunningProgram program("coroutines_gxx_o2");
    const Seen seen = suspendedIn(program);
    for (const bool isProven : {true, false}) {
        Run run(program.pid());
        std::vector<FrameLocation> learned;
        run.resolver->addListener([&](const std::vector<FrameLocation> &frames) {
            learned.insert(learned.end(), frames.begin(), frames.end());
        });
        run.resolver->setReadsAhead(true);
        if (isProven)
            run.resolver->setHistory(run.history);
        for (int round = 0; round < 3; ++round) {
            run.event(seen.frame, false, monotonicNow());
            run.commit(monotonicNow());
            run.read();
            CHECK_EQUAL(run.resolver->samplesMany(), isProven);
            run.event(0, true, monotonicNow());
            run.commit(monotonicNow());
        }
        run.event(seen.frame, false, monotonicNow());
        run.advanceStream();
        CHECK(!run.resolver->samplesMany());  // no further suspension comes
        const auto lines = std::count_if(learned.begin(), learned.end(), [](const FrameLocation &frame) {
            return frame.line != 0 && frame.since != 0;
        });
#if defined(__x86_64__)
        CHECK(isProven ? lines >= 2 : lines == 0);
#endif
    }
}

/// In version 1, the end of the body is no event: the resumption is the last one.
CT_CASE(readsLinesOfCoroutinesThatEndAfterTheirResumption)
{
    RunningProgram program("coroutines_gxx_o2");
    const Seen seen = suspendedIn(program);
    for (const bool isProven : {true, false}) {
        Run run(program.pid());
        std::vector<FrameLocation> learned;
        run.resolver->addListener([&](const std::vector<FrameLocation> &frames) { learned = frames; });
        run.resolver->setReadsAhead(true);
        run.resolver->setHistory(run.history);
        run.event(seen.frame, false, monotonicNow());
        run.commit(monotonicNow());
        const std::uint64_t beforeReading = monotonicNow();
        run.read();
        run.event(0, true, isProven ? monotonicNow() : beforeReading);
        run.commit(monotonicNow());
        run.batch.deaths.push_back({0, monotonicNow()});
        run.advanceStream();
        CHECK_EQUAL(learned.size(), isProven ? 1U : 0U);
    }
}

CT_CASE(theFirstRequestAwakensThePoll)
{
    Suspended suspended("coroutines_gxx_o2");
    Run &run = suspended.run;
    int awakened = 0;
    run.resolver->setAwaken([&] { ++awakened; });
    run.ask();
    CHECK_EQUAL(awakened, 1);
    run.ask();
    CHECK_EQUAL(awakened, 1);
    run.read();
    run.resolver->setAwaken({});
}

/// The process was killed, so its stream has ended and no late events can come.
CT_CASE(acceptsTheLastReadingAtTheEnd)
{
    Suspended suspended("coroutines_gxx_o2");
    Run &run = suspended.run;
    run.ask();
    run.read();
    run.resolver->stopReading();
    suspended.program.end();
    run.commit(monotonicNow());
    run.resolver->poll();
    CHECK(!run.resolver->known(AddressResolver::queryOf(run.population->at(0))));
    std::size_t judged = 0;
    std::size_t recorded = 0;
    run.resolver->addListener([&](const std::vector<FrameLocation> &frames) { judged += frames.size(); });
    run.resolver->addListener([&](const std::vector<FrameLocation> &frames) { recorded += frames.size(); }, true);
    const std::vector<FrameLocation> learned = run.resolver->compareRest();
    REQUIRE(learned.size() == 1);
    CHECK_EQUAL(learned[0].function, "work::sequence(int)");
    CHECK_EQUAL(judged, 1U);
    CHECK_EQUAL(recorded, 0U);  // the recording has them as the result
    run.resolver->setLive(false);
    run.resolver->poll();
    const AddressResolver::Answer answer = run.ask();
    REQUIRE(answer && answer->frames.size() == 1);
    CHECK_EQUAL(answer->frames[0].function, "work::sequence(int)");
    CHECK(run.resolver->compareRest().empty());
}

/// A live export writes its addresses between the end of the reading and the end of the run.
CT_CASE(saysWhyAFrameStaysUnknownOnceTheReadingHasEnded)
{
    for (const pid_t pid : {0, 1}) {
        Run run(pid);
        run.event(0x1000, false, monotonicNow());
        run.commit(monotonicNow());
        run.resolver->stopReading();
        const AddressResolver::Answer answer = run.resolver->known(AddressResolver::queryOf(run.population->at(0)));
        REQUIRE(answer != nullptr);
        CHECK(answer->remedy.starts_with(pid == 0 ? "the process of this address is unknown: it was not found"
                                                  : "the location in this coroutine frame is unknown"));
    }
}

/// The coroutine may have been resumed after the end of the stream.
CT_CASE(ignoresReadingsAfterTheEnd)
{
    Suspended suspended("coroutines_gxx_o2");
    Run &run = suspended.run;
    run.ask();
    run.resolver->stopReading();
    run.read();
    CHECK(run.resolver->compareRest().empty());
    run.resolver->setLive(false);
    run.resolver->poll();
    const AddressResolver::Answer answer = run.ask();
    CHECK(answer && answer->frames.empty());
}

CT_CASE(aCoroutineResumedDuringTheReadingHasNoLine)
{
    Suspended suspended("coroutines_gxx_o2");
    Run &run = suspended.run;
    const std::uint64_t first = run.population->at(0).since;
    run.ask();
    // These events happen before the reading, and are harvested after it.
    run.event(0, true, monotonicNow());
    run.event(suspended.seen.frame, false, monotonicNow());
    run.read();
    run.advanceStream();
    const AddressResolver::Answer answer = run.resolver->known(AddressResolver::queryOf(run.population->at(0)));
    REQUIRE(answer && answer->frames.size() == 1);
    CHECK_EQUAL(answer->frames[0].function, "work::sequence(int)");
    CHECK_EQUAL(answer->frames[0].line, 0U);
    // The reading may show the later suspension, so it gives no line for the requested one.
    const AddressResolver::Answer before = run.resolver->known({0, 0, suspended.seen.frame, first, false});
    REQUIRE(before && before->frames.size() == 1);
    CHECK_EQUAL(before->frames[0].line, 0U);
}

CT_CASE(destroyedCoroutinesHaveNoLocation)
{
    Suspended suspended("coroutines_gxx_o2");
    Run &run = suspended.run;
    run.ask();
    const std::uint64_t death = monotonicNow();
    run.read();
    run.batch.deaths.push_back({0, death});
    run.advanceStream();
    const AddressResolver::Answer answer = run.resolver->known(AddressResolver::queryOf(run.population->at(0)));
    CHECK(!answer || answer->frames.empty());
}

CT_CASE(unresolvableFramesHaveARemedy)
{
    Suspended suspended("coroutines_stripped");
    Run &run = suspended.run;
    run.ask();
    run.read();
    run.advanceStream();
    const AddressResolver::Answer answer = run.ask();
    REQUIRE(answer);
    CHECK(answer->frames.empty());
    CHECK(answer->remedy.find("-g") != std::string::npos || answer->remedy.find("without -s") != std::string::npos);
    CHECK_EQUAL(run.resolver->problem(), answer->remedy);
    // The frame is not read again and again: this suspension was already requested.
    run.worker->waitUntilIdle();
    CHECK(run.resolver->isIdle());
}

CT_CASE(resolvesCodeAddresses)
{
    RunningProgram program("gxx_o2");
    program.listen();
    const made::ProgramRun ran = made::run("gxx_o2");
    REQUIRE(ran.ran);
    const std::uint64_t address = ran.locations.at("hidden").address;
    Run run(1, 4711);
    RecordingInfo info;
    info.processes.push_back({4711, "gxx_o2", {ran.modules.modules().begin(), ran.modules.modules().end()}});
    run.resolver->setLive(false);
    run.resolver->addInfo(info);
    run.event(address, false, monotonicNow());
    run.commit(monotonicNow());
    CHECK(!run.ask());
    run.worker->waitUntilIdle();
    const AddressResolver::Answer answer = run.ask();
    REQUIRE(answer && !answer->frames.empty());
    CHECK_EQUAL(answer->frames.back().function, "(anonymous namespace)::hidden(int)");
}

CT_CASE(usesTheFrameLocationsOfTheRecording)
{
    Run run(0);
    run.resolver->setLive(false);
    const std::uint64_t since = monotonicNow();
    run.event(0x1000, false, since);
    run.commit(since);
    const AddressResolver::Answer nothing = run.ask();
    REQUIRE(nothing);
    CHECK(nothing->frames.empty() && !nothing->remedy.empty());
    RecordingInfo info;
    info.processes.push_back({1, "/bin/sh", {}});
    info.processes.push_back({2, "/bin/server", {{"/bin/server", 0x40'0000, 0x50'0000, 0, "abcdef"}}});
    info.target = 2;
    run.resolver->addInfo(info);
    std::vector<FrameLocation> learned;
    run.resolver->addListener([&](const std::vector<FrameLocation> &frames) { learned = frames; });
    run.resolver->addFrames({{0, 0x1000, since, 0x40'1000, 12, 3, "/src/server.cpp", "serve(int)"}});
    CHECK_EQUAL(learned.size(), 1U);
    const AddressResolver::Answer answer = run.ask();
    REQUIRE(answer && answer->frames.size() == 1);
    CHECK_EQUAL(answer->frames[0].function, "serve(int)");
    CHECK_EQUAL(answer->frames[0].line, 12U);
    CHECK_EQUAL(answer->module, "/bin/server");
    // A different frame address belongs to another coroutine.
    CHECK(run.resolver->known({0, 0, 0x2000, since, true})->frames.empty());
    CHECK_EQUAL(run.resolver->lineSince({0, 0, 0x1000, 0, false}), since);
}

CT_CASE(servesTheLatestRequestsFirst)
{
    RunningProgram program("coroutines_gxx_o2");
    const Seen seen = suspendedIn(program);
    Run run(program.pid());
    for (CoroutineId id = 1; id < 20'000; ++id)
        run.batch.births.push_back({id, id, 1, 0, Dialect::Seqlock, 64, monotonicNow()});
    for (CoroutineId id = 0; id < 20'000; ++id)
        run.batch.transitions.push_back({monotonicNow(), seen.frame, 0, 2, id, 7, 0, PointKind::Await, false});
    run.commit(monotonicNow());
    for (CoroutineId id = 0; id < 20'000; ++id)
        run.resolver->resolveOrRequest(AddressResolver::queryOf(run.population->at(id)));
    // The latest requests are for visible rows. They are served first, a limited number at a time.
    run.read();
    run.advanceStream();
    const auto isKnown = [&](CoroutineId id) {
        const AddressResolver::Answer answer = run.resolver->known(AddressResolver::queryOf(run.population->at(id)));
        return answer && !answer->frames.empty();
    };
    CHECK(isKnown(19'999));
    CHECK(!isKnown(0));
    CHECK(!isKnown(10'000));
}

CT_CASE(knowsLocationsOfCodeFromARecordingWhoseProgramIsMissing)
{
    Run run(0);
    run.resolver->setLive(false);
    run.event(0x40'1010, false, 1000);
    run.event(0x40'1010, true, 1001);
    run.event(0x40'1020, false, 1002);
    run.commit(2000);
    RecordingInfo info;
    info.processes = {{7, "/nowhere/server", {{"/nowhere/server", 0x40'0000, 0x41'0000, 0, "abcd"}}}};
    info.target = 7;
    run.resolver->addInfo(info);
    // Without a suspension, a line belongs to the address. Without a line, the modules say that it is code.
    run.resolver->addFrames(
        {{0, 0x40'1010, 0, 0, 12, 3, "/src/server.cpp", "serve(int)"}, {0, 0x40'1020, 0, 0, 0, 0, "", "accept()"}});
    const auto answerAt = [&run](std::uint64_t addr) {
        const AddressResolver::Query query{0, 0, addr, 1000, false};
        static_cast<void>(run.resolver->resolveOrRequest(query));
        run.worker->waitUntilIdle();
        return run.resolver->known(query);
    };
    const AddressResolver::Answer first = answerAt(0x40'1010);
    REQUIRE(first && first->frames.size() == 1);
    CHECK_EQUAL(first->frames[0].function, "serve(int)");
    CHECK_EQUAL(first->frames[0].line, 12U);
    const AddressResolver::Answer second = answerAt(0x40'1020);
    REQUIRE(second && second->frames.size() == 1);
    CHECK_EQUAL(second->frames[0].function, "accept()");
    CHECK_EQUAL(run.resolver->processes().size(), std::size_t(1));
    CHECK(run.resolver->processes() == (std::vector<RecordingInfo::Process>{{7, {}, info.processes[0].modules}}));
}
