// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#define XXH_STATIC_LINKING_ONLY  // for a hash state on the stack
#include "core/recording/format/checksum.h"
#include "core/recording/read/blocksurvey.h"
#include "core/recording/write/blockwriter.h"
#include "tests/core/recording/recordingtest.h"

#include <algorithm>
#include <cstring>

using namespace recordingtest;
using namespace ct::ctr;

namespace {

struct Written {
    std::vector<std::string> payloads;
    std::vector<std::uint64_t> offsets;  ///< offsets of the blocks, then of the End block
};

Written writeBlocks(const std::string &path, int count, bool finish = true)
{
    Written written;
    auto blocks = BlockWriter::open(path);
    REQUIRE(static_cast<bool>(blocks));
    std::uint64_t offset = 64;
    for (int i = 0; i < count; ++i) {
        std::string text;
        for (int k = 0; k < i * 40; ++k)
            text += "payload " + std::to_string(i * k);
        ColumnWriter payload;
        payload.bytes(text);
        written.payloads.push_back(text);
        written.offsets.push_back(offset);
        CHECK(static_cast<bool>(
            (*blocks)->write(static_cast<Kind>(1 + i % 4), payload, {static_cast<std::uint32_t>(i), 100, 200})));
        offset = std::filesystem::file_size(path);
    }
    written.offsets.push_back(offset);
    if (finish)
        CHECK(static_cast<bool>((*blocks)->finish()));
    return written;
}

std::unique_ptr<BlockReader> open(const std::string &path)
{
    auto reader = BlockReader::open(path);
    REQUIRE(static_cast<bool>(reader));
    return std::move(*reader);
}

std::vector<std::string> payloadsOf(BlockReader &reader)
{
    std::vector<std::string> payloads;
    Block block;
    for (;;) {
        const Result<bool> more = reader.next(block);
        REQUIRE(static_cast<bool>(more));
        if (!*more || block.head.kind == Kind::End)
            return payloads;
        payloads.emplace_back(block.payload);
    }
}

std::string refusal(const std::string &path)
{
    const auto reader = BlockReader::open(path);
    return reader ? "" : reader.error().message;
}

}  // namespace

CT_CASE(blocksRoundTrip)
{
    const TempDir dir;
    const Written written = writeBlocks(dir.file("a.ctr"), 10);
    const auto reader = open(dir.file("a.ctr"));
    CHECK(payloadsOf(*reader) == written.payloads);
    CHECK(reader->hasEnded());
    CHECK(reader->damages().empty());
    CHECK_EQUAL(reader->progress() > 0.8, true);
}

CT_CASE(theIndexIsReadOrRebuilt)
{
    const TempDir dir;
    const Written written = writeBlocks(dir.file("a.ctr"), 10);
    const auto withIndex = surveyBlocks(*open(dir.file("a.ctr")));
    REQUIRE(static_cast<bool>(withIndex));
    std::string content = contentOf(dir.file("a.ctr"));
    putContent(dir.file("b.ctr"), std::string_view(content).substr(0, content.size() - 1));
    const auto rebuilt = surveyBlocks(*open(dir.file("b.ctr")));
    REQUIRE(static_cast<bool>(rebuilt));
    CHECK(withIndex->hasEnded && rebuilt->hasEnded && rebuilt->damages.empty());
    REQUIRE(withIndex->blocks.size() == 10 && rebuilt->blocks.size() == 10);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK_EQUAL(withIndex->blocks[i].offset, written.offsets[i]);
        CHECK_EQUAL(rebuilt->blocks[i].offset, written.offsets[i]);
        CHECK_EQUAL(withIndex->blocks[i].transitions, i);
        CHECK_EQUAL(rebuilt->blocks[i].transitions, i);
    }
}

CT_CASE(aSurveyListsAllBlocksAndRewinds)
{
    const TempDir dir;
    const Written written = writeBlocks(dir.file("a.ctr"), 10);
    std::string content = contentOf(dir.file("a.ctr"));
    content[written.offsets[4] + 70] ^= 1;  // in a payload, which only next() checks
    putContent(dir.file("a.ctr"), content);
    putContent(dir.file("b.ctr"), std::string_view(content).substr(0, content.size() - 1));
    for (const char *name : {"a.ctr", "b.ctr"}) {
        const auto reader = open(dir.file(name));
        CHECK_EQUAL(payloadsOf(*reader).size(), 9U);
        CHECK(reader->hasEnded() && reader->damages().size() == 1 && reader->lostBlocks() == 1);
        const auto survey = surveyBlocks(*reader);
        REQUIRE(static_cast<bool>(survey));
        CHECK_EQUAL(survey->blocks.size(), 10U);
        CHECK(survey->damages.empty());
        CHECK(!reader->hasEnded() && reader->damages().empty() && reader->lostBlocks() == 0);
        CHECK_EQUAL(payloadsOf(*reader).size(), 9U);
        CHECK(reader->hasEnded() && reader->damages().size() == 1 && reader->lostBlocks() == 1);
    }
}

