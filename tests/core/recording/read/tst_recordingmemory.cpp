// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The memory of a recording does not grow with the amount of its input.
#include "core/recording/read/blockreader.h"
#include "core/recording/read/keyframereader.h"
#include "core/recording/read/segments.h"
#include "core/recording/read/streamguard.h"
#include "core/recording/write/blockwriter.h"
#include "tests/core/recording/simulatedprogram.h"
#include "tests/support/filesizelimit.h"

#include <algorithm>
#include <malloc.h>

using namespace recordingtest;

namespace {

constexpr std::size_t kMiB = 1U << 20;

/// Bytes of the heap in use. Constant under a sanitizer with its own heap.
std::size_t heapBytes()
{
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// Feeds as much as a target that never stops, with frames for its coroutines.
void addManyFacts(RecordingWriter &to)
{
    RecordingInfo info;
    info.command.assign(20, std::string(1000, 'c'));
    for (CoroutineId i = 0; i < 16 * 256; ++i) {
        to.addOutput(kStart + i, std::string(4096, 'x'));
        to.addFrames({{i, 0x1000, kStart, 0x40'1000, 12, 7, std::string(500, 'f'), std::string(500, 'g')}});
        if (i % 16 == 0)
            to.addInfo(info);
    }
}

std::string outputIn(const Everything &all)
{
    std::string text;
    for (const ctr::OutputPiece &piece : all.output)
        text += piece.bytes;
    return text;
}

/// Returns the processes and threads in the keyframe of a file.
Notes keyframeNotesOf(const std::string &path)
{
    auto blocks = ctr::BlockReader::open(path);
    REQUIRE(static_cast<bool>(blocks));
    ctr::KeyframeReader keyframe;
    ctr::Block block;
    while (!keyframe.isWhole()) {
        const Result<bool> more = (*blocks)->next(block);
        REQUIRE(more && *more);
        REQUIRE(block.head.kind != ctr::Kind::Keyframe || keyframe.addPiece(block.payload));
    }
    // So few fit into the first part.
    return keyframe.takeBatches().front().notes;
}

}  // namespace

CT_CASE(usesNoMemoryAfterTheEnd)
{
    const TempDir dir;
    const auto to = writer(dir.file("run.ctr"));
    SimulatedProgram program(20);
    CHECK(static_cast<bool>(to->consume(program.next())));
    CHECK(static_cast<bool>(to->finish({})));
    const std::size_t before = heapBytes();
    addManyFacts(*to);
    CHECK(heapBytes() < before + kMiB);
    CHECK(readAll(dir.file("run.ctr")).output.empty());
}

CT_CASE(usesNoMemoryAfterAFullDisk)
{
    const TempDir dir;
    const auto to = writer(dir.file("run.ctr"));
    const std::size_t before = heapBytes();
    addManyFacts(*to);  // what was waiting is written, too
    {
        const ct::test::FileSizeLimit full(1000);
        SimulatedProgram program(20);
        CHECK(!to->consume(program.next()));
    }
    addManyFacts(*to);
    CHECK(heapBytes() < before + 4 * kMiB);
}

CT_CASE(framesWaitForASlowDiskUpToALimit)
{
    const TempDir dir;
    const auto to = writer(dir.file("run.ctr"));
    const std::size_t before = heapBytes();
    const std::vector<FrameLocation> many(100'000, {1, 0x1000, kStart, 0x40'1000, 12, 7, "", std::string(200, 'f')});
    for (int i = 0; i < 12; ++i)
        to->addFrames(many);
    CHECK(heapBytes() < before + 200 * kMiB);
}

CT_CASE(outputWaitsForASlowDiskUpToALimit)
{
    const TempDir dir;
    const auto to = writer(dir.file("run.ctr"));
    SimulatedProgram program(20);
    CHECK(static_cast<bool>(to->consume(program.next())));
    const std::size_t before = heapBytes();
    constexpr std::size_t kOutputBytes = 160 * kMiB;
    for (std::size_t i = 0; i < kOutputBytes / 4096; ++i)
        to->addOutput(kStart, std::string(4096, 'x'));
    to->addOutput(kStart, std::string(8 * kMiB, 'x'));
    CHECK(heapBytes() < before + 100 * kMiB);
    CHECK(static_cast<bool>(to->consume(program.next())));
    to->addOutput(kStart + kSecond, "later");
    CHECK(static_cast<bool>(to->finish({})));
    const Everything all = readAll(dir.file("run.ctr"));
    const std::string text = outputIn(all);
    const std::size_t kept = text.find_first_not_of('x');
    REQUIRE(kept != std::string::npos && kept >= 32 * kMiB);
    CHECK_EQUAL(text.substr(kept), "\r\n[" + std::to_string(kOutputBytes + 8 * kMiB - kept) +
                                       " bytes of output were left out here: the disk was too slow]\r\nlater");
}

/// Frames are released if they come while their coroutines live, and also if they come after the death.
CT_CASE(releasesFramesOfDestroyedCoroutines)
{
    const TempDir dir;
    auto to = RecordingWriter::open(dir.file("run.ctr"), {1ULL << 30, 0});
    REQUIRE(static_cast<bool>(to));
    std::size_t before = 0;
    CoroutineId id = 0;
    for (std::uint64_t round = 0; round < 2000; ++round) {
        if (round == 500)
            before = heapBytes();
        Batch batch;
        batch.now = kStart + round * kSecond / 10;
        std::vector<FrameLocation> frames;
        for (int i = 0; i < 20; ++i, ++id) {
            batch.births.push_back({id, id, 1, 77, Dialect::Lane, id, batch.now});
            batch.deaths.push_back({id, batch.now});
            const CoroutineId which = round % 2 == 0 || id < 20 ? id : id - 20;
            frames.push_back({which, 0x1000, batch.now, 0x40'1000, 12, 7, "/src/some/file.cpp", std::string(200, 'f')});
        }
        (*to)->addFrames(frames);
        CHECK(static_cast<bool>((*to)->consume(batch)));
    }
    CHECK(heapBytes() < before + kMiB);
}

/// A server that starts a process for each request. Later segments repeat living processes, processes that left living
/// coroutines, and the first and the latest clocks.
CT_CASE(releasesEndedProcesses)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    auto to = RecordingWriter::open(path, {0, 16 * kSecond});
    REQUIRE(static_cast<bool>(to));
    constexpr std::uint32_t kProcesses = 2000;
    constexpr std::uint32_t kLeft = 5;   ///< was killed while its coroutine waited
    constexpr std::uint32_t kAgain = 6;  ///< the pid of a process that lives, too
    std::size_t before = 0;
    for (std::uint32_t pid = 1; pid <= kProcesses; ++pid) {
        if (pid == kProcesses / 4)
            before = heapBytes();
        RecordingInfo info;
        RecordingInfo::Process &process = info.processes.emplace_back();
        process.pid = pid;
        info.clocks = {{pid, pid, pid}};
        process.modules.resize(20);
        for (std::uint64_t i = 0; i < 20; ++i)
            process.modules[i] = {std::string(200, 'm'), i << 20, (i << 20) + 4096, 0, std::string(40, 'b')};
        (*to)->addInfo(info);
        Batch batch;
        batch.now = kStart + pid * kSecond / 10;
        batch.notes.processes.push_back({pid, batch.now, "worker"});
        batch.notes.threadNames.push_back({pid, pid, "worker"});
        batch.notes.switches.push_back({pid, batch.now, false});
        batch.births.push_back({pid - 1, 0, pid, pid, Dialect::Lane, pid, batch.now});
        if (pid != kLeft)
            batch.deaths.push_back({pid - 1, batch.now});
        batch.notes.processEnds.push_back({pid, batch.now});
        if (pid == kAgain)
            batch.notes.processes.push_back({pid, batch.now + 1, "worker"});
        REQUIRE(static_cast<bool>((*to)->consume(batch)));
    }
    CHECK(heapBytes() < before + kMiB);
    REQUIRE(static_cast<bool>((*to)->finish({})));
    const std::vector<std::string> files = ctr::segmentsOf(path);
    REQUIRE(files.size() > 1);
    const RecordingInfo info = readAll(files.back()).info;
    const std::vector<RecordingInfo::Process> &said = info.processes;
    const auto isRepeated = [&](std::uint32_t pid) {
        return std::any_of(said.begin(), said.end(), [&](const auto &process) { return process.pid == pid; });
    };
    CHECK(isRepeated(kLeft));
    CHECK(isRepeated(kAgain));
    CHECK(isRepeated(kProcesses));
    CHECK(!isRepeated(kLeft + 2));
    CHECK(said.size() < kProcesses / 4);
    REQUIRE(!info.clocks.empty());
    CHECK_EQUAL(info.clocks.front().monotonic, 1U);
    CHECK_EQUAL(info.clocks.back().monotonic, kProcesses);
    CHECK(info.clocks.size() < kProcesses / 4);
    const Notes known = keyframeNotesOf(files.back());
    const auto rowsOf = [](const auto &rows, std::uint32_t pid) {
        return std::count_if(rows.begin(), rows.end(), [pid](const auto &row) { return row.pid == pid; });
    };
    const auto compare = [&](const auto &rows) {
        CHECK_EQUAL(rowsOf(rows, kLeft), 1);
        CHECK_EQUAL(rowsOf(rows, kLeft + 2), 0);
        CHECK(rows.size() < kProcesses / 4);
    };
    compare(known.processes);
    compare(known.processEnds);
    compare(known.threadNames);
    compare(known.switches);
    CHECK_EQUAL(rowsOf(known.processes, kAgain), 2);
}

/// A few compressed kilobytes can contain gigabytes of equal text.
CT_CASE(refusesExcessiveSiteTexts)
{
    ctr::StreamGuard guard;
    Batch batch;
    batch.sites = {{1, 1, 1, std::string(kMiB / 2, 'f'), std::string(kMiB / 2, 'g')}};
    for (SiteId id = 1; id <= 256; ++id) {
        batch.sites.front().id = id;
        CHECK(guard.admit(batch));
        CHECK(guard.admit(batch));  // as repeated by keyframes
    }
    batch.sites.front().id = 257;
    CHECK(!guard.admit(batch));
}

CT_CASE(refusesExcessiveFrameTexts)
{
    ctr::StreamGuard guard;
    std::vector<FrameLocation> frames(2);
    const std::string text(kMiB, 'f');
    for (int i = 0; i < 255; ++i) {
        for (FrameLocation &frame : frames)
            frame.function = text + std::to_string(i);  // texts of many coroutines
        CHECK(guard.admit(frames));
        CHECK(guard.admit(frames));
    }
    frames.front().file = text + "last";
    CHECK(!guard.admit(frames));
}

/// Before they are fetched: even if all texts are equal, each row has its own copy.
CT_CASE(waitingFrameTextsAreLimited)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    const auto blocks = ctr::BlockWriter::open(path);
    REQUIRE(static_cast<bool>(blocks));
    {
        const std::vector<FrameLocation> rows(32, {0, 0x1000, kStart, 0x40'1000, 12, 7, "", std::string(kMiB, 'f')});
        ctr::ColumnWriter payload;
        ctr::FrameLayout::write(rows, payload);
        for (int i = 0; i < 16; ++i)
            REQUIRE(static_cast<bool>((*blocks)->write(ctr::Kind::Frames, payload, {})));
    }
    REQUIRE(static_cast<bool>((*blocks)->finish()));
    const std::size_t before = heapBytes();
    const auto reader = RecordingReader::open(path);
    REQUIRE(static_cast<bool>(reader));
    CHECK(heapBytes() < before + 400 * kMiB);
    FileFacts facts;
    REQUIRE((*reader)->takeFacts(facts));
    CHECK_EQUAL(facts.frames.size(), 256U);
    CHECK_EQUAL((*reader)->damages().size(), 8U);
}

/// A jump of the sequence costs a writer nothing. Lost blocks can have contained only so many births, and memory is
/// limited.
CT_CASE(refusesImpossibleNumbersOfLostBirths)
{
    constexpr CoroutineId kBeyond = 1U << 23;
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    const auto blocks = ctr::BlockWriter::open(path);
    REQUIRE(static_cast<bool>(blocks));
    const auto put = [&](const Batch &batch) {
        ctr::StreamEncoder encoder;
        ctr::ColumnWriter payload;
        encoder.beginBlock();
        encoder.addBatch(batch);
        encoder.write(std::nullopt, payload);
        const ctr::BlockFacts facts{static_cast<std::uint32_t>(batch.transitions.size()), batch.now, batch.now};
        REQUIRE(static_cast<bool>((*blocks)->write(ctr::Kind::Stream, payload, facts)));
    };
    Batch first;
    first.now = kStart;
    first.births = {{0, 0, 1, 77, Dialect::Lane, 1, kStart}};
    put(first);
    (*blocks)->skip(5000, 0);
    Batch hostile;
    hostile.now = kStart + 1;
    hostile.deaths = {{kBeyond, kStart + 1}};
    put(hostile);
    REQUIRE(static_cast<bool>((*blocks)->finish()));
    const Everything all = readAll(path);
    CHECK_EQUAL(all.sums.coroutines, 1U);
    CHECK_EQUAL(all.damages.size(), 2U);  // the jump, and the block behind it
    CHECK(!all.error.empty() && all.hasEnded);
}

/// Lost births are made up, as many as the lost blocks can have contained. The missing rest of a truncated file counts
/// as one block.
CT_CASE(makesUpPossibleNumbersOfLostBirths)
{
    const auto isMadeUp = [](std::uint64_t lostBlocks, CoroutineId until) {
        ctr::StreamGuard guard;
        guard.setLostBlocks(lostBlocks);
        Batch batch;
        batch.deaths = {{until - 1, kStart}};
        return guard.admit(batch) && batch.births.size() == until;
    };
    CHECK(!isMadeUp(0, 1));
    CHECK(isMadeUp(1, 1U << 20));
    CHECK(!isMadeUp(1, (1U << 20) + 1));
    CHECK(isMadeUp(20, 20U << 17));
    CHECK(!isMadeUp(20, (20U << 17) + 1));
    CHECK(isMadeUp(1'000'000, 1U << 22));
    CHECK(!isMadeUp(1'000'000, (1U << 22) + 1));
}
