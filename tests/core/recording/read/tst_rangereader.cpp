// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Parts of a stream are restored from its recording exactly, while it is written or rotated, or if it is damaged.
#include "core/recording/read/rangereader.h"
#include "core/recording/read/segments.h"
#include "tests/core/recording/simulatedprogram.h"

#include <algorithm>
#include <filesystem>
#include <random>

using namespace recordingtest;

namespace {

struct Written {
    TempDir dir;
    SimulatedProgram program{400};
    std::shared_ptr<StreamIndex> streamIndex = std::make_shared<StreamIndex>();
    std::shared_ptr<RecordingWriter> writer;
    Transitions stream;

    explicit Written(const RecordingLimits &limits = {})
    {
        auto opened = RecordingWriter::open(dir.file("run.ctr"), limits);
        REQUIRE(static_cast<bool>(opened));
        writer = *opened;
        writer->setStreamIndex(streamIndex);
    }
    void run(int rounds)
    {
        for (int i = 0; i < rounds; ++i) {
            const Batch batch = program.next();
            stream.insert(stream.end(), batch.transitions.begin(), batch.transitions.end());
            CHECK(static_cast<bool>(writer->consume(batch)));
        }
    }
};

/// The stream of a recording that was opened, and its stream index.
struct Read {
    std::shared_ptr<StreamIndex> streamIndex = std::make_shared<StreamIndex>();
    Transitions stream;

    explicit Read(const std::string &path)
    {
        auto reader = RecordingReader::open(path);
        REQUIRE(static_cast<bool>(reader));
        (*reader)->setStreamIndex(streamIndex);
        for (Batch batch;;) {
            const Result<bool> more = (*reader)->next(batch);
            if (!more || !*more)
                break;
            stream.insert(stream.end(), batch.transitions.begin(), batch.transitions.end());
        }
    }
};

bool isSame(const Transition &a, const Transition &b)
{
    return textOf(a) == textOf(b);
}

void checkPart(RangeReader &rangeReader, const Transitions &stream, std::uint64_t first, std::uint64_t end)
{
    Transitions events;
    const Result<void> read = rangeReader.read(first, end, events);
    REQUIRE(static_cast<bool>(read));
    CHECK_EQUAL(events.size(), end - first);
    CHECK(std::equal(events.begin(), events.end(), stream.begin() + static_cast<std::ptrdiff_t>(first), isSame));
}

/// Checks random parts of [begin, end).
void checkParts(RangeReader &rangeReader, const Transitions &stream, std::uint64_t begin, std::uint64_t end)
{
    std::mt19937 random(5);
    for (int i = 0; i < 60; ++i) {
        const std::uint64_t first = begin + random() % (end - begin);
        checkPart(rangeReader, stream, first, std::min<std::uint64_t>(end, first + random() % 3000));
    }
    checkPart(rangeReader, stream, begin, end);
}

}  // namespace

CT_CASE(readsWhileTheRecordingIsWritten)
{
    Written written;
    RangeReader rangeReader(written.streamIndex);
    Transitions events;
    CHECK(!rangeReader.read(0, 1, events));
    for (int i = 0; i < 5; ++i) {
        written.run(40);
        const std::uint64_t end = written.streamIndex->endPosition();
        REQUIRE(end > 0 && end <= written.stream.size());
        checkParts(rangeReader, written.stream, 0, end);
    }
    CHECK(static_cast<bool>(written.writer->finish({})));
    CHECK_EQUAL(written.streamIndex->endPosition(), written.stream.size());
    checkParts(rangeReader, written.stream, 0, written.stream.size());
    CHECK(!rangeReader.read(written.stream.size() - 1, written.stream.size() + 1, events));
    CHECK(events.empty());
}

CT_CASE(readsTheRemainingSegments)
{
    Written written({0, 8 * kSecond});
    RangeReader rangeReader(written.streamIndex);
    written.run(300);
    CHECK(static_cast<bool>(written.writer->finish({})));
    Transitions events;
    const Result<void> gone = rangeReader.read(0, 10, events);
    REQUIRE(!gone);
    CHECK(gone.error().message.find("run.0.ctr") != std::string::npos);
    const std::uint64_t end = written.stream.size();
    checkParts(rangeReader, written.stream, end - end / 10, end);
}

