// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/fileending.h"
#include "core/recording/library/openrecording.h"
#include "core/recording/text/lineoutput.h"
#include "core/recording/text/linesource.h"
#include "core/recording/write/filesink.h"
#include "tests/core/recording/text/jsonlsupport.h"
#include "tests/support/check.h"
#include "tests/support/filesizelimit.h"

#include <array>

using namespace jsonltest;
using ct::test::FileSizeLimit;

namespace {

constexpr std::array<const char *, 2> kEndings{".gz", ".zst"};

/// Events of one coroutine, in one batch for each second of stream time.
ct::Batch secondOf(std::uint64_t second, std::uint64_t events)
{
    ct::Batch batch;
    if (second == 0)
        batch.births.push_back(birth(0, 94016576340672, 1000, 4242));
    for (std::uint64_t i = 0; i < events; ++i) {
        const std::uint64_t n = second * events + i;
        batch.transitions.push_back(event(0, n, 1'000'000'000 * (second + 1) + i * 1'000, n % 2 == 1));
    }
    batch.now = 1'000'000'000 * (second + 1);
    return batch;
}

std::shared_ptr<ct::Sink> writer(const std::string &path)
{
    auto made = ct::makeJsonlWriter(path);
    REQUIRE(static_cast<bool>(made));
    return *made;
}

std::uint64_t writtenOf(const ct::Sink &sink)
{
    return dynamic_cast<const ct::FileSink &>(sink).written();
}

/// A file with two pieces and a few lines each.
std::string packedFile(const TempDir &dir, const std::string &ending)
{
    const std::string path = dir.file("whole.jsonl" + ending);
    const auto sink = writer(path);
    for (std::uint64_t second = 0; second < 3; ++second)
        CHECK(static_cast<bool>(sink->consume(secondOf(second, 4))));
    CHECK(static_cast<bool>(sink->finish({})));
    return contentOf(path);
}

/// The lines of a file, and the error at its end.
struct Lines {
    std::string text;
    std::string error;
};
Lines linesOf(const std::string &path)
{
    Lines lines;
    const auto source = ct::LineSource::open(path);
    REQUIRE(static_cast<bool>(source));
    ct::LineSource::Line line;
    for (;;) {
        const ct::Result<bool> more = (*source)->next(line);
        if (!more)
            lines.error = more.error().message;
        if (!more || !*more)
            return lines;
        lines.text.append(line.text).append(1, '\n');
    }
}

}  // namespace

CT_CASE(namesSelectThePacking)
{
    CHECK(ct::packingForName("run.jsonl.gz") == ct::Packing::Gzip);
    CHECK(ct::packingForName("RUN.CSV.ZST") == ct::Packing::Zstd);
    CHECK(ct::packingForName("run.jsonl") == ct::Packing::None);
    CHECK(ct::packingForName("-") == ct::Packing::None);
    CHECK_EQUAL(ct::addBeforeEnding("a.b/run.csv.gz", ".causes"), "a.b/run.causes.csv.gz");
    CHECK_EQUAL(ct::addBeforeEnding("a.b/run", ".causes"), "a.b/run.causes");
    CHECK_EQUAL(ct::addBeforeEnding("run.csv", ".1"), "run.1.csv");
    CHECK_EQUAL(ct::addBeforeEnding("dir/.csv", ".1"), "dir/.csv.1");
}

