// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A directory of recordings: the list, its cost, and the removal of the oldest when they use too much space.
#include "core/recording/library/recordedruns.h"
#include "core/recording/library/recordingcopy.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/fileclaim.h"
#include "tests/core/recording/simulatedprogram.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace recordingtest;
using State = RecordedRun::State;

namespace {

/// Returns "…/2026-11-22T07.00.0N-server.ctr".
std::string runPath(const TempDir &dir, int number, const std::string &target = "server")
{
    return dir.file("2026-11-22T07.00.0" + std::to_string(number) + "-" + target + ".ctr");
}

struct Written {
    std::shared_ptr<RecordingWriter> writer;
    std::uint64_t transitions = 0;
};

/// Records some rounds of a program, without an end.
Written begin(const std::string &path, int rounds, const RecordingLimits &limits = {RecordingLimits::kLeastBytes, 0})
{
    auto made = RecordingWriter::open(path, limits);
    REQUIRE(static_cast<bool>(made));
    RecordingInfo info;
    info.command = {"/usr/bin/server", "--fast"};
    info.clocks = {{kStart - kSecond, 1, 1}};
    (*made)->addInfo(info);
    Written written{*made, 0};
    SimulatedProgram program(20);
    for (int i = 0; i < rounds; ++i) {
        const Batch batch = program.next();
        written.transitions += batch.transitions.size();
        CHECK(static_cast<bool>(written.writer->consume(batch)));
    }
    return written;
}

void record(const std::string &path, int rounds = 30)
{
    CHECK(static_cast<bool>(begin(path, rounds).writer->finish({})));
}

std::vector<RecordedRun> runsIn(const TempDir &dir)
{
    RecordedRuns runs;
    const auto found = runs.list(dir.path());
    REQUIRE(static_cast<bool>(found));
    return *found;
}

std::uint64_t bytesRead()
{
    std::ifstream io("/proc/self/io");
    std::string word;
    std::uint64_t value = 0;
    return io >> word >> value && word == "rchar:" ? value : 0;
}

}  // namespace

CT_CASE(aRunIsOneRow)
{
    const TempDir dir;
    CHECK(runsIn(dir).empty());
    CHECK(RecordedRuns().list(dir.file("missing"))->empty());
    const Written program = begin(runPath(dir, 1), 200, {0, 4 * kSecond});
    CHECK(static_cast<bool>(program.writer->finish({})));
    const std::vector<RecordedRun> runs = runsIn(dir);
    REQUIRE(runs.size() == 1);
    const RecordedRun &run = runs.front();
    CHECK(run.path == runPath(dir, 1));
    CHECK(run.name == "server");
    CHECK(run.files.size() > 2 && run.files == ctr::segmentsOf(run.path));
    CHECK(run.state == State::Complete && !run.isOpen);
    CHECK(run.segment > 0);  // older ones are removed
    CHECK(run.command == std::vector<std::string>({"/usr/bin/server", "--fast"}));
    CHECK(run.duration >= 20 * kSecond && run.duration <= 21 * kSecond);
    std::uint64_t there = 0;
    std::uint64_t bytes = 0;
    for (const std::string &file : run.files) {
        auto reader = ctr::BlockReader::open(file);
        REQUIRE(static_cast<bool>(reader));
        for (ctr::Block block; *(*reader)->next(block);)
            there += block.head.transitions;
        bytes += std::filesystem::file_size(file);
    }
    CHECK(run.events == there && there < program.transitions);
    CHECK(run.bytes == bytes);
}

