// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A request for evicted events restores them from the recording. Events that cannot be restored are reported.
#include "core/playback/fileloader.h"
#include "core/playback/historyrestorer.h"
#include "core/recording/library/openrecording.h"
#include "tests/core/recording/recordingtest.h"
#include "tests/core/trace/historytest.h"

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

std::uint64_t timeOf(std::uint64_t number)
{
    return kBegin + number * kStep;
}

/// Replays the whole stream in batches. `turn` shifts the coroutines, so runs of the same shape differ.
template <class Consume>
void play(Consume &&consumeBatch, CoroutineId turn = 0)
{
    Batch batch;
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back(ct::test::birth(id));
    for (std::uint64_t number = 0; number < kEvents; ++number) {
        const auto id = static_cast<CoroutineId>((number + turn) % kCoroutines);
        batch.transitions.push_back(ct::test::transition(id, number / kCoroutines, timeOf(number)));
        if (batch.transitions.size() < 8000 && number + 1 < kEvents)
            continue;
        batch.now = timeOf(number);
        consumeBatch(batch);
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
    std::shared_ptr<StreamIndex> streamIndex = std::make_shared<StreamIndex>();
    std::shared_ptr<History> history = std::make_shared<History>(ct::test::kSmallest, 0, kCoroutines, kRestored);
    HistoryRestorer restorer{history, streamIndex};

    Run()
    {
        play([&](const Batch &batch) { feed(*history, batch); });
        REQUIRE(history->evictedEvents() > 300'000);
    }
    std::string path() const { return dir.file("run.ctr"); }
    void record(CoroutineId turn = 0)
    {
        const auto writer = RecordingWriter::open(path());
        REQUIRE(static_cast<bool>(writer));
        (*writer)->setStreamIndex(streamIndex);
        play([&](const Batch &batch) { CHECK(static_cast<bool>((*writer)->consume(batch))); }, turn);
        CHECK(static_cast<bool>((*writer)->finish({})));
    }
    void request(std::uint64_t number) { restorer.request(timeOf(number), timeOf(number) + 1000 * kStep); }
    bool isRestored(std::uint64_t number) const
    {
        return history->isInMemory(timeOf(number), timeOf(number) + 1000 * kStep);
    }
};

}  // namespace

CT_CASE(restoresTheRequestedRange)
{
    Run run;
    run.record();
    run.request(200'000);
    CHECK(waitFor([&] { return run.isRestored(200'000) && !run.restorer.isBusy(); }));
    CHECK_EQUAL(run.restorer.lostPieces(), 0U);
    CHECK(!run.isRestored(20'000));
}

CT_CASE(theLatestRequestCounts)
{
    Run run;
    run.record();
    for (const std::uint64_t number : {10'000, 100'000, 200'000, 20'000})
        run.request(number);
    CHECK(waitFor([&] { return run.isRestored(20'000) && !run.restorer.isBusy(); }));
    CHECK_EQUAL(run.restorer.lostPieces(), 0U);
}

CT_CASE(waitsForEventsNotYetWritten)
{
    Run run;
    run.request(20'000);
    std::this_thread::sleep_for(20ms);
    CHECK(run.restorer.isBusy());
    CHECK_EQUAL(run.restorer.lostPieces(), 0U);
    run.record();
    CHECK(waitFor([&] { return run.isRestored(20'000) && !run.restorer.isBusy(); }));
    CHECK_EQUAL(run.restorer.lostPieces(), 0U);
}

CT_CASE(closedIndexEndsTheWait)
{
    Run run;
    run.request(20'000);
    run.streamIndex->close();
    CHECK(waitFor([&] { return run.restorer.lostPieces() > 0 && !run.restorer.isBusy(); }));
    CHECK(!run.isRestored(20'000));
}

CT_CASE(lossesAreThoseOfTheRequest)
{
    Run run;
    run.record();
    std::string content = contentOf(run.path());
    content[run.streamIndex->blockAt(20'000)->offset + 100] ^= 0x10;
    putContent(run.path(), content);
    run.request(20'000);
    CHECK(waitFor([&] { return run.restorer.lostPieces() > 0 && !run.restorer.isBusy(); }));
    run.request(250'000);
    CHECK_EQUAL(run.restorer.lostPieces(), 0U);
    CHECK(waitFor([&] { return run.isRestored(250'000) && !run.restorer.isBusy(); }));
    CHECK_EQUAL(run.restorer.lostPieces(), 0U);
    // Back to the damaged block, after a range that is in memory.
    run.request(kEvents - 2000);
    run.request(20'000);
    CHECK(waitFor([&] { return run.restorer.lostPieces() > 0 && !run.restorer.isBusy(); }));
}

CT_CASE(foreignEventsCountAsLost)
{
    Run run;
    // The recording has events of other coroutines, which do not fit the evicted slab.
    auto writer = RecordingWriter::open(run.path());
    REQUIRE(static_cast<bool>(writer));
    (*writer)->setStreamIndex(run.streamIndex);
    play([&](Batch batch) {
        for (Transition &event : batch.transitions)
            event.coroutine += kCoroutines;
        for (Birth &birth : batch.births)
            birth.coroutine += kCoroutines;
        CHECK(static_cast<bool>((*writer)->consume(batch)));
    });
    CHECK(static_cast<bool>((*writer)->finish({})));
    run.request(20'000);
    CHECK(waitFor([&] { return run.restorer.lostPieces() > 0 && !run.restorer.isBusy(); }));
    CHECK(!run.isRestored(20'000));
}

CT_CASE(aWriterThatFailsOrEndsClosesTheIndex)
{
    for (const bool fails : {true, false}) {
        const TempDir dir;
        const auto streamIndex = std::make_shared<StreamIndex>();
        auto writer = RecordingWriter::open(fails ? "/dev/full" : dir.file("run.ctr"));
        REQUIRE(static_cast<bool>(writer));
        (*writer)->setStreamIndex(streamIndex);
        bool consumed = true;
        play([&](const Batch &batch) { consumed = consumed && (*writer)->consume(batch); });
        CHECK_EQUAL(consumed, !fails);
        CHECK_EQUAL(streamIndex->isClosed(), fails);
        (*writer).reset();
        CHECK(streamIndex->isClosed());
        CHECK_EQUAL(streamIndex->endPosition(), fails ? 0 : kEvents);
    }
}

CT_CASE(theEndOfAFileClosesTheIndex)
{
    const TempDir dir;
    putContent(dir.file("broken.ctr"), "no recording");
    for (const char *name : {"broken.ctr", "missing.ctr", "missing.jsonl"}) {
        FileLoader loader(dir.file(name), {});
        CHECK(!loader.streamIndex()->isClosed());
        loader.start();
        loader.wait();
        CHECK(loader.streamIndex()->isClosed());
    }
    Run run;
    run.record();
    FileLoader loader(run.path(), {});
    loader.start();
    loader.wait();
    CHECK_EQUAL(loader.streamIndex()->endPosition(), kEvents);
    CHECK(loader.streamIndex()->isClosed());
}

/// A JSONL file cannot be read a second time, so its index is closed at once.
CT_CASE(theIndexOfAJsonlFileIsClosed)
{
    const TempDir dir;
    putContent(dir.file("run.jsonl"), "{}\n");
    const auto streamIndex = std::make_shared<StreamIndex>();
    const auto opened = openRecording(dir.file("run.jsonl"), streamIndex);
    CHECK(static_cast<bool>(opened));
    CHECK(streamIndex->isClosed());
}
