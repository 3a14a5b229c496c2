// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Copying the files of a recording into one: the contents, the differences, and the treatment of damage.
#include "core/recording/library/recordingcopy.h"
#include "core/recording/read/blocksurvey.h"
#include "core/recording/read/segments.h"
#include "tests/core/recording/simulatedprogram.h"
#include "tests/support/filesizelimit.h"

#include <filesystem>

using namespace recordingtest;

namespace {

constexpr RecordingLimits kNoLimits{};

RecordingLimits forSeconds(std::uint64_t seconds)
{
    return {0, seconds * kSecond};
}

std::shared_ptr<RecordingWriter> begin(const std::string &path, const RecordingLimits &limits)
{
    auto made = RecordingWriter::open(path, limits);
    REQUIRE(static_cast<bool>(made));
    RecordingInfo info;
    info.session = "program";
    info.clocks = {{kStart, 1, 1}};
    (*made)->addInfo(info);
    return *made;
}

void recordRounds(RecordingWriter &writer, SimulatedProgram &program, int rounds)
{
    for (int i = 0; i < rounds; ++i) {
        const Batch batch = program.next();
        if (i % 20 == 0) {
            RecordingInfo more;
            more.clocks = {{batch.now, batch.now, batch.now}};
            writer.addInfo(more);
            writer.addOutput(batch.now, "round " + std::to_string(i) + "\n");
        }
        CHECK(static_cast<bool>(writer.consume(batch)));
    }
}

/// Compares the files with the copy: they must be equal, event for event.
void checkSame(const Everything &files, const Everything &copy)
{
    CHECK(files.batches.size() == copy.batches.size());
    for (std::size_t i = 0; i < std::min(files.batches.size(), copy.batches.size()); ++i)
        CHECK_EQUAL(textOf(copy.batches[i]), textOf(files.batches[i]));
    CHECK(copy.sums.captured == files.sums.captured && copy.sums.lost == files.sums.lost);
    CHECK(copy.info == files.info);
    CHECK(copy.output.size() == files.output.size());
    for (std::size_t i = 0; i < std::min(files.output.size(), copy.output.size()); ++i)
        CHECK(copy.output[i].ts == files.output[i].ts && copy.output[i].bytes == files.output[i].bytes);
}

/// Writes a recording of twenty batches into a single file.
std::string oneFile(const TempDir &dir)
{
    const std::string path = dir.file("run.ctr");
    RandomStream stream(4);
    const auto out = begin(path, kNoLimits);
    for (int i = 0; i < 20; ++i)
        CHECK(static_cast<bool>(out->consume(stream.next(3000))));
    CHECK(static_cast<bool>(out->finish({})));
    return path;
}

/// Writes a recording of a small program, in the files that these limits leave.
std::string filesOf(const TempDir &dir, const RecordingLimits &limits, int rounds)
{
    const std::string path = dir.file("run.ctr");
    SimulatedProgram program(30);
    const auto out = begin(path, limits);
    recordRounds(*out, program, rounds);
    CHECK(static_cast<bool>(out->finish({})));
    return path;
}

struct Count {
    int infos = 0;
    int keyframes = 0;
    std::uint64_t transitions = 0;
};

Count countIn(const std::string &path)
{
    Count count;
    auto reader = ctr::BlockReader::open(path);
    REQUIRE(static_cast<bool>(reader));
    for (ctr::Block block; *(*reader)->next(block);) {
        count.infos += block.head.kind == ctr::Kind::Info;
        count.keyframes += block.head.kind == ctr::Kind::Keyframe;
        count.transitions += block.head.transitions;
    }
    return count;
}

}  // namespace

