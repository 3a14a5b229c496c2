// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The installed reader library returns the same rows as the program's own reader.
#include "core/recording/library/openrecording.h"
#include "core/recording/read/segments.h"
#include "tests/core/recording/recordingtest.h"
#include "tests/support/publicreader.h"

#include <algorithm>
#include <malloc.h>
#include <map>
#include <random>
#include <sstream>
#include <sys/stat.h>

using namespace recordingtest;
namespace recording = corotracer::recording;

namespace {

constexpr int kHarms = 300;  // damaged files of each kind; the core reader's own test has 2,000

std::string textOf(const std::vector<Batch> &batches)
{
    std::string text;
    for (const Batch &batch : batches)
        text += recordingtest::textOf(batch);
    return text;
}

/// Writes a file with all kinds of rows.
std::vector<Batch> writeSample(const std::string &path, std::size_t transitions = 200)
{
    RandomStream stream(5);
    std::vector<Batch> batches;
    const auto sink = writer(path);
    RecordingInfo info;
    info.session = "sample";
    info.clocks = {{10, 20, 30}};
    sink->addInfo(info);
    sink->addOutput(7, std::string("begin\0\n", 7));
    for (int i = 0; i < 20; ++i) {
        Batch batch = stream.next(transitions);
        batch.now = 1'000'000'000'000 + static_cast<std::uint64_t>(i) * 300'000'000;
        batches.push_back(batch);
        REQUIRE(static_cast<bool>(sink->consume(batch)));
    }
    sink->addOutput(8, "end\n");
    Accounting sums;
    sums.untraced = 11;
    sums.bornWhileOff = 12;
    sums.bornBeforeInit = 13;
    sums.coroutinesMissed = 14;
    sums.sitesDropped = 15;
    sums.recordsDropped = 16;
    sums.notesEvicted = 17;
    sums.notesLost = 18;
    sums.eventsNotWritten = 19;
    sums.timesApproximate = true;
    sums.lostWithoutCoroutine = 20;
    sums.missedWithoutCoroutine = 21;
    REQUIRE(static_cast<bool>(sink->finish(sums)));
    return batches;
}

/// Compares what both readers return for a file.
void checkAgree(const std::string &path)
{
    const Everything core = readAll(path);
    const publicreader::Everything given = publicreader::readAll(path);
    CHECK_EQUAL(given.message, core.error);
    CHECK(textOf(given.batches) == textOf(core.batches));
    CHECK_EQUAL(given.output.size(), core.output.size());
    CHECK_EQUAL(given.ended, core.hasEnded);
    CHECK_EQUAL(given.sums.captured, core.sums.captured);
    CHECK_EQUAL(given.sums.lost, core.sums.lost);
    CHECK_EQUAL(given.sums.missed_before_attach, core.sums.missedBeforeAttach);
    CHECK_EQUAL(given.damages.size(), core.damages.size());
    for (std::size_t i = 0; i < std::min(given.damages.size(), core.damages.size()); ++i) {
        CHECK_EQUAL(given.damages[i].offset, core.damages[i].offset);
        CHECK_EQUAL(given.damages[i].bytes, core.damages[i].bytes);
    }
    const bool whole = core.error.empty();
    CHECK(whole == (given.status == recording::status::good));
    recording::reader reader(path);
    const recording::overview overview = reader.overview();
    CHECK(static_cast<bool>(overview) || given.status == recording::status::failed);
    if (overview)
        reader.over_time(overview.first_ts(), overview.last_ts(), 50);
}

/// Returns the rows of each sort, in the order of the stream.
std::map<std::string, std::string> rowsOf(const std::vector<Batch> &batches)
{
    std::map<std::string, std::string> rows;
    for (Batch batch : batches) {
        for (const Transition &event : batch.transitions)
            rows["T"] += recordingtest::textOf(event);
        for (const Site &site : batch.sites)
            rows["S"] += std::to_string(site.id) + site.file + '\0' + site.function + '\0';
        for (const CoroutineName &name : batch.notes.names)
            rows["N"] += std::to_string(name.coroutine) + name.name + '\0';
        for (const Process &process : batch.notes.processes)
            rows["P"] += std::to_string(process.pid) + process.name + '\0';
        for (const ThreadName &thread : batch.notes.threadNames)
            rows["TN"] += std::to_string(thread.tid) + thread.name + '\0';
        batch.transitions.clear();
        batch.sites.clear();
        batch.notes.names.clear();
        batch.notes.processes.clear();
        batch.notes.threadNames.clear();
        batch.now = 0;
        // No other row has a text, so each of them is one line.
        std::istringstream others(recordingtest::textOf(batch));
        for (std::string line; std::getline(others, line);)
            rows[line.substr(0, line.find(' '))] += line + '\n';
    }
    rows.erase("now");
    return rows;
}

/// Writes several files, of which the oldest were removed.
void writeRotated(const TempDir &dir)
{
    RecordingLimits limits;
    limits.ns = 20'000'000'000;
    RandomStream stream(6);
    const auto sink = RecordingWriter::open(dir.file("run.ctr"), limits);
    REQUIRE(static_cast<bool>(sink));
    for (std::uint64_t i = 0; i < 40; ++i) {
        Batch batch = stream.next(500);
        batch.now = 1'000'000'000'000 + i * 1'000'000'000;
        REQUIRE(static_cast<bool>((*sink)->consume(batch)));
    }
    REQUIRE(static_cast<bool>((*sink)->finish({})));
}

}  // namespace