CT_CASE(renumbersCoroutinesOfALaterSegment)
{
    Written written({0, 8 * kSecond});
    written.run(300);
    CHECK(static_cast<bool>(written.writer->finish({})));
    std::uint32_t segment = 1;
    while (!std::filesystem::exists(written.dir.file("run." + std::to_string(segment) + ".ctr")))
        ++segment;
    const Read read(written.dir.file("run." + std::to_string(segment) + ".ctr"));
    REQUIRE(read.stream.size() > 10'000);
    RangeReader rangeReader(read.streamIndex);
    // The rows of the keyframe are in no block.
    std::uint64_t begin = 0;
    while (!read.streamIndex->blockAt(begin))
        ++begin;
    CHECK(begin > 0 && begin < 2000);
    checkParts(rangeReader, read.stream, begin, read.stream.size());
}

CT_CASE(readsTheUndamagedBlocks)
{
    Written written;
    written.run(300);
    CHECK(static_cast<bool>(written.writer->finish({})));
    const std::string path = written.dir.file("run.ctr");
    std::string content = contentOf(path);
    content[content.size() / 2] ^= 0x10;
    putContent(path, content);
    const Read read(path);
    REQUIRE(read.stream.size() < written.stream.size());
    RangeReader rangeReader(read.streamIndex);
    checkParts(rangeReader, read.stream, 0, read.stream.size());
}

/// Numbers from a damaged region must not cost the events around them.
CT_CASE(omitsAndCountsImpossibleNumbers)
{
    Written written;
    written.run(60);
    Batch batch = written.program.next();
    const std::size_t good = batch.transitions.size();
    const Loss loss{0, 1ULL << 57, 1, false};
    batch.losses.push_back(loss);
    batch.notes.wakes.push_back({0, kNoCoroutine, ~std::uint64_t{0}, batch.now, 77, 78});
    Transition beyond = batch.transitions.front();
    beyond.n = 1ULL << 56;
    batch.transitions.insert(batch.transitions.begin() + 1, beyond);
    CHECK(static_cast<bool>(written.writer->consume(batch)));
    written.stream.insert(written.stream.end(), batch.transitions.begin(), batch.transitions.end());
    written.run(60);
    CHECK(static_cast<bool>(written.writer->finish({})));
    auto reader = RecordingReader::open(written.dir.file("run.ctr"));
    REQUIRE(static_cast<bool>(reader));
    std::size_t read = 0;
    Result<bool> more = true;
    for (Batch next; more && *more; read += next.transitions.size())
        more = (*reader)->next(next);
    CHECK(static_cast<bool>(more));
    CHECK((*reader)->damages().empty());
    CHECK(good > 0);
    CHECK_EQUAL(read, written.stream.size() - 1);
    CHECK_EQUAL((*reader)->accounting().eventsNotWritten, 1U);
    // The StreamIndex counts it, so later events are found at their positions.
    CHECK_EQUAL(written.streamIndex->endPosition(), written.stream.size());
    RangeReader rangeReader(written.streamIndex);
    const std::uint64_t end = written.stream.size();
    checkParts(rangeReader, written.stream, end - 5000, end);
    checkParts(rangeReader, written.stream, 0, 1000);
}

namespace {

/// `count` valid events of one coroutine. An event that cannot be written comes before each index in `bad`; index
/// `count` means at the end.
Batch batchWith(std::size_t count, const std::vector<std::size_t> &bad, std::uint64_t &n)
{
    Batch batch;
    if (n == 0)
        batch.births.push_back({0, 0, 1, 77, Dialect::Lane, 1000, kStart});
    for (std::size_t i = 0; i <= count; ++i) {
        Transition event;
        event.coroutine = 0;
        event.n = 1ULL << 57;
        event.ts = kStart + n;
        if (std::find(bad.begin(), bad.end(), i) != bad.end())
            batch.transitions.push_back(event);
        event.n = n;
        event.seq = n;
        event.active = n % 2 != 0;
        if (i < count) {
            batch.transitions.push_back(event);
            ++n;
        }
    }
    batch.now = kStart + n;
    return batch;
}

/// At most the blocks that would have the bad events are lost, and nothing wrong is restored.
void checkAround(const std::vector<std::pair<std::size_t, std::vector<std::size_t>>> &batches)
{
    Written written;
    std::uint64_t n = 0;
    std::uint64_t leftOut = 0;
    for (const auto &[count, bad] : batches) {
        const Batch batch = batchWith(count, bad, n);
        written.stream.insert(written.stream.end(), batch.transitions.begin(), batch.transitions.end());
        leftOut += bad.size();
        CHECK(static_cast<bool>(written.writer->consume(batch)));
    }
    CHECK(static_cast<bool>(written.writer->finish({})));
    CHECK_EQUAL(written.streamIndex->endPosition(), written.stream.size());
    CHECK_EQUAL(readAll(written.dir.file("run.ctr")).sums.eventsNotWritten, leftOut);
    RangeReader rangeReader(written.streamIndex);
    for (std::size_t i = 0; i < written.streamIndex->blocks(); ++i) {
        const StreamIndex::Block block = written.streamIndex->block(i);
        const auto at = [&](std::uint64_t position) {
            return written.stream.begin() + static_cast<std::ptrdiff_t>(position);
        };
        const bool isWhole =
            std::none_of(at(block.first), at(block.end), [](const Transition &event) { return event.n == 1ULL << 57; });
        Transitions events;
        CHECK_EQUAL(static_cast<bool>(rangeReader.read(block.first, block.end, events)), isWhole);
        if (isWhole)
            CHECK(std::equal(events.begin(), events.end(), at(block.first), at(block.end), isSame));
    }
}

}  // namespace

/// At any position in their batch and in their block.
CT_CASE(omittedEventsDoNotShiftTheNextEvents)
{
    for (const std::size_t where : {0, 10'000, 20'000}) {
        checkAround({{60'000, {}}, {20'000, {where}}, {60'000, {}}});  // does not fit into the previous block
        checkAround({{60'000, {where}}, {20'000, {}}, {60'000, {}}});
        checkAround({{20'000, {}}, {20'000, {where}}, {10'000, {where / 2}}, {60'000, {}}, {60'000, {}}});
    }
    // More than fits into a block.
    for (const std::size_t where : {0, 65'535, 65'536, 100'000, 150'000})
        checkAround({{20'000, {}}, {150'000, {where}}, {60'000, {}}, {60'000, {}}});
    checkAround({{65'536, {0, 65'536}}, {65'535, {65'535}}, {60'000, {}}});
    // Alone in the batch, or in the block.
    checkAround({{65'536, {}}, {0, {0}}, {65'536, {}}, {0, {0}}});
}

CT_CASE(refusesBlocksThatChanged)
{
    Written written;
    written.run(300);
    CHECK(static_cast<bool>(written.writer->finish({})));
    RangeReader rangeReader(written.streamIndex);
    const std::string path = written.dir.file("run.ctr");
    std::string content = contentOf(path);
    const std::uint64_t hit = written.streamIndex->blockAt(written.stream.size() / 2)->offset + 100;
    content[hit] ^= 0x10;
    putContent(path, content);
    Transitions events;
    CHECK(!rangeReader.read(0, written.stream.size(), events));
    CHECK(events.empty());
    checkPart(rangeReader, written.stream, 0, 1000);
    std::filesystem::remove(path);
    RangeReader late(written.streamIndex);
    CHECK(!late.read(0, 10, events));
}

/// A program that runs again with the same output file. Also if only a reader of the first recording was there.
CT_CASE(refusesAnotherRecordingOfTheSameName)
{
    Written written;
    written.run(100);
    CHECK(static_cast<bool>(written.writer->finish({})));
    const std::string path = written.dir.file("run.ctr");
    const Read read(path);
    RangeReader before(written.streamIndex);
    checkPart(before, written.stream, 0, 10);
    auto again = RecordingWriter::open(path);
    REQUIRE(static_cast<bool>(again));
    SimulatedProgram program(400);
    for (int i = 0; i < 100; ++i)
        CHECK(static_cast<bool>((*again)->consume(program.next())));
    CHECK(static_cast<bool>((*again)->finish({})));
    Transitions events;
    for (const auto &streamIndex : {written.streamIndex, read.streamIndex}) {
        RangeReader rangeReader(streamIndex);
        const Result<void> done = rangeReader.read(0, 10, events);
        REQUIRE(!done);
        CHECK(done.error().message.find("another recording") != std::string::npos);
        CHECK(events.empty());
    }
    // The cached block is still the right one; later blocks are not.
    checkPart(before, written.stream, 0, 10);
    const std::uint64_t last = written.stream.size();
    CHECK(written.streamIndex->blockAt(0)->end < last);
    CHECK(!before.read(last - 10, last, events));
}
