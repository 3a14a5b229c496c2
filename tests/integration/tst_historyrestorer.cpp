// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A request for evicted events restores them from the recording. Events that cannot be restored are reported.
#include "core/playback/fileloader.h"
#include "core/playback/historyrestorer.h"
#include "core/recording/library/openrecording.h"
#include "tests/unit/historytest.h"
#include "tests/unit/recordingtest.h"

#include <chrono>
#include <filesystem>
#include <thread>

using namespace recordingtest;
using ct::test::feed;

namespace {

using namespace std::chrono_literals;

constexpr CoroutineId kCoroutines = 20;
constexpr std::uint64_t kRestored = 4U << 20;  ///< four slabs
constexpr std::uint64_t kBegin = 1'000'000'000;
constexpr std::uint64_t kStep = 100;        ///< ns between events
constexpr std::uint64_t kEvents = 800'000;  ///< three times the capacity of the smallest budget

std::uint64_t timeOf(std::uint64_t place)
{
    return kBegin + place * kStep;
}

/// Replays the whole stream in batches. `turn` shifts the coroutines, so runs of the same shape differ.
template <class Take>
void play(Take &&take, CoroutineId turn = 0)
{
    Batch batch;
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back(ct::test::birth(id));
    for (std::uint64_t place = 0; place < kEvents; ++place) {
        const auto id = static_cast<CoroutineId>((place + turn) % kCoroutines);
        batch.transitions.push_back(ct::test::transition(id, place / kCoroutines, timeOf(place)));
        if (batch.transitions.size() < 8000 && place + 1 < kEvents)
            continue;
        batch.now = timeOf(place);
        take(batch);
        batch.clear();
    }
}

template <class Condition>
bool waitFor(Condition &&condition)
{
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!condition() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(2ms);
    return condition();
}

/// A run longer than memory, and the restorer of its evicted events.
struct Run {
    TempDir dir;
    std::shared_ptr<StreamIndex> places = std::make_shared<StreamIndex>();
    std::shared_ptr<History> history = std::make_shared<History>(ct::test::kSmallest, 0, kCoroutines, kRestored);
    HistoryRestorer recall{history, places};