CT_CASE(returnsEveryRow)
{
    const TempDir dir;
    const std::vector<Batch> batches = writeSample(dir.file("run.ctr"));
    const publicreader::Everything given = publicreader::readAll(dir.file("run.ctr"));
    CHECK_EQUAL(given.message, "");
    CHECK(given.status == recording::status::good && given.ended);
    CHECK(textOf(given.batches) == textOf(batches));
    REQUIRE(given.output.size() == 2);
    CHECK(given.output[0].ts == 7 && given.output[0].bytes == std::string("begin\0\n", 7));
    CHECK(given.output[1].ts == 8 && given.output[1].bytes == "end\n");
    CHECK_EQUAL(given.info,
                "{\"session\":\"sample\",\"clocks\":[{\"monotonic\":\"10\",\"realtime\":\"20\",\"boottime\":"
                "\"30\"}]}");
}

CT_CASE(joinsPasses)
{
    const TempDir dir;
    const std::vector<Batch> batches = writeSample(dir.file("run.ctr"));
    const auto rows = rowsOf(batches);
    for (const std::size_t wanted : {std::size_t{0}, std::size_t{1}, std::size_t{700}, ~std::size_t{0}}) {
        recording::reader reader(dir.file("run.ctr"));
        std::vector<Batch> joined;
        std::string output;
        std::vector<std::size_t> counts;
        while (const auto batch = reader.next(wanted)) {
            joined.push_back(publicreader::batchOf(batch));
            for (const ctr_output &piece : batch.outputs())
                output += publicreader::text(piece.bytes);
            counts.push_back(batch.transitions().size());
        }
        CHECK(rowsOf(joined) == rows);
        CHECK_EQUAL(output, std::string("begin\0\nend\n", 11));
        CHECK_EQUAL(joined.front().now, wanted <= 1     ? batches[0].now
                                        : wanted == 700 ? batches[3].now
                                                        : batches[19].now);
        // Each of 20 passes has 200 transitions and few other rows.
        CHECK_EQUAL(counts.front(), wanted <= 1 ? 200U : wanted == 700 ? 800U : 4000U);
        CHECK_EQUAL(counts.size(), wanted <= 1 ? 20U : wanted == 700 ? 5U : 1U);
        CHECK(reader.ended() && reader.status() == recording::status::good);
        CHECK_EQUAL(reader.sums().captured, 4000U);
    }
}

