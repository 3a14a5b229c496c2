// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A block that the guard refuses has no effect: later blocks are judged as if it had never been read.
#include "core/recording/read/streamguard.h"

#include "core/recording/write/blockwriter.h"
#include "core/trace/population.h"
#include "tests/core/recording/recordingtest.h"

using namespace recordingtest;

namespace {

constexpr std::uint64_t kNow = 1'000'000'000;
constexpr std::size_t kMiB = 1U << 20;
/// More coroutines than any number of lost blocks explains.
constexpr CoroutineId kImpossible = 1U << 24;

Birth birthOf(CoroutineId id)
{
    return {id, id, 1, 77, Dialect::Lane, id, kNow};
}

/// A batch that no writer can have written, because of its last row.
Batch impossible()
{
    Batch batch;
    batch.now = kNow;
    batch.deaths = {{kImpossible, kNow}};
    return batch;
}

std::vector<CoroutineId> bornIn(const Batch &batch)
{
    std::vector<CoroutineId> ids;
    for (const Birth &birth : batch.births)
        ids.push_back(birth.coroutine);
    return ids;
}

Batch withSite(SiteId id, std::size_t bytes = 1)
{
    Batch batch;
    batch.now = kNow;
    batch.sites = {{id, 1, 1, std::string(bytes, 'f'), ""}};
    return batch;
}

FrameLocation withText(const std::string &text)
{
    return {0, 0x1000, kNow, 0x40'1000, 12, 7, "", text};
}

void put(ctr::BlockWriter &blocks, const std::vector<Batch> &batches, const std::optional<Accounting> &sums)
{
    ctr::StreamEncoder encoder;
    ctr::ColumnWriter payload;
    encoder.beginBlock();
    for (const Batch &batch : batches)
        encoder.addBatch(batch);
    encoder.write(sums, payload);
    const ctr::BlockFacts facts{static_cast<std::uint32_t>(encoder.transitions()), batches.front().now,
                                batches.back().now};
    REQUIRE(static_cast<bool>(blocks.write(ctr::Kind::Stream, payload, facts)));
}

}  // namespace

CT_CASE(birthsOfARefusedBatchAreDiscarded)
{
    ctr::StreamGuard guard;
    Batch first;
    first.births = {birthOf(0), birthOf(1)};
    REQUIRE(guard.admit(first));
    Batch bad = impossible();
    bad.births = {birthOf(2), birthOf(3)};
    REQUIRE(!guard.admit(bad));
    guard.setLostBlocks(1);
    Batch later;
    later.births = {birthOf(4)};
    REQUIRE(guard.admit(later));
    CHECK(bornIn(later) == (std::vector<CoroutineId>{2, 3, 4}));
    CHECK_EQUAL(guard.sums().coroutines, 5U);
}

/// One lost block explains 2^20 births.
CT_CASE(birthsMadeUpForARefusedBatchDoNotCount)
{
    ctr::StreamGuard guard;
    guard.setLostBlocks(1);
    Batch bad;
    bad.births = {birthOf(1U << 19), birthOf(0)};
    REQUIRE(!guard.admit(bad));
    Batch later;
    later.deaths = {{(1U << 20) - 1, kNow}};
    REQUIRE(guard.admit(later));
    CHECK_EQUAL(later.births.size(), std::size_t{1} << 20);
}

CT_CASE(sitesOfARefusedBatchAreUnknown)
{
    ctr::StreamGuard guard;
    Batch known = withSite(1);
    REQUIRE(guard.admit(known));
    Batch bad = impossible();
    bad.sites = {{1, 1, 1, "a.cpp", "known"}, {2, 2, 1, "b.cpp", "refused"}};
    REQUIRE(!guard.admit(bad));
    Batch later;
    later.births = {birthOf(0)};
    later.transitions = {{kNow, 0x1000, 0, 0, 0, 5, 1, PointKind::Await, false},
                         {kNow, 0x1000, 1, 0, 0, 5, 2, PointKind::Await, true}};
    REQUIRE(guard.admit(later));
    CHECK_EQUAL(later.transitions[0].site, 1U);
    CHECK_EQUAL(later.transitions[1].site, kUnknownSite);
}

/// The id of a site may exceed the number of known sites by 65,536.
CT_CASE(sitesOfARefusedBatchDoNotCount)
{
    ctr::StreamGuard guard;
    Batch bad = impossible();
    for (SiteId id = 1; id <= 100; ++id)
        bad.sites.push_back({id, 1, 1, "a.cpp", ""});
    REQUIRE(!guard.admit(bad));
    Batch beyond = withSite(65'537);
    CHECK(!guard.admit(beyond));
    Batch within = withSite(65'536);
    CHECK(guard.admit(within));
}

/// The limit is 256 MiB.
CT_CASE(siteTextsOfRefusedBatchesDoNotCount)
{
    ctr::StreamGuard guard;
    for (SiteId id = 1; id <= 300; ++id) {
        Batch bad = withSite(id, kMiB);
        bad.deaths = impossible().deaths;
        REQUIRE(!guard.admit(bad));
    }
    Batch later = withSite(301, kMiB);
    CHECK(guard.admit(later));
}

CT_CASE(frameTextsOfARefusedBlockDoNotCount)
{
    ctr::StreamGuard guard;
    for (int i = 0; i < 254; ++i)
        REQUIRE(guard.admit({withText(std::string(kMiB, 'f') + std::to_string(i))}));
    const FrameLocation fits = withText(std::string(kMiB, 'g'));
    const FrameLocation another = withText(std::string(kMiB, 'h'));
    REQUIRE(!guard.admit({fits, another}));
    CHECK(guard.admit({another}));
    CHECK(!guard.admit({fits}));  // the refused block did not make it a known text
}

/// The sinks get a stream that keeps its rules. The sums are those of the accepted blocks.
CT_CASE(aReaderContinuesBehindARefusedBlock)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    const auto blocks = ctr::BlockWriter::open(path);
    REQUIRE(static_cast<bool>(blocks));
    Accounting sums;
    Batch first;
    first.now = kNow;
    first.births = {birthOf(0), birthOf(1)};
    sums.untraced = 7;
    put(**blocks, {first}, sums);
    Batch bad = impossible();
    bad.births = {birthOf(2), birthOf(3)};
    sums.untraced = 1'000'000;
    put(**blocks, {bad}, sums);
    Batch later;
    later.now = kNow + 1;
    later.births = {birthOf(4)};
    later.transitions = {{kNow, 0x1000, 0, 0, 3, 5, 0, PointKind::Await, false}};
    put(**blocks, {later}, std::nullopt);
    REQUIRE(static_cast<bool>((*blocks)->finish()));

    const Everything all = readAll(path);
    CHECK(all.hasEnded && !all.error.empty());
    CHECK_EQUAL(all.damages.size(), 1U);
    REQUIRE(all.batches.size() == 2);
    CHECK(bornIn(all.batches[1]) == (std::vector<CoroutineId>{2, 3, 4}));
    CHECK_EQUAL(all.sums.coroutines, 5U);
    CHECK_EQUAL(all.sums.untraced, 7U);
    Population population;
    for (const Batch &batch : all.batches)
        CHECK(static_cast<bool>(population.consume(batch)));
    CHECK_EQUAL(population.size(), 5U);
}

/// The batches before the invalid one were emitted.
CT_CASE(onlyTheRestOfARefusedBlockIsLeftOut)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    const auto blocks = ctr::BlockWriter::open(path);
    REQUIRE(static_cast<bool>(blocks));
    Batch first;
    first.now = kNow;
    first.births = {birthOf(0)};
    for (std::uint64_t n = 0; n < 3; ++n)
        first.transitions.push_back({kNow + n, 0x1000, n, 0, 0, 5, 0, PointKind::Await, n % 2 != 0});
    Batch bad = withSite(70'000);
    for (std::uint64_t n = 3; n < 5; ++n)
        bad.transitions.push_back({kNow + n, 0x1000, n, 0, 0, 5, 0, PointKind::Await, n % 2 != 0});
    put(**blocks, {first, bad}, std::nullopt);
    REQUIRE(static_cast<bool>((*blocks)->finish()));

    const Everything all = readAll(path);
    REQUIRE(all.batches.size() == 1 && all.damages.size() == 1);
    CHECK_EQUAL(all.sums.captured, 3U);
    CHECK_EQUAL(all.damages[0].transitions, 2U);
    CHECK(all.error.find(" with 2 transitions were left out") != std::string::npos);
}
