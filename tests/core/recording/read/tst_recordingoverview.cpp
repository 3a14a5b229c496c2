// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#define XXH_STATIC_LINKING_ONLY  // for a hash state on the stack
#include "core/recording/read/recordingoverview.h"

#include "core/recording/format/checksum.h"
#include "core/recording/write/blockwriter.h"
#include "tests/core/recording/recordingtest.h"

#include <cmath>
#include <random>

using namespace recordingtest;
using namespace ct::ctr;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kStart = 1'000 * kSecond;

/// A batch per second, each with twice as many transitions as the previous one.
Batch second(std::uint64_t index)
{
    Batch batch;
    if (index == 0)
        batch.births = {jsonltest::birth(0, 1)};
    const std::uint64_t count = 8U << index;
    for (std::uint64_t i = 0; i < count; ++i)
        batch.transitions.push_back(
            jsonltest::event(0, count - 8 + i, kStart + index * kSecond + i * kSecond / count, i % 2 != 0));
    batch.now = kStart + (index + 1) * kSecond;
    return batch;
}

void writeSeconds(const std::string &path, std::uint64_t count)
{
    const auto sink = writer(path);
    RecordingInfo info;
    info.session = "seconds";
    sink->addInfo(info);
    sink->setSums([] {
        Accounting sums;
        sums.untraced = 3;
        return sums;
    });
    for (std::uint64_t i = 0; i < count; ++i)
        REQUIRE(static_cast<bool>(sink->consume(second(i))));
    RecordingInfo exit;
    exit.exit.emplace().status = 4;
    sink->addInfo(exit);
    Accounting sums;
    sums.untraced = 5;
    REQUIRE(static_cast<bool>(sink->finish(sums)));
}

RecordingOverview overview(const std::string &path)
{
    const Result<RecordingOverview> read = overviewOf(path);
    REQUIRE(static_cast<bool>(read));
    return *read;
}

double sum(const std::vector<double> &counts)
{
    double all = 0;
    for (const double count : counts) {
        CHECK(count >= 0);
        all += count;
    }
    return all;
}

bool isAbout(double value, double expected)
{
    return std::abs(value - expected) <= 0.001 * (1 + expected);
}

/// Whatever the file contains, the result is an overview or an error.
void checkRobust(const std::string &path)
{
    const Result<RecordingOverview> read = overviewOf(path);
    if (!read) {
        CHECK(read.error().message.find(path) != std::string::npos);
        return;
    }
    CHECK(read->firstTs <= read->lastTs);
    for (const std::size_t columns : {0U, 1U, 100U}) {
        for (const double count : read->transitionsOverTime(read->firstTs, read->lastTs, columns))
            CHECK(std::isfinite(count) && count >= 0);
    }
}

}  // namespace

CT_CASE(computesTheOverviewFromTheHeads)
{
    const TempDir dir;
    writeSeconds(dir.file("run.ctr"), 6);
    const RecordingOverview all = overview(dir.file("run.ctr"));
    CHECK(all.hasEnded && all.damages.empty() && all.trouble.empty());
    CHECK_EQUAL(all.transitions, 8U * 63);
    CHECK_EQUAL(all.firstTs, kStart);
    CHECK_EQUAL(all.lastTs, kStart + 6 * kSecond);
    CHECK_EQUAL(all.info.session, "seconds");
    CHECK(all.info.exit && all.info.exit->status == 4U);
    CHECK(all.sums && all.sums->untraced == 5);
    CHECK(all.files == std::vector<std::string>{dir.file("run.ctr")});
    CHECK_EQUAL(all.bytes, std::filesystem::file_size(dir.file("run.ctr")));
}

CT_CASE(spreadsTransitionsOverTime)
{
    const TempDir dir;
    writeSeconds(dir.file("run.ctr"), 6);
    const RecordingOverview all = overview(dir.file("run.ctr"));
    const std::vector<double> seconds = all.transitionsOverTime(kStart, kStart + 6 * kSecond + 1, 6);
    CHECK(isAbout(sum(seconds), 8 * 63));
    // Two batches make a block.
    CHECK(isAbout(seconds[0], 12) && isAbout(seconds[3], 48) && isAbout(seconds[5], 192));
    CHECK(isAbout(sum(all.transitionsOverTime(kStart, kStart + 6 * kSecond + 1, 1000)), 8 * 63));
    CHECK(isAbout(sum(all.transitionsOverTime(0, ~std::uint64_t{0}, 33)), 8 * 63));
    // A part of the time has a part of the transitions; outside there are none.
    CHECK(sum(all.transitionsOverTime(kStart, kStart + kSecond, 10)) < 20);
    CHECK_EQUAL(sum(all.transitionsOverTime(0, kStart, 10)), 0);
    CHECK(all.transitionsOverTime(5, 5, 3) == std::vector<double>(3));
    CHECK(all.transitionsOverTime(1, 5, 0).empty());
}

