// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Recordings read by a program that was written from docs/recording.md alone (tests/support/ctr.py).
#include "tests/core/recording/recordingtest.h"
#include "tests/support/paths.h"
#include "tests/support/publicreader.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <unordered_map>
#include <utility>

using namespace recordingtest;

namespace {

bool run(const std::string &command)
{
    return std::system(command.c_str()) == 0;
}

std::string textOf(const std::vector<Batch> &batches)
{
    std::string text;
    for (const Batch &batch : batches)
        text += recordingtest::textOf(batch);
    return text;
}

/// Returns the standard output of the other reader; its standard error goes to `facts`.
std::string peer(const TempDir &dir, const std::string &path, std::string *facts = nullptr)
{
    CHECK(run("python3 " + ct::test::kSourceDir + "/tests/support/ctr.py " + path + " > " + dir.file("out") + " 2> " +
              dir.file("facts")));
    if (facts)
        *facts = contentOf(dir.file("facts"));
    return contentOf(dir.file("out"));
}

void recordProgram(const std::string &path, const std::string &program)
{
    REQUIRE(run(ct::test::kBinDir + "/corotracer-gui --batch --session peer -o " + path + " -- " + ct::test::kBinDir +
                "/" + program + " > /dev/null 2>&1"));
}

template <class Visit>
void forEachTransition(const std::vector<Batch> &batches, Visit &&visit)
{
    for (const Batch &batch : batches) {
        for (Transition event : batch.transitions) {
            const SiteId site = std::exchange(event.site, kUnknownSite);
            visit(recordingtest::textOf(event), site);
        }
    }
}

/// The content of an intact file.
struct Original {
    struct Block {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint64_t transitions = 0;
    };
    std::unordered_map<std::string, SiteId> events;  ///< text without the site
    std::vector<Block> blocks;
    std::string content;
};

Original originalOf(const std::string &path)
{
    Original original;
    forEachTransition(publicreader::readAll(path).batches, [&](const std::string &event, SiteId site) {
        CHECK(original.events.emplace(event, site).second);
    });
    const auto reader = ctr::BlockReader::open(path);
    REQUIRE(static_cast<bool>(reader));
    ctr::Block block;
    while (*(*reader)->nextStored(block))
        original.blocks.push_back(
            {block.offset, block.offset + sizeof(block.head) + block.head.bytes, block.head.transitions});
    original.content = contentOf(path);
    return original;
}

/// Reads a damaged copy with the public library. It must yield exactly the events of the blocks for which `isWhole` is
/// true, each once and as it was written. Only a site may be missing.
template <class IsWhole>
void checkHarmed(const std::string &path, const Original &original, IsWhole &&isWhole)
{
    const publicreader::Everything all = publicreader::readAll(path);
    std::unordered_map<std::string, SiteId> left = original.events;
    std::size_t shown = 0;
    forEachTransition(all.batches, [&](const std::string &event, SiteId site) {
        ++shown;
        const auto found = left.find(event);
        if (found == left.end() || (site != kUnknownSite && site != found->second))
            CHECK_EQUAL(event, "one that was written, once");
        else
            left.erase(found);
    });
    std::size_t whole = 0;
    for (const Original::Block &block : original.blocks)
        whole += isWhole(block) ? block.transitions : 0;
    CHECK_EQUAL(shown, whole);
    CHECK_EQUAL(all.sums.captured, shown);
    CHECK(left.empty() || !all.message.empty() || !all.ended);
    CHECK((all.status == corotracer::recording::status::good) == all.message.empty());
}

/// Changes up to `count` random bytes and checks the result.
void checkFlipped(const std::string &path, const Original &original, std::mt19937 &random, int count)
{
    std::string flipped = original.content;
    std::vector<std::size_t> offsets;
    for (int i = 0; i < count; ++i) {
        const std::size_t at = random() % flipped.size();
        if (std::find(offsets.begin(), offsets.end(), at) != offsets.end())
            continue;
        flipped[at] ^= static_cast<char>(1 + random() % 255);
        offsets.push_back(at);
    }
    putContent(path, flipped);
    checkHarmed(path, original, [&](const Original::Block &block) {
        return std::none_of(offsets.begin(), offsets.end(), [&](std::size_t at) {
            return at < sizeof(ctr::FileHead) || (at >= block.begin && at < block.end);
        });
    });
}

}  // namespace

