// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Frame locations are written into a recording and read from it.
#include "core/recording/read/segments.h"
#include "tests/core/recording/recordingtest.h"

#include <filesystem>

using namespace recordingtest;

namespace {

FrameLocation locationOf(CoroutineId id, std::uint32_t line)
{
    return {id,
            0x7f00'0000'1000 + std::uint64_t{id} * 64,
            1'000'000 + id,
            0x40'1000,
            line,
            line == 0 ? 0U : 7U,
            line ? "/src/a.cpp" : "",
            "work::step(int) #" + std::to_string(id)};
}

Batch births(CoroutineId first, CoroutineId count, std::uint64_t now)
{
    Batch batch;
    for (CoroutineId id = first; id < first + count; ++id) {
        batch.births.push_back({id, id, 1, 0, Dialect::Seqlock, id + 1, now});
        batch.transitions.push_back(
            {now, 0x7f00'0000'1000 + std::uint64_t{id} * 64, 0, 2, id, 5, 0, PointKind::Await, false});
    }
    batch.now = now;
    return batch;
}

std::vector<FrameLocation> framesIn(const std::string &path)
{
    std::vector<FrameLocation> frames;
    auto reader = RecordingReader::open(path);
    REQUIRE(static_cast<bool>(reader));
    Batch batch;
    bool more = true;
    while (more) {
        const Result<bool> next = (*reader)->next(batch);
        more = next && *next;
        FileFacts facts;
        if ((*reader)->takeFacts(facts))
            frames.insert(frames.end(), facts.frames.begin(), facts.frames.end());
    }
    return frames;
}

/// Six of ten coroutines live when the first file is removed. `ahead`: frames are added before their births.
void checkLaterFile(bool ahead)
{
    const TempDir dir;
    const std::string path = dir.file("r.ctr");
    RecordingLimits limits;
    limits.bytes = RecordingLimits::kLeastBytes;
    auto to = RecordingWriter::open(path, limits);
    REQUIRE(static_cast<bool>(to));
    constexpr std::uint64_t kSecond = 1'000'000'000;
    std::vector<FrameLocation> frames;
    for (CoroutineId id = 0; id < 10; ++id)
        frames.push_back(locationOf(id, 12));
    if (ahead)
        (*to)->addFrames(frames);
    REQUIRE(static_cast<bool>((*to)->consume(births(0, 10, kSecond))));
    if (!ahead)
        (*to)->addFrames(frames);
    Batch deaths;
    for (const CoroutineId id : {0U, 1U, 2U, 3U})
        deaths.deaths.push_back({id, 2 * kSecond});
    deaths.now = 2 * kSecond;
    REQUIRE(static_cast<bool>((*to)->consume(deaths)));
    // Until the first file is removed.
    std::uint64_t now = 3 * kSecond;
    std::mt19937_64 numbers(1);
    for (std::uint64_t n = 1; std::filesystem::exists(ctr::segmentPath(path, 0)) && now < 4000 * kSecond;
         now += kSecond) {
        Batch batch;
        for (int i = 0; i < 2000; ++i, ++n)
            batch.transitions.push_back({now + static_cast<std::uint64_t>(i), numbers(), n, (n / 8 + 1) * 2, 9,
                                         static_cast<std::uint32_t>(numbers()), 0, PointKind::Await, n % 2 == 1});
        batch.now = now;
        REQUIRE(static_cast<bool>((*to)->consume(batch)));
    }
    REQUIRE(static_cast<bool>((*to)->finish({})));
    REQUIRE(!std::filesystem::exists(ctr::segmentPath(path, 0)));
    std::uint32_t segment = 1;
    while (!std::filesystem::exists(ctr::segmentPath(path, segment)))
        ++segment;
    const std::vector<FrameLocation> again = framesIn(ctr::segmentPath(path, segment));
    // The six living ones get new numbers. Each later file repeats them.
    REQUIRE(again.size() >= 6 && again.size() % 6 == 0);
    for (std::size_t i = 0; i < again.size(); ++i) {
        CHECK_EQUAL(again[i].coroutine, static_cast<CoroutineId>(i % 6));
        CHECK_EQUAL(again[i].function, locationOf(static_cast<CoroutineId>(4 + i % 6), 12).function);
    }
}

constexpr std::uint64_t kOneSecond = 1'000'000'000;

/// A recording with a file per second of the stream.
std::shared_ptr<RecordingWriter> rotatingWriter(const std::string &path)
{
    auto made = RecordingWriter::open(path, {0, 8 * kOneSecond});
    REQUIRE(static_cast<bool>(made));
    return *made;
}

/// An event of the first coroutine.
Batch eventAt(std::uint64_t now)
{
    Batch batch;
    batch.transitions.push_back({now, 0x7f00'0000'1000, now / kOneSecond, 2, 0, 5, 0, PointKind::Await, false});
    batch.now = now;
    return batch;
}

}  // namespace