/// Rows before damage at the end are returned before the damage is reported.
CT_CASE(joinsPassesOfACutFile)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"));
    putContent(dir.file("cut.ctr"), contentOf(dir.file("run.ctr")).substr(0, 30'000));
    const publicreader::Everything given = publicreader::readAll(dir.file("cut.ctr"));
    recording::reader reader(dir.file("cut.ctr"));
    const auto all = reader.next(~std::size_t{0});
    REQUIRE(static_cast<bool>(all));
    CHECK(all.transitions().size() == given.sums.captured && given.sums.captured > 0);
    CHECK(!reader.next(1) && !reader.next());
    CHECK(reader.status() == recording::status::damaged);
    CHECK_EQUAL(reader.message(), given.message);
    recording::reader missing(dir.file("missing.ctr"));
    CHECK(!missing.next(5));
}

CT_CASE(reportsThatAFileWasMadeFromAPart)
{
    const TempDir dir;
    {
        const auto sink = writer(dir.file("run.ctr"));
        RecordingInfo info;
        info.part = RecordingInfo::Part{57};
        sink->addInfo(info);
        REQUIRE(static_cast<bool>(sink->finish({})));
    }
    const publicreader::Everything given = publicreader::readAll(dir.file("run.ctr"));
    CHECK(given.status == corotracer::recording::status::damaged);
    CHECK(given.message.find("it was made from a part of a recording") != std::string::npos);
    CHECK(given.ended);
}

CT_CASE(returnsAllSums)
{
    const TempDir dir;
    const std::vector<Batch> batches = writeSample(dir.file("run.ctr"));
    const ctr_sums sums = publicreader::readAll(dir.file("run.ctr")).sums;
    std::uint64_t captured = 0, lost = 0, missed = 0, coroutines = 0, flagged = 0;
    for (const Batch &batch : batches) {
        captured += batch.transitions.size();
        coroutines += batch.births.size();
        flagged += batch.flags.size();
        for (const Loss &loss : batch.losses)
            (loss.beforeAttach ? missed : lost) += loss.count;
    }
    CHECK_EQUAL(sums.captured, captured);
    CHECK_EQUAL(sums.lost, lost + 20);
    CHECK_EQUAL(sums.missed_before_attach, missed + 21);
    CHECK_EQUAL(sums.coroutines, coroutines);
    CHECK_EQUAL(sums.flagged, flagged);
    CHECK_EQUAL(sums.untraced, 11U);
    CHECK_EQUAL(sums.born_while_off, 12U);
    CHECK_EQUAL(sums.born_before_init, 13U);
    CHECK_EQUAL(sums.coroutines_missed, 14U);
    CHECK_EQUAL(sums.sites_dropped, 15U);
    CHECK_EQUAL(sums.records_dropped, 16U);
    CHECK_EQUAL(sums.notes_dropped, 17U);
    CHECK_EQUAL(sums.notes_lost, 18U);
    CHECK_EQUAL(sums.not_written, 19U);
    CHECK_EQUAL(sums.times_approximate, 1U);
    CHECK_EQUAL(sums.lost_without_coroutine, 20U);
    CHECK_EQUAL(sums.missed_without_coroutine, 21U);
}

CT_CASE(overviewNeedsNoReading)
{
    const TempDir dir;
    const std::vector<Batch> batches = writeSample(dir.file("run.ctr"));
    recording::reader reader(dir.file("run.ctr"));
    const recording::overview overview = reader.overview();
    REQUIRE(static_cast<bool>(overview));
    CHECK(overview.ended() && overview.damages().empty());
    CHECK_EQUAL(overview.transitions(), 20U * 200);
    REQUIRE(overview.files().size() == 1);
    CHECK_EQUAL(publicreader::text(overview.files()[0]), dir.file("run.ctr"));
    CHECK_EQUAL(overview.bytes(), contentOf(dir.file("run.ctr")).size());
    CHECK_EQUAL(overview.info(), reader.info());
    REQUIRE(overview.sums() != nullptr);
    CHECK_EQUAL(overview.sums()->untraced, 11U);
    std::uint64_t inBlocks = 0;
    for (const recording::block &block : overview.blocks())
        inBlocks += block.kind == CTR_KIND_STREAM ? block.transitions : 0;
    CHECK_EQUAL(inBlocks, overview.transitions());
    // The overview does not change the reading position.
    CHECK(static_cast<bool>(reader.next()));
    double sum = 0;
    for (const double count : reader.over_time(overview.first_ts(), overview.last_ts() + 1, 7))
        sum += count;
    CHECK(sum > 20 * 200 - 1 && sum < 20 * 200 + 1);
}

CT_CASE(readsSegmentsAsOneRecording)
{
    const TempDir dir;
    writeRotated(dir);
    std::string one;
    for (const auto &entry : std::filesystem::directory_iterator(dir.path()))
        one = std::max(one, entry.path().string());
    REQUIRE(!one.empty());
    checkAgree(one);
    recording::reader reader(one);
    const recording::overview overview = reader.overview();
    REQUIRE(static_cast<bool>(overview));
    CHECK(overview.files().size() > 1 && overview.ended());
    CHECK_EQUAL(overview.blocks().back().file, overview.files().size() - 1);
}

/// Damage does not end the reading. A failure does, and its message includes earlier damage.
CT_CASE(onlyAnErrorThatEndsTheReadingIsAFailure)
{
    const TempDir dir;
    writeRotated(dir);
    std::vector<std::string> paths;
    for (const auto &entry : std::filesystem::directory_iterator(dir.path()))
        paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end(), [](const std::string &a, const std::string &b) {
        return ctr::segmentNameOf(a)->number < ctr::segmentNameOf(b)->number;
    });
    REQUIRE(paths.size() >= 4);
    const std::uint64_t all = publicreader::readAll(paths[0]).sums.captured;
    const auto harm = [](const std::string &path, std::size_t at) {
        std::string content = contentOf(path);
        content[at] ^= 1;
        putContent(path, content);
    };
    harm(paths[0], contentOf(paths[0]).size() / 2);
    const publicreader::Everything damaged = publicreader::readAll(paths[0]);
    CHECK(damaged.status == recording::status::damaged && damaged.sums.captured > all / 2);
    checkAgree(paths[0]);
    harm(paths[2], 10);
    const publicreader::Everything failed = publicreader::readAll(paths[0]);
    CHECK(failed.status == recording::status::failed && failed.sums.captured < damaged.sums.captured);
    CHECK(failed.message.find(paths[2]) == 0);
    CHECK(failed.message.find(paths[0]) != std::string::npos && failed.message.find("left out") != std::string::npos);
    CHECK_EQUAL(failed.damages.size(), 1U);
    checkAgree(paths[0]);
}