CT_CASE(blocksAreFoundBehindADamagedLength)
{
    const TempDir dir;
    const Written written = writeBlocks(dir.file("a.ctr"), 10);
    std::string content = contentOf(dir.file("a.ctr"));
    // The bytes behind are not a block, and the bytes between must not be skipped.
    content[written.offsets[4] + 20] ^= 0x7F;
    putContent(dir.file("a.ctr"), std::string_view(content).substr(0, content.size() - 1));
    const auto survey = surveyBlocks(*open(dir.file("a.ctr")));
    REQUIRE(static_cast<bool>(survey));
    REQUIRE(survey->blocks.size() == 9 && survey->damages.size() == 1);
    CHECK_EQUAL(survey->blocks[3].offset, written.offsets[3]);
    CHECK_EQUAL(survey->blocks[4].offset, written.offsets[5]);
    CHECK_EQUAL(survey->damages[0].offset, written.offsets[4]);
}

CT_CASE(readsABlockByItsLocation)
{
    const TempDir dir;
    const Written written = writeBlocks(dir.file("a.ctr"), 10);
    const auto reader = open(dir.file("a.ctr"));
    const auto survey = surveyBlocks(*reader);
    REQUIRE(static_cast<bool>(survey));
    Block block;
    for (const std::size_t i : {7U, 2U}) {
        const Result<bool> read = reader->read(survey->blocks[i], block);
        REQUIRE(read && *read);
        CHECK_EQUAL(std::string(block.payload), written.payloads[i]);
    }
    CHECK(payloadsOf(*reader) == written.payloads);
    BlockLocation wrong = survey->blocks[2];
    ++wrong.offset;
    const Result<bool> none = reader->read(wrong, block);
    CHECK(none && !*none);
}

CT_CASE(continuesBehindDamage)
{
    const TempDir dir;
    const Written written = writeBlocks(dir.file("a.ctr"), 10);
    std::string content = contentOf(dir.file("a.ctr"));
    content[written.offsets[4] + 70] ^= 1;
    content[written.offsets[5] + 2] ^= 1;
    putContent(dir.file("a.ctr"), content);
    const auto reader = open(dir.file("a.ctr"));
    std::vector<std::string> expected = written.payloads;
    expected.erase(expected.begin() + 4, expected.begin() + 6);
    CHECK(payloadsOf(*reader) == expected);
    REQUIRE(reader->damages().size() == 1);
    const Damage &damage = reader->damages().front();
    CHECK_EQUAL(damage.offset, written.offsets[4]);
    CHECK_EQUAL(damage.bytes, written.offsets[6] - written.offsets[4]);
    CHECK_EQUAL(damage.transitions, 4U + 5U);
    CHECK(!damage.atEnd);
    CHECK_EQUAL(reader->lostBlocks(), 2U);
}

/// Bytes that are not a block may claim any length. The reader does not skip that far.
CT_CASE(continuesBehindDamageWithALongLength)
{
    const TempDir dir;
    const Written written = writeBlocks(dir.file("a.ctr"), 12);
    const std::string content = contentOf(dir.file("a.ctr"));
    const std::string huge = "\xFF\xFF\xFF\xFF";
    constexpr std::size_t kBytes = 20;  // offset of the length in a head
    const auto check = [&](std::string harmed, std::size_t lost) {
        putContent(dir.file("b.ctr"), harmed);
        putContent(dir.file("c.ctr"), harmed.substr(0, harmed.size() - 1));  // without an index
        std::vector<std::string> expected = written.payloads;
        expected.erase(expected.begin() + 8, expected.begin() + 8 + static_cast<std::ptrdiff_t>(lost));
        const auto reader = open(dir.file("b.ctr"));
        CHECK(payloadsOf(*reader) == expected);
        REQUIRE(reader->damages().size() == 1);
        CHECK(!reader->damages()[0].atEnd);
        CHECK_EQUAL(reader->damages()[0].bytes, written.offsets[8 + lost] - written.offsets[8]);
        const auto survey = surveyBlocks(*open(dir.file("c.ctr")));
        // Heads alone do not show that a payload is damaged.
        CHECK(survey && survey->hasEnded && survey->blocks.size() + lost >= 12);
    };
    std::string neighbours = content;
    neighbours[written.offsets[8] + 70] ^= 1;
    neighbours.replace(written.offsets[9] + kBytes, huge.size(), huge);
    check(neighbours, 2);
    REQUIRE(written.offsets[9] - written.offsets[8] > 64 + 8 + 24);
    std::string payload = content;
    payload.replace(written.offsets[8] + 64 + 8, 4, "ctBk");
    payload.replace(written.offsets[8] + 64 + 8 + kBytes, huge.size(), huge);
    check(payload, 1);
}