CT_CASE(reportsTheStateOfEachRun)
{
    const TempDir dir;
    record(runPath(dir, 1, "complete"));
    Written live = begin(runPath(dir, 2, "live"), 30);
    begin(runPath(dir, 3, "killed"), 30);
    putContent(runPath(dir, 4, "garbage"), "no recording at all");
    putContent(dir.file("notes.txt"), "nothing of ours");
    record(dir.file("kept.ctr"));
    const auto stateOf = [&](const std::string &name) {
        const std::vector<RecordedRun> runs = runsIn(dir);
        const auto found =
            std::find_if(runs.begin(), runs.end(), [&](const RecordedRun &run) { return run.name == name; });
        REQUIRE(found != runs.end());
        CHECK(found->error.empty() == (found->state != State::Unreadable));
        CHECK(found->events > 0 || found->state == State::Unreadable);
        return found->state;
    };
    CHECK(runsIn(dir).size() == 5);
    CHECK(stateOf("complete") == State::Complete);
    CHECK(stateOf("live") == State::Recording);
    CHECK(stateOf("killed") == State::Interrupted);
    CHECK(stateOf("garbage") == State::Unreadable);
    CHECK(stateOf("kept") == State::Complete);
    CHECK(static_cast<bool>(live.writer->finish({})));
    CHECK(stateOf("live") == State::Complete);
}

/// The figures follow the growth. Reading them again costs nothing.
CT_CASE(followsAGrowingRun)
{
    const TempDir dir;
    auto made = RecordingWriter::open(runPath(dir, 1), {RecordingLimits::kLeastBytes, 0});
    REQUIRE(static_cast<bool>(made));
    RecordedRuns runs;
    CHECK(runs.list(dir.path())->size() == 1);  // claimed, though still empty
    SimulatedProgram program(20);
    std::uint64_t before = 0;
    for (int i = 0; i < 5; ++i) {
        for (int round = 0; round < 10; ++round)
            CHECK(static_cast<bool>((*made)->consume(program.next())));
        const RecordedRun run = runs.list(dir.path())->front();
        CHECK(run.state == State::Recording && run.events > before);
        before = run.events;
    }
}