CT_CASE(peerReadsRandomStreams)
{
    const TempDir dir;
    for (unsigned seed = 0; seed < 3; ++seed) {
        RandomStream stream(seed);
        std::vector<Batch> batches;
        const auto sink = writer(dir.file("run.ctr"));
        for (int i = 0; i < 60; ++i) {
            batches.push_back(stream.next(300));
            CHECK(static_cast<bool>(sink->consume(batches.back())));
        }
        Accounting sums;
        sums.untraced = 12345;
        CHECK(static_cast<bool>(sink->finish(sums)));
        std::string facts;
        CHECK(peer(dir, dir.file("run.ctr"), &facts) == textOf(batches));
        CHECK(facts.find("12345") != std::string::npos);
    }
}

CT_CASE(peerReadsRealRuns)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    for (const char *program : {"ct_storm --coroutines 300 --threads 2 --transitions 100000 --rate 500000",
                                "ct_causality --workers 20", "ct_processes --processes 2 --coroutines 20 --turns 50"}) {
        recordProgram(path, program);
        const Everything all = readAll(path);
        CHECK_EQUAL(all.error, "");
        CHECK(all.hasEnded);
        CHECK(all.sums.captured > 100);
        std::string facts;
        CHECK(peer(dir, path, &facts) == textOf(all.batches));
        CHECK(facts.find("\"session\": \"peer\"") != std::string::npos);
    }
}

CT_CASE(damageIsNoticedByBoth)
{
    const TempDir dir;
    recordProgram(dir.file("run.ctr"), "ct_causality --workers 5");
    std::string content = contentOf(dir.file("run.ctr"));
    content[content.size() / 2] ^= 16;
    putContent(dir.file("run.ctr"), content);
    CHECK(!readAll(dir.file("run.ctr")).error.empty());
    CHECK(
        !run("python3 " + ct::test::kSourceDir + "/tests/support/ctr.py " + dir.file("run.ctr") + " > /dev/null 2>&1"));
}

CT_CASE(peersReadOnlyWrittenEventsOfDamagedFiles)
{
    const TempDir dir;
    recordProgram(dir.file("run.ctr"), "ct_causality --workers 5");
    const Original original = originalOf(dir.file("run.ctr"));
    REQUIRE(original.events.size() > 20);
    checkHarmed(dir.file("run.ctr"), original, [](const Original::Block &) { return true; });
    std::mt19937 random(31);
    for (int i = 0; i < 2000; ++i) {
        const std::size_t size = random() % original.content.size();
        putContent(dir.file("cut.ctr"), std::string_view(original.content).substr(0, size));
        checkHarmed(dir.file("cut.ctr"), original, [&](const Original::Block &block) { return block.end <= size; });
        checkFlipped(dir.file("flipped.ctr"), original, random, 1);
    }
}

/// A file with many blocks, of which several are damaged, also adjacent ones.
CT_CASE(peersReadAllIntactBlocks)
{
    const TempDir dir;
    RandomStream stream(4);
    const auto sink = writer(dir.file("run.ctr"));
    for (std::uint64_t i = 0; i < 24; ++i) {
        Batch batch = stream.next(40);
        batch.now += i * 600'000'000;  // two batches per block
        CHECK(static_cast<bool>(sink->consume(batch)));
    }
    CHECK(static_cast<bool>(sink->finish({})));
    const Original original = originalOf(dir.file("run.ctr"));
    REQUIRE(original.blocks.size() > 10);
    std::mt19937 random(32);
    for (int i = 0; i < 2000; ++i)
        checkFlipped(dir.file("flipped.ctr"), original, random, 4);
    // Damages the length field of a block that follows a damaged block.
    for (std::size_t i = 0; i + 2 < original.blocks.size(); ++i) {
        std::string flipped = original.content;
        flipped[original.blocks[i].begin + 70] ^= 1;
        flipped[original.blocks[i + 1].begin + 23] ^= 0x7F;
        putContent(dir.file("flipped.ctr"), flipped);
        checkHarmed(dir.file("flipped.ctr"), original, [&](const Original::Block &block) {
            return block.begin != original.blocks[i].begin && block.begin != original.blocks[i + 1].begin;
        });
    }
}