CT_CASE(aCopyOfOneFileIsEqual)
{
    const TempDir dir;
    const std::string path = oneFile(dir);
    const auto copied = copyRecording(path, dir.file("copy.ctr"));
    REQUIRE(static_cast<bool>(copied));
    CHECK(copied->transitions == 60'000);
    CHECK(copied->bytes == std::filesystem::file_size(dir.file("copy.ctr")));
    const Everything copy = readAll(dir.file("copy.ctr"));
    CHECK(copy.error.empty() && copy.hasEnded);
    checkSame(readAll(path), copy);
}

CT_CASE(segmentsBecomeOneFile)
{
    const TempDir dir;
    // A limit that removes nothing, so the first file is there.
    const std::string path = filesOf(dir, forSeconds(1000), 4000);
    REQUIRE(ctr::segmentsOf(path).size() > 2);
    CHECK(ctr::segmentsOf(path).front() == ctr::segmentPath(path, 0));
    const auto copied = copyRecording(path, dir.file("copy.ctr"));
    REQUIRE(static_cast<bool>(copied));
    const Everything copy = readAll(dir.file("copy.ctr"));
    CHECK(copy.error.empty() && copy.hasEnded && copy.damages.empty());
    checkSame(readAll(ctr::segmentPath(path, 0)), copy);
    // Repetitions of later files are not in the copy, and the index is complete.
    const Count count = countIn(dir.file("copy.ctr"));
    CHECK(count.keyframes == 0);
    CHECK(count.infos == 1 + 4000 / 20);
    CHECK(count.transitions == copied->transitions);
    const auto reader = ctr::BlockReader::open(dir.file("copy.ctr"));
    REQUIRE(static_cast<bool>(reader));
    const auto survey = ctr::surveyBlocks(**reader);
    CHECK(survey && survey->hasEnded && (*reader)->head().segment == 0);
}

/// If a name fits a file and a run, copying does not guess.
CT_CASE(refusesAnAmbiguousName)
{
    const TempDir dir;
    const std::string path = filesOf(dir, forSeconds(1000), 1500);
    const std::vector<std::string> files = ctr::segmentsOf(path);
    const std::uint64_t all = copyRecording(path, dir.file("copy.ctr"))->transitions;
    std::filesystem::copy_file(files.back(), path);
    const auto copied = copyRecording(path, dir.file("copy.ctr"));
    REQUIRE(!copied && copied.error().code == ErrorCode::InvalidArgument);
    CHECK(copied.error().message.find("rename this file") != std::string::npos);
    const auto run = copyRecording(files.front(), dir.file("copy.ctr"));
    CHECK(run && run->transitions == all);
}

CT_CASE(aNameThatIsTooLongIsAnError)
{
    const TempDir dir;
    const auto copied = copyRecording(dir.file(std::string(300, 'a') + ".ctr"), dir.file("copy.ctr"));
    CHECK(!copied && copied.error().message.find("File name too long") != std::string::npos);
}

/// The beginning was removed. The copy starts with a keyframe, and is complete under any name.
CT_CASE(copiesARunWithoutItsFirstSegment)
{
    const TempDir dir;
    const std::string path = filesOf(dir, forSeconds(16), 400);
    const std::vector<std::string> files = ctr::segmentsOf(path);
    REQUIRE(files.size() > 2 && files.front() != ctr::segmentPath(path, 0));
    const Everything before = readAll(files.front());
    // Among the files themselves, under the name of the next one.
    const std::string kept = ctr::segmentPath(path, ctr::segmentNameOf(files.back())->number + 1);
    REQUIRE(static_cast<bool>(copyRecording(files[1], kept)));
    const Everything copy = readAll(kept);
    CHECK(copy.error.empty() && copy.hasEnded);
    checkSame(before, copy);
    CHECK(countIn(kept).keyframes == countIn(files.front()).keyframes);
    CHECK(readAll(files.front()).batches.size() == before.batches.size());
    // A copy of the copy.
    REQUIRE(static_cast<bool>(copyRecording(kept, dir.file("again.ctr"))));
    checkSame(before, readAll(dir.file("again.ctr")));
}

/// Copies what was written so far, while the writer continues.
CT_CASE(copiesARecordingThatIsStillWritten)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    SimulatedProgram program(30);
    const auto out = begin(path, forSeconds(1000));
    CHECK(!copyRecording(path, dir.file("copy.ctr")));  // nothing yet
    recordRounds(*out, program, 500);
    const std::string first = ctr::segmentPath(path, 0);
    const Everything now = readAll(first);
    const auto copied = copyRecording(path, dir.file("copy.ctr"), [&](double) {
        recordRounds(*out, program, 10);
        return true;
    });
    REQUIRE(static_cast<bool>(copied));
    const Everything copy = readAll(dir.file("copy.ctr"));
    CHECK(copy.error.empty() && copy.hasEnded);
    checkSame(now, copy);
    CHECK(static_cast<bool>(out->finish({})));
    CHECK(readAll(first).batches.size() > copy.batches.size());
}