CT_CASE(countsTransitionsOfOneMoment)
{
    RecordingOverview all;
    all.blocks.push_back({{64, static_cast<std::uint16_t>(Kind::Stream), 100, 5000, 5000}, 0});
    const std::vector<double> counts = all.transitionsOverTime(0, 10'000, 4);
    CHECK(isAbout(counts[2], 100) && isAbout(sum(counts), 100));
    CHECK(isAbout(sum(all.transitionsOverTime(0, ~std::uint64_t{0}, 1 << 20)), 100));
    CHECK(isAbout(all.transitionsOverTime(5000, 5001, 1)[0], 100));
}

CT_CASE(computesTheOverviewWithoutAnIndex)
{
    const TempDir dir;
    writeSeconds(dir.file("run.ctr"), 6);
    const RecordingOverview whole = overview(dir.file("run.ctr"));
    std::string content = contentOf(dir.file("run.ctr"));
    // Cut within the last block of the stream: the overview has everything before it.
    content.resize(whole.blocks.back().location.offset + 70);
    putContent(dir.file("run.ctr"), content);
    const RecordingOverview cut = overview(dir.file("run.ctr"));
    CHECK(!cut.hasEnded);
    CHECK_EQUAL(cut.blocks.size(), whole.blocks.size() - 1);
    REQUIRE(cut.damages.size() == 1);
    CHECK(cut.damages[0].atEnd && cut.damages[0].bytes == 70);
    CHECK(cut.sums && cut.sums->untraced == 3);
    CHECK_EQUAL(cut.firstTs, whole.firstTs);
}

CT_CASE(includesAllSegments)
{
    const TempDir dir;
    RecordingLimits limits;
    limits.ns = 20 * kSecond;
    {
        const auto sink = RecordingWriter::open(dir.file("run.ctr"), limits);
        REQUIRE(static_cast<bool>(sink));
        RandomStream stream(3);
        for (std::uint64_t i = 0; i < 40; ++i) {
            Batch batch = stream.next(200);
            batch.now = kStart + i * kSecond;
            REQUIRE(static_cast<bool>((*sink)->consume(batch)));
        }
        REQUIRE(static_cast<bool>((*sink)->finish({})));
    }
    std::vector<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(dir.path()))
        files.push_back(entry.path().string());
    REQUIRE(files.size() > 2);
    for (const std::string &file : files) {
        const RecordingOverview all = overview(file);
        CHECK_EQUAL(all.files.size(), files.size());
        CHECK(all.transitions % 200 == 0 && all.transitions > 15 * 200);
        CHECK(all.hasEnded);
    }
    // A later file that is not a recording any more.
    const std::string last = overview(files[0]).files.back();
    putContent(last, "destroyed");
    const RecordingOverview rest = overview(overview(files[0]).files.front());
    CHECK(!rest.hasEnded);
    CHECK(rest.trouble.find(last) != std::string::npos);
}

CT_CASE(acceptsEmptyRecordingsAndRefusesOtherFiles)
{
    const TempDir dir;
    REQUIRE(static_cast<bool>(writer(dir.file("empty.ctr"))->finish({})));
    const RecordingOverview empty = overview(dir.file("empty.ctr"));
    CHECK(empty.transitions == 0 && empty.firstTs == 0 && empty.lastTs == 0 && empty.hasEnded);
    putContent(dir.file("text"), "no recording");
    CHECK(!overviewOf(dir.file("text")));
    CHECK(!overviewOf(dir.file("missing")));
}

/// An index with wrong entries gives wrong figures at worst.
CT_CASE(survivesAWrongIndex)
{
    const TempDir dir;
    auto blocks = BlockWriter::open(dir.file("run.ctr"));
    REQUIRE(static_cast<bool>(blocks));
    std::mt19937_64 random(9);
    for (int i = 0; i < 50; ++i)
        REQUIRE(static_cast<bool>(
            (*blocks)->write(static_cast<Kind>(1 + i % 4), ColumnWriter(),
                             {static_cast<std::uint32_t>(random()), random() >> (i % 64), random()})));
    std::vector<BlockLocation> locations;
    for (int i = 0; i < 1000; ++i)
        locations.push_back({random() >> (i % 64), static_cast<std::uint16_t>(i % 6),
                             static_cast<std::uint32_t>(random()), random() >> (i % 60), random()});
    ColumnWriter payload;
    BlockLocationLayout::write(locations, payload);
    const std::uint64_t end = std::filesystem::file_size(dir.file("run.ctr"));
    REQUIRE(static_cast<bool>((*blocks)->write(Kind::End, payload, {})));
    REQUIRE(static_cast<bool>((*blocks)->finish()));
    checkRobust(dir.file("run.ctr"));
    // Make the trailer name that index.
    std::string content = contentOf(dir.file("run.ctr"));
    Trailer trailer;
    trailer.endBlock = end;
    std::memcpy(&trailer.recording, content.data() + 16, sizeof(trailer.recording));
    trailer.check = checkOf(trailer);
    content.replace(content.size() - sizeof(trailer), sizeof(trailer), reinterpret_cast<const char *>(&trailer),
                    sizeof(trailer));
    putContent(dir.file("run.ctr"), content);
    checkRobust(dir.file("run.ctr"));
    CHECK_EQUAL(overview(dir.file("run.ctr")).blocks.size(), 1000U);
}

CT_CASE(survivesTruncatedAndChangedFiles)
{
    const TempDir dir;
    writeSeconds(dir.file("run.ctr"), 8);
    const std::string content = contentOf(dir.file("run.ctr"));
    std::mt19937 random(13);
    for (int i = 0; i < 2000; ++i) {
        std::string changed = content;
        if (i % 2)
            changed.resize(random() % changed.size());
        else
            changed[random() % changed.size()] ^= static_cast<char>(1 + random() % 255);
        putContent(dir.file("changed.ctr"), changed);
        checkRobust(dir.file("changed.ctr"));
    }
}