CT_CASE(scanningCostsLittle)
{
    const TempDir dir;
    auto made = RecordingWriter::open(runPath(dir, 1), {RecordingLimits::kLeastBytes, 0});
    REQUIRE(static_cast<bool>(made));
    RandomStream stream(1);
    for (int i = 0; i < 100; ++i)
        CHECK(static_cast<bool>((*made)->consume(stream.next(10'000))));
    CHECK(static_cast<bool>((*made)->finish({})));
    std::uint64_t size = 0;
    for (const std::string &file : ctr::segmentsOf(runPath(dir, 1)))
        size += std::filesystem::file_size(file);
    CHECK(size > 4U << 20);
    RecordedRuns runs;
    const std::uint64_t begin = bytesRead();
    CHECK(runs.list(dir.path())->size() == 1);
    const std::uint64_t first = bytesRead();
    if (begin == 0)
        CHECK_SKIP("this kernel does not count the bytes that a process reads");
    CHECK(first - begin < size / 8);
    CHECK(runs.list(dir.path())->size() == 1);
    CHECK(bytesRead() - first < 4096);  // unchanged files are not read again
}

CT_CASE(removesTheOldestRuns)
{
    const TempDir dir;
    for (int i = 1; i <= 4; ++i)
        record(runPath(dir, i));
    record(dir.file("mine.ctr"));
    const ctr::ReadClaim open(ctr::segmentsOf(runPath(dir, 1)));
    const Written live = begin(runPath(dir, 5), 30);
    std::uint64_t sum = 0;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (const RecordedRun &run : runsIn(dir)) {
        sum += run.bytes;
        if (run.path == runPath(dir, 2))
            second = run.bytes;
        if (run.path == runPath(dir, 3))
            third = run.begun;
    }
    RecordedRuns runs;
    CHECK(runs.freeSpace(dir.path(), sum).runs == 0);
    // The first is open, so the second and the third are removed.
    const FreedSpace made = runs.freeSpace(dir.path(), sum - second - 1);
    CHECK(made.runs == 2 && made.failures.empty());
    CHECK(made.bytes >= second + 1 && made.latest == third);
    CHECK(!std::filesystem::exists(ctr::segmentPath(runPath(dir, 2), 0)));
    CHECK(runsIn(dir).size() == 4);
    // An open recording stays, a recording being written stays, and so does a file that a user put there.
    CHECK(runs.freeSpace(dir.path(), 0).runs == 1);
    const std::vector<RecordedRun> left = runsIn(dir);
    CHECK(left.size() == 3);
    for (const RecordedRun &run : left)
        CHECK(run.isOpen || run.state == State::Recording || run.name == "mine");
}

CT_CASE(removesOldEmptyRuns)
{
    const TempDir dir;
    const std::string old = ctr::segmentPath(runPath(dir, 1), 0);
    const std::string fresh = ctr::segmentPath(runPath(dir, 2), 0);
    const std::string foreign = dir.file("empty.0.ctr");
    const std::string notes = dir.file("2026-11-22T07.00.01-notes.0.txt");
    for (const std::string &path : {old, fresh, foreign, notes})
        putContent(path, "");
    const timespec longAgo[2] = {{1'000'000, 0}, {1'000'000, 0}};
    for (const std::string &path : {old, foreign, notes})
        CHECK(::utimensat(AT_FDCWD, path.c_str(), longAgo, 0) == 0);
    CHECK(runsIn(dir).empty());
    CHECK(RecordedRuns().freeSpace(dir.path(), 1U << 30).runs == 0);
    CHECK(!std::filesystem::exists(old));
    for (const std::string &path : {fresh, foreign, notes})
        CHECK(std::filesystem::exists(path));
}

CT_CASE(refusesToRemoveARunInUse)
{
    const TempDir dir;
    const std::string path = runPath(dir, 1);
    Written live = begin(path, 30);
    const Result<void> written = removeRun(path);
    CHECK(!written && written.error().code == ErrorCode::Busy);
    CHECK(written.error().message.find("being recorded") != std::string::npos);
    // No other process can write there either.
    const auto second = RecordingWriter::open(path, {RecordingLimits::kLeastBytes, 0});
    CHECK(!second && second.error().code == ErrorCode::AlreadyExists);
    CHECK(static_cast<bool>(live.writer->finish({})));
    {
        const ctr::ReadClaim open(ctr::segmentsOf(path));
        const Result<void> read = removeRun(path);
        CHECK(!read && read.error().message.find("open in a window") != std::string::npos);
        CHECK(runsIn(dir).front().isOpen);
    }
    CHECK(readAll(ctr::segmentPath(path, 0)).hasEnded);
    CHECK(static_cast<bool>(removeRun(path)));
    CHECK(runsIn(dir).empty());
}

/// A user may have put it there.
CT_CASE(aFileNamedLikeARunHasItsOwnRow)
{
    for (const bool removesRun : {false, true}) {
        const TempDir dir;
        const std::string path = runPath(dir, 1);
        const Written program = begin(path, 200, {0, 4 * kSecond});
        CHECK(static_cast<bool>(program.writer->finish({})));
        const std::vector<std::string> files = ctr::segmentsOf(path);
        std::filesystem::copy_file(files.back(), path);
        const std::vector<RecordedRun> runs = runsIn(dir);
        REQUIRE(runs.size() == 2);
        const bool runFirst = runs.front().files.size() > 1;
        const RecordedRun &run = runs[runFirst ? 0 : 1];
        const RecordedRun &file = runs[runFirst ? 1 : 0];
        CHECK(run.files == files && run.path == files.front());
        CHECK(file.files == std::vector<std::string>{path} && file.path == path);
        CHECK(run.name == "server" && file.name == "server");
        CHECK(file.bytes == std::filesystem::file_size(path));
        CHECK(static_cast<bool>(removeRun(removesRun ? run.path : file.path)));
        const std::vector<RecordedRun> left = runsIn(dir);
        REQUIRE(left.size() == 1);
        CHECK(left.front().path == path);
        CHECK(left.front().files == (removesRun ? file.files : run.files));
    }
}

/// Truncated and changed anywhere: the result is some figures or an error.
CT_CASE(survivesHostileFiles)
{
    const TempDir dir;
    const std::string path = runPath(dir, 1);
    record(path, 100);
    const std::string file = ctr::segmentPath(path, 0);
    const std::string whole = contentOf(file);
    const std::uint64_t all = readRecordingSummary(file)->transitions;
    std::mt19937_64 random(3);
    for (int i = 0; i < 2000; ++i) {
        std::string bad = whole;
        if (i % 2 == 0)
            bad.resize(random() % whole.size());
        else
            bad[random() % whole.size()] ^= static_cast<char>(1 + random() % 255);
        putContent(file, bad);
        const Result<RecordingSummary> summary = readRecordingSummary(file);
        CHECK(!summary || summary->transitions <= all);
        CHECK(!summary || i % 2 != 0 || !summary->ended);
        CHECK(RecordedRuns().list(dir.path())->size() <= 1);
    }
}

/// Figures that were never written are not shown, whichever bit of the heads with the figures is flipped.
CT_CASE(checksTheHeadsAtTheEnd)
{
    const TempDir dir;
    const std::string path = runPath(dir, 1);
    record(path, 60);
    const std::string file = ctr::segmentPath(path, 0);
    const std::string whole = contentOf(file);
    const RecordingSummary all = *readRecordingSummary(file);
    ctr::Trailer trailer;
    std::memcpy(&trailer, whole.data() + whole.size() - sizeof(trailer), sizeof(trailer));
    // Without the End block, and with it.
    const std::string killed = whole.substr(0, trailer.endBlock);
    const std::size_t lastHead = killed.rfind(std::string(ctr::kBlockMagic.data(), ctr::kBlockMagic.size()));
    putContent(file, killed);
    const Result<RecordingSummary> summary = readRecordingSummary(file);
    CHECK(summary && summary->transitions == all.transitions && summary->lastTs == all.lastTs);
    const auto flipBitsOf = [&](const std::string &content, std::size_t head) {
        for (std::size_t bit = 0; bit < sizeof(ctr::BlockHead) * 8; ++bit) {
            std::string bad = content;
            bad[head + bit / 8] ^= static_cast<char>(1U << bit % 8);
            putContent(file, bad);
            const Result<RecordingSummary> seen = readRecordingSummary(file);
            REQUIRE(static_cast<bool>(seen));
            CHECK(seen->transitions <= all.transitions && seen->lastTs <= all.lastTs);
        }
    };
    flipBitsOf(killed, lastHead);
    flipBitsOf(whole, lastHead);
    flipBitsOf(whole, trailer.endBlock);
}

CT_CASE(aCopyOfADamagedRunCountsItsOwnEvents)
{
    const TempDir dir;
    const std::string path = runPath(dir, 1);
    record(path, 300);
    const std::string file = ctr::segmentPath(path, 0);
    std::string content = contentOf(file);
    content[content.size() / 2] ^= 0x10;
    putContent(file, content);
    const auto copied = copyRecording(path, dir.file("kept.ctr"));
    REQUIRE(static_cast<bool>(copied));
    const RecordingSummary summary = *readRecordingSummary(dir.file("kept.ctr"));
    CHECK_EQUAL(summary.transitions, copied->transitions);
    CHECK(summary.ended && summary.transitions < readRecordingSummary(file)->transitions);
}

CT_CASE(readsTheTargetFromTheFileName)
{
    CHECK(targetInFileName("/x/2026-11-22T07.31.05-server.ctr") == "server");
    CHECK(targetInFileName("2026-11-22T07.31.05-a.b-c.ctr") == "a.b-c");
    for (const char *name : {"server.ctr", "2026-11-22T07.31.05-.ctr", "2026-11-22T07.31.05.ctr",
                             "2026-11-22T07:31:05-x.ctr", "", "2026-11-22T07.31.0x-server.ctr"})
        CHECK(targetInFileName(name).empty());
}