/// The head of the next file is written before the End block of the previous one.
CT_CASE(aSegmentOfOnlyAHeadIsNoDamage)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    SimulatedProgram program(30);
    const auto out = begin(path, forSeconds(1000));
    recordRounds(*out, program, 20);
    const std::string first = ctr::segmentPath(path, 0);
    const auto reader = ctr::BlockReader::open(first);
    REQUIRE(static_cast<bool>(reader));
    const auto next = ctr::BlockWriter::open(ctr::segmentPath(path, 1), {(*reader)->head().recording, 1, 0});
    REQUIRE(next && (*next)->beginFile());
    REQUIRE(static_cast<bool>(copyRecording(path, dir.file("copy.ctr"))));
    const Everything copy = readAll(dir.file("copy.ctr"));
    CHECK_EQUAL(copy.error, "");
    CHECK(copy.hasEnded && copy.damages.empty());
    checkSame(readAll(first), copy);
}

/// Each later file repeats the information, in as many blocks as it needs. The copy does not.
CT_CASE(repeatedInfoMayNeedSeveralBlocks)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    SimulatedProgram program(30);
    const auto out = begin(path, forSeconds(16));
    constexpr std::uint32_t kProcesses = 180;
    RecordingInfo::Process process;
    for (std::uint64_t i = 1; i <= 100; ++i) {
        Module &module = process.modules.emplace_back();
        module.path.assign(4000, 'm');
        module.begin = i << 20;
        module.end = module.begin + 4096;
    }
    for (process.pid = 1; process.pid <= kProcesses; ++process.pid) {
        RecordingInfo more;
        more.processes = {process};
        out->addInfo(more);
    }
    recordRounds(*out, program, 1);
    while (ctr::segmentsOf(path).size() < 2)
        REQUIRE(static_cast<bool>(out->consume(program.next())));
    REQUIRE(static_cast<bool>(out->finish({})));
    REQUIRE(static_cast<bool>(copyRecording(path, dir.file("copy.ctr"))));
    CHECK_EQUAL(countIn(dir.file("copy.ctr")).infos, static_cast<int>(2 + kProcesses));
    const RecordingInfo said = readAll(dir.file("copy.ctr")).info;
    REQUIRE(said.processes.size() == kProcesses);
    std::filesystem::remove(ctr::segmentPath(path, 0));
    CHECK(readAll(ctr::segmentPath(path, 1)).info == said);
}

/// A truncated file, one with a damaged block, one with a damaged keyframe: the copy reports the damage, too.
CT_CASE(damageIsNotHidden)
{
    for (int which = 0; which < 3; ++which) {
        const TempDir dir;
        const std::string path = filesOf(dir, forSeconds(16), 400);
        const std::vector<std::string> files = ctr::segmentsOf(path);
        REQUIRE(files.size() > 3);
        const std::string &file = files[which == 2 ? 0 : 1];
        std::string content = contentOf(file);
        if (which == 0) {
            content.resize(content.size() * 2 / 3);
        } else {
            std::size_t at = which == 1 ? content.size() / 2 : 0;
            const auto reader = ctr::BlockReader::open(file);
            for (ctr::Block block; which == 2 && at == 0 && *(*reader)->next(block);) {
                if (block.head.kind == ctr::Kind::Keyframe)
                    at = block.offset + 70;
            }
            content[at] = static_cast<char>(content[at] + 1);
        }
        putContent(file, content);
        const Everything before = readAll(files.front());
        CHECK(!before.error.empty());
        REQUIRE(static_cast<bool>(copyRecording(path, dir.file("copy.ctr"))));
        const Everything copy = readAll(dir.file("copy.ctr"));
        CHECK(!copy.error.empty());
        checkSame(before, copy);
    }
}

CT_CASE(aCopyCanBeCancelledAndCanFail)
{
    const TempDir dir;
    const std::string path = oneFile(dir);
    double last = -1;
    const auto cancelled = copyRecording(path, dir.file("copy.ctr"), [&](double progress) {
        CHECK(progress >= last && progress <= 1);
        last = progress;
        return progress < 0.3;
    });
    CHECK(!cancelled && cancelled.error().code == ErrorCode::Cancelled);
    const ct::test::FileSizeLimit full(10'000);
    const auto failed = copyRecording(path, dir.file("full.ctr"));
    CHECK(!failed && failed.error().message.find("full.ctr") != std::string::npos);
    const auto missing = copyRecording(dir.file("missing.ctr"), dir.file("x.ctr"));
    CHECK(!missing && missing.error().message.find("missing.ctr") != std::string::npos);
}