/// Rows for which the library has no calls use no memory.
CT_CASE(rowsWithoutCallsUseNoMemory)
{
    const TempDir dir;
    constexpr std::size_t kFrames = 400'000;
    {
        RandomStream stream(8);
        const auto sink = writer(dir.file("run.ctr"));
        const Batch first = stream.next(10);
        REQUIRE(static_cast<bool>(sink->consume(first)));
        std::vector<FrameLocation> frames;
        for (CoroutineId id = 0; id < kFrames; ++id)
            frames.push_back({id, 1, 2, 3, 4, 5, "file", "function"});
        sink->addFrames(frames);
        REQUIRE(static_cast<bool>(sink->consume(stream.next(10))));
        REQUIRE(static_cast<bool>(sink->finish({})));
    }
    const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    recording::reader reader(dir.file("run.ctr"));
    while (reader.next()) {
    }
    CHECK_EQUAL(reader.message(), "");
    const std::size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    CHECK(after < before + kFrames * sizeof(FrameLocation) / 2);
}

CT_CASE(reportsFilesThatAreNoRecordings)
{
    const TempDir dir;
    putContent(dir.file("text"), "no recording at all");
    for (const std::string &path : {dir.file("text"), dir.file("missing"), dir.file("")}) {
        recording::reader reader(path);
        CHECK(reader.status() == recording::status::failed);
        CHECK(reader.message().find(path) != std::string_view::npos);
        CHECK(!reader.next() && !reader.overview());
        CHECK_EQUAL(reader.info(), "{}");
        CHECK(reader.damages().empty() && !reader.ended());
        CHECK_EQUAL(reader.sums().captured, 0U);
        CHECK(reader.over_time(0, 10, 5).empty());
    }
    ctr_close(nullptr);
    recording::reader nothing(nullptr);
    CHECK(nothing.status() == recording::status::failed);
}