CT_CASE(framesRoundTrip)
{
    const TempDir dir;
    const std::string path = dir.file("a.ctr");
    const std::vector<FrameLocation> first{locationOf(0, 12), locationOf(2, 0)};
    const std::vector<FrameLocation> second{locationOf(0, 14)};
    {
        const auto to = writer(path);
        REQUIRE(static_cast<bool>(to->consume(births(0, 3, 1'000'000))));
        to->addFrames(first);
        REQUIRE(static_cast<bool>(to->consume(births(3, 1, 2'000'000'000))));
        to->addFrames(second);
        REQUIRE(static_cast<bool>(to->finish({})));
    }
    std::vector<FrameLocation> all = first;
    all.insert(all.end(), second.begin(), second.end());
    CHECK(framesIn(path) == all);
    CHECK(readAll(path).error.empty());
}

CT_CASE(aLaterSegmentRepeatsFramesOfLivingCoroutines)
{
    checkLaterFile(false);
    checkLaterFile(true);
}

/// Frames may be resolved before their birth is written. The recording may switch to its next file in between.
CT_CASE(framesBeforeABirthAreInTheSegmentOfTheBirth)
{
    const TempDir dir;
    const std::string path = dir.file("r.ctr");
    const auto to = rotatingWriter(path);
    REQUIRE(static_cast<bool>(to->consume(births(0, 2, kOneSecond))));
    to->addFrames({locationOf(0, 12), locationOf(2, 14), locationOf(3, 16)});
    for (std::uint64_t second = 2; !std::filesystem::exists(ctr::segmentPath(path, 2)); ++second)
        REQUIRE(second < 100 && static_cast<bool>(to->consume(eventAt(second * kOneSecond))));
    Batch born = births(2, 2, 200 * kOneSecond);
    born.deaths.push_back({3, born.now});
    REQUIRE(static_cast<bool>(to->consume(born)));
    for (std::uint64_t second = 201; !std::filesystem::exists(ctr::segmentPath(path, 4)); ++second)
        REQUIRE(second < 300 && static_cast<bool>(to->consume(eventAt(second * kOneSecond))));
    REQUIRE(static_cast<bool>(to->finish({})));

    std::filesystem::remove(ctr::segmentPath(path, 0));
    std::filesystem::remove(ctr::segmentPath(path, 1));
    std::filesystem::remove(ctr::segmentPath(path, 3));
    // 0 and 1 live when the file begins, and keep their numbers.
    const std::vector<FrameLocation> inTheFileOfTheBirth{locationOf(0, 12), locationOf(2, 14), locationOf(3, 16)};
    CHECK(framesIn(ctr::segmentPath(path, 2)) == inTheFileOfTheBirth);
    const std::vector<FrameLocation> later{locationOf(0, 12), locationOf(2, 14)};
    CHECK(framesIn(ctr::segmentPath(path, 4)) == later);
}

/// Users may view stacks and frames of processes long after these have ended.
CT_CASE(aLaterSegmentHasTheModulesOfEndedProcesses)
{
    const TempDir dir;
    const std::string path = dir.file("r.ctr");
    const auto to = rotatingWriter(path);
    RecordingInfo first;
    first.processes = {{77, "/bin/first", {{"/bin/first", 0x1000, 0x2000, 0, "aa"}}}};
    RecordingInfo second;
    second.processes = {{78, "/bin/second", {{"/bin/second", 0x1000, 0x3000, 0, "bb"}}}};
    to->addInfo(first);
    Batch begin = births(0, 1, kOneSecond);
    begin.births.front().pid = 77;
    REQUIRE(static_cast<bool>(to->consume(begin)));
    to->addInfo(second);
    Batch end = eventAt(2 * kOneSecond);
    end.notes.processEnds.push_back({77, 2 * kOneSecond});
    REQUIRE(static_cast<bool>(to->consume(end)));
    for (std::uint64_t now = 3; !std::filesystem::exists(ctr::segmentPath(path, 3)); ++now)
        REQUIRE(now < 100 && static_cast<bool>(to->consume(eventAt(now * kOneSecond))));
    REQUIRE(static_cast<bool>(to->finish({})));
    for (const std::uint32_t gone : {0U, 1U, 2U})
        std::filesystem::remove(ctr::segmentPath(path, gone));
    RecordingInfo both = first;
    both.mergeLater(second);
    CHECK(readAll(ctr::segmentPath(path, 3)).info == both);
}

CT_CASE(theTargetRoundTrips)
{
    RecordingInfo info;
    info.target = 4711;
    const auto again = recordingInfoOf(toJson(info));
    REQUIRE(again.has_value());
    CHECK(again->target == info.target);
    RecordingInfo later;
    later.mergeLater(*again);
    CHECK(later.target == info.target);
}