CT_CASE(reportsBlocksCutOutOrInserted)
{
    const TempDir dir;
    const Written written = writeBlocks(dir.file("a.ctr"), 10);
    const std::string content = contentOf(dir.file("a.ctr"));
    const auto part = [&](std::size_t from, std::size_t to) {
        return content.substr(written.offsets[from], written.offsets[to] - written.offsets[from]);
    };
    putContent(dir.file("cut.ctr"), content.substr(0, written.offsets[3]) + content.substr(written.offsets[5]));
    const auto cut = open(dir.file("cut.ctr"));
    CHECK_EQUAL(payloadsOf(*cut).size(), 8U);
    REQUIRE(cut->damages().size() == 1);
    CHECK_EQUAL(cut->damages()[0].bytes, 0U);
    CHECK_EQUAL(cut->damages()[0].transitions, 3U + 4U);
    // A repeated block is not part of the recording.
    putContent(dir.file("twice.ctr"),
               content.substr(0, written.offsets[5]) + part(2, 4) + content.substr(written.offsets[5]));
    const auto twice = open(dir.file("twice.ctr"));
    CHECK(payloadsOf(*twice) == written.payloads);
    REQUIRE(twice->damages().size() == 1);
    CHECK_EQUAL(twice->damages()[0].bytes, part(2, 4).size());
    // Nor is a block of another recording.
    writeBlocks(dir.file("other.ctr"), 10);
    const std::string other = contentOf(dir.file("other.ctr"));
    putContent(dir.file("mixed.ctr"), content.substr(0, written.offsets[5]) + other.substr(written.offsets[5]));
    const auto mixed = open(dir.file("mixed.ctr"));
    CHECK_EQUAL(payloadsOf(*mixed).size(), 5U);
    CHECK_EQUAL(mixed->damages().size(), 1U);
}

CT_CASE(unfinishedFilesEndAtTheirLastBlock)
{
    const TempDir dir;
    const Written written = writeBlocks(dir.file("a.ctr"), 5, false);
    const auto whole = open(dir.file("a.ctr"));
    CHECK(payloadsOf(*whole) == written.payloads);
    CHECK(!whole->hasEnded());
    CHECK(whole->damages().empty());
    const std::string content = contentOf(dir.file("a.ctr"));
    putContent(dir.file("cut.ctr"), std::string_view(content).substr(0, content.size() - 1));
    const auto cut = open(dir.file("cut.ctr"));
    CHECK_EQUAL(payloadsOf(*cut).size(), 4U);
    REQUIRE(cut->damages().size() == 1);
    CHECK(cut->damages()[0].atEnd);
    CHECK_EQUAL(cut->damages()[0].bytes, content.size() - 1 - written.offsets[4]);
}

CT_CASE(refusesFilesThatAreNoRecordings)
{
    const TempDir dir;
    writeBlocks(dir.file("a.ctr"), 2);
    std::string content = contentOf(dir.file("a.ctr"));
    const auto with = [&](std::size_t at, char value) {
        std::string changed = content;
        changed[at] = value;
        putContent(dir.file("b.ctr"), changed);
        return refusal(dir.file("b.ctr"));
    };
    CHECK(with(0, 'x').find("not a recording") != std::string::npos);
    // Only an undamaged head states its version.
    const auto signedHead = [&](auto &&change) {
        FileHead head;
        std::memcpy(&head, content.data(), sizeof(head));
        change(head);
        head.check = checkOf(head);
        std::string changed = content;
        std::memcpy(changed.data(), &head, sizeof(head));
        putContent(dir.file("b.ctr"), changed);
        return refusal(dir.file("b.ctr"));
    };
    CHECK(signedHead([](FileHead &head) { head.version = kVersion + 1; }).find("newer version") != std::string::npos);
    CHECK(with(8, 2).find("damaged") != std::string::npos);
    CHECK(with(10, 1).find("damaged") != std::string::npos);
    CHECK(with(12, 1).find("damaged") != std::string::npos);
    CHECK(signedHead([](FileHead &head) { head.byteOrder = 1; }).find("damaged") != std::string::npos);
    std::string swapped = content;
    std::reverse(swapped.begin() + 12, swapped.begin() + 16);
    putContent(dir.file("b.ctr"), swapped);
    CHECK(refusal(dir.file("b.ctr")).find("byte order") != std::string::npos);
    CHECK(with(20, static_cast<char>(content[20] ^ 1)).find("damaged") != std::string::npos);
    putContent(dir.file("c.ctr"), content.substr(0, 63));
    CHECK(refusal(dir.file("c.ctr")).find("cut off") != std::string::npos);
    putContent(dir.file("d.ctr"), "");
    CHECK(!refusal(dir.file("d.ctr")).empty());
    CHECK(refusal(dir.file("nothing.ctr")).find("nothing.ctr") != std::string::npos);
    CHECK(!refusal("/tmp").empty());
}