/// Opening a pipe would block until a writer opens it.
CT_CASE(openingAPipeIsAnErrorAtOnce)
{
    const TempDir dir;
    for (const char *const name : {"pipe.ctr", "pipe.0.ctr", "pipe.jsonl", "pipe"}) {
        const std::string path = dir.file(name);
        REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        CHECK_EQUAL(RecordingReader::isRecording(path), path.ends_with(".ctr"));
        const auto source = openRecording(path);
        REQUIRE(!source);
        CHECK(source.error().message.find(path + " is a pipe") == 0);
        CHECK(source.error().message.find("--input -") != std::string::npos);
        recording::reader reader(path);
        CHECK(reader.status() == recording::status::failed);
        CHECK(
            std::string_view(reader.message()).starts_with(path + " is a pipe, not a file; choose a recording (.ctr)"));
        CHECK(!reader.overview());
    }
    CHECK(openRecording(dir.file("")).error().message.find("is a directory") != std::string::npos);
    CHECK(openRecording("/dev/null").error().message.find("is a device") != std::string::npos);
}

/// The library reads only .ctr.
CT_CASE(openingJsonlNamesTheConversion)
{
    const TempDir dir;
    CHECK(std::string_view(recording::reader(dir.file("")).message()).ends_with("choose a recording (.ctr)"));
    for (const auto &[name, content] : {std::pair("run.jsonl", "{\"note\":"), std::pair("run", "{\"probe_id\":1,"),
                                        std::pair("run.jsonl.gz", "\x1F\x8B")}) {
        const std::string path = dir.file(name);
        putContent(path, content);
        CHECK_EQUAL(std::string(recording::reader(path).message()),
                    path + " is JSONL; convert it to a recording (.ctr) first: corotracer-gui --batch --input " + path +
                        " --export ctr");
    }
    // Opened as what its name says, it cannot be converted.
    putContent(dir.file("run.ctr"), "{\"note\":");
    CHECK(std::string_view(recording::reader(dir.file("run.ctr")).message()).find("is not a recording") !=
          std::string_view::npos);
}

CT_CASE(agreesAboutTruncatedFiles)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"), 8);
    const std::string content = contentOf(dir.file("run.ctr"));
    std::mt19937 random(21);
    for (int i = 0; i < kHarms; ++i) {
        putContent(dir.file("cut.ctr"), std::string_view(content).substr(0, random() % content.size()));
        checkAgree(dir.file("cut.ctr"));
    }
}

CT_CASE(agreesAboutChangedBytes)
{
    const TempDir dir;
    writeSample(dir.file("run.ctr"), 8);
    const std::string content = contentOf(dir.file("run.ctr"));
    std::mt19937 random(22);
    for (int i = 0; i < kHarms; ++i) {
        std::string changed = content;
        changed[random() % changed.size()] ^= static_cast<char>(1 + random() % 255);
        putContent(dir.file("changed.ctr"), changed);
        checkAgree(dir.file("changed.ctr"));
    }
}