    Run()
    {
        play([&](const Batch &batch) { feed(*history, batch); });
        REQUIRE(history->droppedEvents() > 300'000);
    }
    std::string path() const { return dir.file("run.ctr"); }
    void record(CoroutineId turn = 0)
    {
        const auto writer = RecordingWriter::open(path());
        REQUIRE(static_cast<bool>(writer));
        (*writer)->setStreamIndex(places);
        play([&](const Batch &batch) { CHECK(static_cast<bool>((*writer)->consume(batch))); }, turn);
        CHECK(static_cast<bool>((*writer)->finish({})));
    }
    void look(std::uint64_t place) { recall.look(timeOf(place), timeOf(place) + 1000 * kStep); }
    bool isHere(std::uint64_t place) const { return history->isInMemory(timeOf(place), timeOf(place) + 1000 * kStep); }
};

}  // namespace

CT_CASE(whatIsLookedAtComesBack)
{
    Run run;
    run.record();
    run.look(200'000);
    CHECK(waitFor([&] { return run.isHere(200'000) && !run.recall.isBusy(); }));
    CHECK_EQUAL(run.recall.lostPieces(), 0U);
    CHECK(!run.isHere(20'000));
}

CT_CASE(theLatestLookCounts)
{
    Run run;
    run.record();
    for (const std::uint64_t place : {10'000, 100'000, 200'000, 20'000})
        run.look(place);
    CHECK(waitFor([&] { return run.isHere(20'000) && !run.recall.isBusy(); }));
    CHECK_EQUAL(run.recall.lostPieces(), 0U);
}

CT_CASE(whatIsNotInTheFileYetIsWaitedFor)
{
    Run run;
    run.look(20'000);
    std::this_thread::sleep_for(20ms);
    CHECK(run.recall.isBusy());
    CHECK_EQUAL(run.recall.lostPieces(), 0U);
    run.record();
    CHECK(waitFor([&] { return run.isHere(20'000) && !run.recall.isBusy(); }));
    CHECK_EQUAL(run.recall.lostPieces(), 0U);
}

CT_CASE(whatIsNoLongerWrittenIsNotWaitedFor)
{
    Run run;
    run.look(20'000);
    run.places->close();
    CHECK(waitFor([&] { return run.recall.lostPieces() > 0 && !run.recall.isBusy(); }));
    CHECK(!run.isHere(20'000));
}

CT_CASE(lostIsOfWhatIsLookedAt)
{
    Run run;
    run.record();
    std::string content = contentOf(run.path());
    content[run.places->find(20'000)->offset + 100] ^= 0x10;
    putContent(run.path(), content);
    run.look(20'000);
    CHECK(waitFor([&] { return run.recall.lostPieces() > 0 && !run.recall.isBusy(); }));
    run.look(250'000);
    CHECK_EQUAL(run.recall.lostPieces(), 0U);
    CHECK(waitFor([&] { return run.isHere(250'000) && !run.recall.isBusy(); }));
    CHECK_EQUAL(run.recall.lostPieces(), 0U);
    // Back to the damaged block, after a range that is in memory.
    run.look(kEvents - 2000);
    run.look(20'000);
    CHECK(waitFor([&] { return run.recall.lostPieces() > 0 && !run.recall.isBusy(); }));
}

CT_CASE(whatMemoryRefusesIsLost)
{
    Run run;
    // The recording has events of other coroutines, which do not fit the evicted slab.
    auto writer = RecordingWriter::open(run.path());
    REQUIRE(static_cast<bool>(writer));
    (*writer)->setStreamIndex(run.places);
    play([&](Batch batch) {
        for (Transition &event : batch.transitions)
            event.coroutine += kCoroutines;
        for (Birth &birth : batch.births)
            birth.coroutine += kCoroutines;
        CHECK(static_cast<bool>((*writer)->consume(batch)));
    });
    CHECK(static_cast<bool>((*writer)->finish({})));
    run.look(20'000);
    CHECK(waitFor([&] { return run.recall.lostPieces() > 0 && !run.recall.isBusy(); }));
    CHECK(!run.isHere(20'000));
}

CT_CASE(aWriterThatFailsOrIsGoneEndsIt)
{
    for (const bool fails : {true, false}) {
        const TempDir dir;
        const auto places = std::make_shared<StreamIndex>();
        auto writer = RecordingWriter::open(fails ? "/dev/full" : dir.file("run.ctr"));
        REQUIRE(static_cast<bool>(writer));
        (*writer)->setStreamIndex(places);
        bool consumed = true;
        play([&](const Batch &batch) { consumed = consumed && (*writer)->consume(batch); });
        CHECK_EQUAL(consumed, !fails);
        CHECK_EQUAL(places->isClosed(), fails);
        (*writer).reset();
        CHECK(places->isClosed());
        CHECK_EQUAL(places->end(), fails ? 0 : kEvents);
    }
}

CT_CASE(theEndOfAFileEndsIt)
{
    const TempDir dir;
    putContent(dir.file("broken.ctr"), "no recording");
    for (const char *name : {"broken.ctr", "missing.ctr", "missing.jsonl"}) {
        FileLoader loader(dir.file(name), {});
        CHECK(!loader.places()->isClosed());
        loader.start();
        loader.wait();
        CHECK(loader.places()->isClosed());
    }
    Run run;
    run.record();
    FileLoader loader(run.path(), {});
    loader.start();
    loader.wait();
    CHECK_EQUAL(loader.places()->end(), kEvents);
    CHECK(loader.places()->isClosed());
}

/// A JSONL file cannot be read a second time, so its index is closed at once.
CT_CASE(ofAJsonlFileNothingIsWaitedFor)
{
    const TempDir dir;
    putContent(dir.file("run.jsonl"), "{}\n");
    const auto places = std::make_shared<StreamIndex>();
    const auto opened = openRecording(dir.file("run.jsonl"), places);
    CHECK(static_cast<bool>(opened));
    CHECK(places->isClosed());
}