CT_CASE(compressedLinesComeBackUnchanged)
{
    const TempDir dir;
    const auto plain = writer(dir.file("run.jsonl"));
    for (std::uint64_t second = 0; second < 3; ++second)
        CHECK(static_cast<bool>(plain->consume(secondOf(second, 20'000))));
    CHECK(static_cast<bool>(plain->finish({})));
    const std::string text = contentOf(dir.file("run.jsonl"));
    for (const std::string ending : kEndings) {
        const std::string path = dir.file("run.jsonl" + ending);
        const auto sink = writer(path);
        for (std::uint64_t second = 0; second < 3; ++second)
            CHECK(static_cast<bool>(sink->consume(secondOf(second, 20'000))));
        CHECK(static_cast<bool>(sink->finish({})));
        CHECK_EQUAL(writtenOf(*sink), 60'000U);
        CHECK(contentOf(path).size() < text.size() / 5);
        const Lines lines = linesOf(path);
        CHECK_EQUAL(lines.error, "");
        CHECK(lines.text == text);
        CHECK_EQUAL(readAll(path).batch.transitions.size(), 60'000U);
    }
}

CT_CASE(aRunWithoutLinesIsAWholeFile)
{
    const TempDir dir;
    for (const std::string ending : kEndings) {
        const std::string path = dir.file("empty.jsonl" + ending);
        CHECK(static_cast<bool>(writer(path)->finish({})));
        CHECK(!contentOf(path).empty());
        const Lines lines = linesOf(path);
        CHECK_EQUAL(lines.error, "");
        CHECK_EQUAL(lines.text, "");
    }
}

CT_CASE(anUnfinishedFileHasAllButTheLatestSecond)
{
    const TempDir dir;
    for (const std::string ending : kEndings) {
        const std::string path = dir.file("run.jsonl" + ending);
        const auto sink = writer(path);
        for (std::uint64_t second = 0; second < 3; ++second)
            CHECK(static_cast<bool>(sink->consume(secondOf(second, 4))));
        // As after kill -9: neither finish() nor the destructor has run.
        const Everything all = readAll(path);
        CHECK_EQUAL(all.error, "");
        CHECK(all.batch.transitions.size() >= 8);
        CHECK_EQUAL(writtenOf(*sink), all.batch.transitions.size());
    }
}

CT_CASE(aFileCutAtAnyByteKeepsWhatIsBefore)
{
    const TempDir dir;
    for (const std::string ending : kEndings) {
        const std::string whole = packedFile(dir, ending);
        const std::string text = linesOf(dir.file("whole.jsonl" + ending)).text;
        const std::string path = dir.file("cut");
        std::size_t wholePieces = 0;
        for (std::size_t size = 4; size < whole.size(); ++size) {
            putContent(path, std::string_view(whole).substr(0, size));
            const Lines lines = linesOf(path);
            const bool isWhole = lines.error.empty();
            wholePieces += isWhole ? 1 : 0;
            CHECK(isWhole || lines.error.find("the compressed data are cut off after line") != std::string::npos);
            // The last line may be cut off itself.
            CHECK(text.starts_with(std::string_view(lines.text).substr(0, lines.text.size() - (isWhole ? 0 : 1))) ||
                  lines.text.empty());
            const Everything all = readAll(path);
            CHECK_EQUAL(all.error.empty(), isWhole);
            CHECK(isWhole || all.error.find("cut off") != std::string::npos);
            CHECK_EQUAL(all.sums.captured, all.batch.transitions.size());
        }
        CHECK_EQUAL(wholePieces, 1U);  // of two
    }
}

CT_CASE(damageIsAnErrorAndHasItsPlace)
{
    const TempDir dir;
    for (const std::string ending : kEndings) {
        const std::string whole = packedFile(dir, ending);
        for (std::size_t at = 4; at < whole.size(); ++at) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
            putContent(dir.file("damaged"), damaged);
            const Lines lines = linesOf(dir.file("damaged"));  // ends, with or without an error
            if (lines.error.find("damaged after line") == std::string::npos)
                continue;
            CHECK(lines.error.find("open an intact copy") != std::string::npos);
        }
        putContent(dir.file("damaged"), whole + "garbage");
        CHECK(linesOf(dir.file("damaged")).error.find("damaged after line 12") != std::string::npos);
    }
}

CT_CASE(aFullDiskKeepsWholePiecesAndCountsThem)
{
    const TempDir dir;
    for (const std::string ending : kEndings) {
        const std::string path = dir.file("full.jsonl" + ending);
        const auto sink = writer(path);
        ct::Result<void> written;
        std::uint64_t second = 0;
        {
            const FileSizeLimit limit(60'000);
            for (; written && second < 1000; ++second)
                written = sink->consume(secondOf(second, 1000));
            CHECK(static_cast<bool>(sink->finish({})) || !written);
        }
        CHECK(!written);
        CHECK(second > 3);
        const Everything all = readAll(path);
        CHECK_EQUAL(all.error, "");
        CHECK_EQUAL(all.batch.transitions.size(), writtenOf(*sink));
        CHECK(writtenOf(*sink) > 0);
    }
}

CT_CASE(compressedFilesOfOtherFormatsAreRefused)
{
    const TempDir dir;
    for (const auto &[ending, program] : {std::pair(".gz", "gzip -d"), std::pair(".zst", "zstd -d")}) {
        const std::string path = dir.file(std::string("run") + ending);
        const auto packer = ct::Packer::make(ct::packingForName(path));
        for (const auto &[begin, what] : {std::pair("CTRECORD", "a compressed recording (.ctr)"),
                                          std::pair("SQLite format 3", "a compressed database")}) {
            // Longer than a line may be.
            const auto packed = packer->pack(std::string(begin) + std::string(3U << 20, '\0'));
            REQUIRE(static_cast<bool>(packed));
            putContent(path, *packed);
            const auto opened = ct::openRecording(path);
            REQUIRE(!opened);
            CHECK_EQUAL(opened.error().message, path + " is " + what + "; decompress it first, with " + program);
        }
        // Text that is damaged from the start is an error of its first line.
        putContent(path, contentOf(path).substr(0, 6));
        CHECK(static_cast<bool>(ct::openRecording(path)));
    }
}

CT_CASE(concatenatedFilesAreOneText)
{
    const TempDir dir;
    for (const std::string ending : kEndings) {
        const std::string whole = packedFile(dir, ending);
        const std::string text = linesOf(dir.file("whole.jsonl" + ending)).text;
        putContent(dir.file("twice"), whole + whole);
        CHECK_EQUAL(linesOf(dir.file("twice")).text, text + text);
    }
}
