// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/recording/text/jsonlsupport.h"
#include "tests/support/check.h"
#include "tests/support/paths.h"

#include <algorithm>
#include <map>

using namespace jsonltest;

namespace {

/// The lines that the existing collector would write about one station. It reads slots 0..7 in turn and writes each new
/// even seq. `published` has the number of published events at each of its visits.
std::string collected(std::uint64_t probeId, const std::vector<std::uint64_t> &published, bool monotonic = false)
{
    std::string text;
    std::uint64_t seen[8] = {};
    for (const std::uint64_t count : published) {
        for (std::uint64_t slot = 0; slot < 8; ++slot) {
            // The latest event in this slot. Numbers start at 0 (seqlock) or 1 (monotonic).
            std::uint64_t latest = ~0ULL;
            for (std::uint64_t n = monotonic ? 1 : 0; n < count + (monotonic ? 1 : 0); ++n)
                latest = n % 8 == slot ? n : latest;
            if (latest == ~0ULL)
                continue;
            const std::uint64_t seq = monotonic ? latest : (latest / 8 + 1) * 2;
            if (seq % 2 != 0 || seq <= seen[slot])
                continue;
            seen[slot] = seq;
            text += line(probeId, seq, 1000 + latest * 10, latest % 2 == 1);
        }
    }
    return text;
}

/// Writes the batch as a JSONL recording, and reads that.
Everything writtenAndRead(const TempDir &dir, const ct::Batch &batch)
{
    const std::string path = dir.file("a.jsonl");
    const auto sink = ct::makeJsonlWriter(path);
    CHECK(sink && (*sink)->consume(batch) && (*sink)->finish({}));
    return readAll(path);
}

}  // namespace

CT_CASE(aCaptureFromLanesRoundTrips)
{
    const TempDir dir;
    ct::Batch batch;
    batch.births = {birth(0, 111, 1000, 42, ct::Dialect::Lane), birth(1, 222, 1001, 43, ct::Dialect::Lane),
                    birth(2, 111, 1002, 42, ct::Dialect::Lane)};
    batch.notes.names = {{0, "say \"hi\""}, {2, "late"}};
    batch.notes.parents = {{1, 0}, {2, 1}, {0, 77}};
    batch.losses = {{1, 16, 4, false}};
    const auto lane = [&batch](ct::CoroutineId id, std::uint64_t n) {
        ct::Transition made = event(id, n, 2000 + batch.transitions.size(), n % 2 == 1);
        made.seq = ct::slotSeq(ct::Dialect::Lane, n);
        batch.transitions.push_back(made);
    };
    // Over several laps, and with every number that equals its seq.
    for (std::uint64_t n = 0; n < 40; ++n) {
        lane(0, n);
        if (n < 16 || n >= 20)
            lane(1, n);
        if (n == 30)
            lane(2, 0);
    }
    lane(2, 1);
    const std::string path = dir.file("a.jsonl");
    {
        auto writer = ct::makeJsonlWriter(path);
        REQUIRE(static_cast<bool>(writer));
        CHECK(static_cast<bool>((*writer)->consume(batch)));
        CHECK(static_cast<bool>((*writer)->finish({})));
    }
    const Everything all = readAll(path);
    CHECK(all.error.empty());
    REQUIRE(all.batch.births.size() == 3 && all.batch.transitions.size() == batch.transitions.size());
    for (std::size_t i = 0; i < batch.births.size(); ++i) {
        CHECK_EQUAL(all.batch.births[i].probeId, batch.births[i].probeId);
        CHECK_EQUAL(all.batch.births[i].pid, batch.births[i].pid);
        CHECK_EQUAL(all.batch.births[i].birthTs, batch.births[i].birthTs);
    }
    for (std::size_t i = 0; i < batch.transitions.size(); ++i) {
        CHECK_EQUAL(all.batch.transitions[i].coroutine, batch.transitions[i].coroutine);
        CHECK_EQUAL(all.batch.transitions[i].n, batch.transitions[i].n);
        CHECK_EQUAL(all.batch.transitions[i].seq, batch.transitions[i].seq);
        CHECK_EQUAL(all.batch.transitions[i].ts, batch.transitions[i].ts);
    }
    CHECK_EQUAL(all.sums.lost, 4U);
    CHECK_EQUAL(all.sums.missedBeforeAttach, 0U);
    REQUIRE(all.batch.notes.names.size() == 2 && all.batch.notes.parents.size() == 2);
    CHECK_EQUAL(all.batch.notes.names[0].name, "say \"hi\"");
    CHECK_EQUAL(all.batch.notes.names[1].coroutine, 2U);
    CHECK_EQUAL(all.batch.notes.parents[0].coroutine, 1U);
    CHECK_EQUAL(all.batch.notes.parents[0].parent, 0U);
    CHECK_EQUAL(all.batch.notes.parents[1].parent, 1U);
}

CT_CASE(ownLinesComeBackUnchanged)
{
    const TempDir dir;
    ct::Batch batch;
    batch.sites.push_back({1, 88, 5, "a\"b\\c.cpp", "f\xC3\xA4(\n)"});
    batch.sites.push_back({2, 90, 0, "b.cpp", ""});
    batch.births.push_back(birth(0, 111, 1000, 42));
    batch.births.push_back(birth(1, 222, 0, 0, ct::Dialect::Monotonic));
    batch.losses.push_back({0, 0, 2, true});
    batch.losses.push_back({0, 2, 1, false});
    batch.losses.push_back({0, 4, 6, false});
    batch.transitions.push_back(event(0, 3, 2000, false, 1, ct::PointKind::Initial));
    batch.transitions.push_back(event(0, 10, 2100, true));
    batch.transitions.push_back(event(0, 11, 2200, false, 2, ct::PointKind::Final));
    ct::Transition monotonic = event(1, 1, 2300, false);
    monotonic.seq = 1;
    batch.transitions.push_back(monotonic);
    const Everything back = writtenAndRead(dir, batch);
    CHECK_EQUAL(back.error, "");
    REQUIRE(back.batch.births.size() == 2 && back.batch.sites.size() == 2 && back.batch.transitions.size() == 4);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(back.batch.births[i].probeId == batch.births[i].probeId);
        CHECK(back.batch.births[i].birthTs == batch.births[i].birthTs);
        CHECK(back.batch.births[i].pid == batch.births[i].pid);
        CHECK(back.batch.births[i].dialect == batch.births[i].dialect);
        CHECK_EQUAL(back.batch.sites[i].file, batch.sites[i].file);
        CHECK_EQUAL(back.batch.sites[i].function, batch.sites[i].function);
        CHECK_EQUAL(back.batch.sites[i].line, batch.sites[i].line);
        CHECK_EQUAL(back.batch.sites[i].column, batch.sites[i].column);
    }
    for (std::size_t i = 0; i < 4; ++i) {
        const ct::Transition &got = back.batch.transitions[i];
        const ct::Transition &want = batch.transitions[i];
        CHECK(got.ts == want.ts && got.addr == want.addr && got.n == want.n && got.seq == want.seq);
        CHECK(got.coroutine == want.coroutine && got.tid == want.tid && got.site == want.site);
        CHECK(got.kind == want.kind && got.active == want.active);
    }
    CHECK_EQUAL(back.sums.missedBeforeAttach, 2U);
    CHECK_EQUAL(back.sums.lost, 7U);
    CHECK_EQUAL(back.sums.captured, 4U);
    CHECK_EQUAL(back.batch.now, 2300U);
}

CT_CASE(readsTheCollectorFileOfTheCorpus)
{
    const Everything all = readAll(ct::test::kSourceDir + "/tests/corpus/jsonl/collector.jsonl");
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.sums.coroutines, 3U);
    CHECK_EQUAL(all.sums.captured, 26U);
    CHECK_EQUAL(all.sums.lost, 0U);
    CHECK((numbers(all, 0) == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    std::map<ct::CoroutineId, std::uint64_t> latest;
    for (const ct::Transition &transition : all.batch.transitions) {
        CHECK(latest[transition.coroutine] <= transition.ts);
        latest[transition.coroutine] = transition.ts;
    }
}

CT_CASE(collectorOrderIsRestored)
{
    const TempDir dir;
    // 11 events at one visit: slots 0..2 contain events 8..10, slots 3..7 events 3..7.
    const Everything all = readText(dir, collected(1, {11}));
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.sums.lost, 3U);
    CHECK((numbers(all, 0) == std::vector<std::uint64_t>{3, 4, 5, 6, 7, 8, 9, 10}));
    CHECK_EQUAL(all.batch.transitions.front().ts, 1030U);
}

CT_CASE(collectorLossesAreExact)
{
    const TempDir dir;
    for (std::uint64_t stride = 1; stride <= 40; ++stride) {
        std::vector<std::uint64_t> readCounts;
        for (std::uint64_t count = stride; count <= 400; count += stride)
            readCounts.push_back(count);
        const Everything all = readText(dir, collected(9, readCounts));
        CHECK_EQUAL(all.sums.coroutines, 1U);
        CHECK_EQUAL(all.sums.captured + all.sums.lost, readCounts.back());
        for (const ct::Transition &transition : all.batch.transitions)
            CHECK_EQUAL(transition.ts, 1000 + transition.n * 10);
    }
}

CT_CASE(readsCollectorFilesOfMonotonicTargets)
{
    const TempDir dir;
    const Everything all = readText(dir, collected(9, {4, 9, 17, 21, 22, 40}, true));
    CHECK_EQUAL(all.sums.coroutines, 1U);
    for (const ct::Transition &transition : all.batch.transitions)
        CHECK_EQUAL(transition.ts, 1000 + transition.n * 10);
    CHECK_EQUAL(all.sums.captured + all.sums.lost, 40U);
    CHECK(all.batch.births.front().dialect == ct::Dialect::Monotonic);
}

CT_CASE(oddSeqsAreMonotonic)
{
    const TempDir dir;
    const Everything all = readText(dir, line(1, 2, 20, true) + line(1, 1, 10, false) + line(1, 3, 30, false));
    CHECK((numbers(all, 0) == std::vector<std::uint64_t>{1, 2, 3}));
    CHECK_EQUAL(all.sums.lost, 0U);
}

CT_CASE(reusedProbeIdIsANewCoroutine)
{
    const TempDir dir;
    std::string second = line(1, 2, 50'000, false) + line(1, 2, 50'010, true);
    const Everything all = readText(dir, collected(1, {4, 8, 12, 16, 20}) + second);
    CHECK_EQUAL(all.sums.coroutines, 2U);
    CHECK_EQUAL(numbers(all, 0).size(), 20U);
    CHECK((numbers(all, 1) == std::vector<std::uint64_t>{0, 1}));
    CHECK_EQUAL(all.sums.lost, 0U);
}

CT_CASE(aLaterTimeShowsAReusedProbeId)
{
    const TempDir dir;
    // Events 3..10 of the first coroutine are there, so laps 1 and 2 would fit. Only the time shows a second coroutine.
    const Everything all = readText(dir, collected(1, {11}) + line(1, 2, 50'000, false) + line(1, 2, 50'010, true));
    CHECK_EQUAL(all.sums.coroutines, 2U);
    CHECK_EQUAL(all.sums.lost, 3U);
    CHECK((numbers(all, 1) == std::vector<std::uint64_t>{0, 1}));
}

CT_CASE(theHighestTimesDoNotShowAReusedProbeId)
{
    const TempDir dir;
    std::string text;
    for (std::uint64_t ts = ~0ULL - 7; ts != 0; ++ts)
        text += line(7, 2, ts, ts % 2 == 0);
    const Everything all = readText(dir, text);
    CHECK_EQUAL(all.sums.coroutines, 1U);
    CHECK((numbers(all, 0) == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    CHECK_EQUAL(all.sums.lost, 0U);
}

CT_CASE(aRepeatedNumberShowsAReusedProbeId)
{
    const TempDir dir;
    const std::string head = R"({"probe_id":1,"tid":5,"addr":"0x10","seq":2,"is_active":true,"ts":10,"n":)";
    const Everything all = readText(dir, head + "0}\n" + head + "1}\n" + head + "0}\n");
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.sums.coroutines, 2U);
}

CT_CASE(manyCoroutinesAcrossManyBatches)
{
    const TempDir dir;
    std::string text;
    for (std::uint64_t round = 0; round < 10; ++round) {
        for (std::uint64_t id = 0; id < 3000; ++id) {
            for (std::uint64_t i = 0; i < 3; ++i) {
                const std::uint64_t n = round * 3 + i;
                text += line(id + 1, (n / 8 + 1) * 2, round * 300'000'000 + id * 10 + i, n % 2 == 1);
            }
        }
    }
    const Everything all = readText(dir, text);
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.sums.coroutines, 3000U);
    CHECK_EQUAL(all.sums.captured, 90'000U);
    CHECK_EQUAL(all.sums.lost, 0U);
    std::vector<std::uint64_t> next(3000);
    for (const ct::Transition &transition : all.batch.transitions)
        CHECK_EQUAL(transition.n, next[transition.coroutine]++);
}

/// Lines do not repeat it.
CT_CASE(aResumptionHasTheSiteOfItsSuspension)
{
    const TempDir dir;
    ct::Batch batch;
    batch.sites.push_back({1, 88, 5, "a.cpp", "f"});
    batch.births = {birth(0, 111, 1000, 42), birth(1, 222, 1001, 42)};
    batch.losses.push_back({0, 3, 2, false});
    batch.transitions = {event(0, 0, 2000, false, 1), event(0, 1, 2100, true, 1), event(0, 2, 2200, false, 1),
                         event(0, 5, 2300, true),     event(0, 6, 2400, false),   event(0, 7, 2500, true),
                         event(1, 0, 2600, false),    event(1, 1, 2700, true)};
    const Everything back = writtenAndRead(dir, batch);
    CHECK_EQUAL(back.error, "");
    REQUIRE(back.batch.transitions.size() == batch.transitions.size());
    for (std::size_t i = 0; i < batch.transitions.size(); ++i)
        CHECK_EQUAL(back.batch.transitions[i].site, batch.transitions[i].site);
}

CT_CASE(readsAnyOrderOfFieldsAndAnyEscapes)
{
    const TempDir dir;
    const Everything all =
        readText(dir, "\xEF\xBB\xBF \t{ \"ts\" : 7 , \"\\u0066ile\":\"a\\/\\u00e4\\ud83d\\ude00\\ud800x\", "
                      "\"extra\":{\"a\":[1,-2.5e3,null,"
                      "{\"b\":\"}\"}],\"c\":{}},\"is_active\":false,\"seq\":2,\"list\":[],\"addr\":\"0xAb\",\"tid\":1,"
                      "\"probe_id\":3,\"n\":0,"
                      "\"kind\":\"of a later version\",\"line\":4}\r\n\r\n   \n");
    CHECK_EQUAL(all.error, "");
    REQUIRE(all.batch.transitions.size() == 1 && all.batch.sites.size() == 1);
    CHECK_EQUAL(all.batch.transitions[0].addr, 0xABU);
    CHECK_EQUAL(all.batch.sites[0].file, "a/\xC3\xA4\xF0\x9F\x98\x80\xEF\xBF\xBDx");
    CHECK_EQUAL(all.batch.sites[0].line, 4U);
}

CT_CASE(readsALastLineWithoutLineFeed)
{
    const TempDir dir;
    std::string text = line(1, 2, 10, false);
    text.pop_back();
    const Everything all = readText(dir, text);
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.batch.transitions.size(), 1U);
}

CT_CASE(cutOffLastLineIsReported)
{
    const TempDir dir;
    const std::string whole = line(1, 2, 10, false) + line(1, 2, 20, true);
    const std::size_t first = whole.find('\n') + 1;
    for (std::size_t size = first + 1; size < whole.size() - 1; ++size) {
        const Everything all = readText(dir, whole.substr(0, size));
        checkErrorAt(all, 1, "input.jsonl:2: the last line is cut off");
    }
}

CT_CASE(hostileLinesNameTheirNumber)
{
    const std::string good = R"({"probe_id":1,"tid":5,"addr":"0x10","seq":2,"is_active":true,"ts":10)";
    const std::string bad[] = {
        "garbage",
        "[]",
        "{}",
        "null",
        std::string("\0\0\0\0", 4),
        good + ",}",
        good,
        good + "}}",
        good + "} x",
        good + R"(,"ts":-1})",
        good + R"(,"ts":1.5})",
        good + R"(,"ts":1e3})",
        good + R"(,"ts":01})",
        good + R"(,"ts":"1"})",
        good + R"(,"ts":18446744073709551616})",
        good + R"(,"tid":4294967296})",
        good + R"(,"seq":0})",
        good + R"(,"seq":18446744073709551615})",
        good + R"(,"n":18446744073709551615})",
        good + R"(,"addr":"0x11112222333344445"})",
        good + R"(,"addr":"10"})",
        good + R"(,"addr":"0x"})",
        good + R"(,"is_active":1})",
        good + R"(,"file":"a)" + std::string(1, '\0') + R"("})",
        good + R"(,"file":"\x"})",
        good + R"(,"file":"\u12"})",
        good + R"(,"file":7})",
        good + R"(,"x":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}",
        good + R"(,"x":tru})",
        good + R"(,"x":{"a"}})",
        good + R"(,"x":[1,]})",
        good + R"(,"x":[1})",
        R"({"tid":5,"addr":"0x10","seq":2,"is_active":true,"ts":10})",
    };
    const TempDir dir;
    const std::string before = line(1, 2, 10, false) + "\n" + line(1, 2, 20, true);
    for (const std::string &text : bad) {
        const Everything all = readText(dir, before + text + "\n" + line(1, 2, 30, true));
        checkErrorAt(all, 2, "input.jsonl:4: this is not a line of a JSONL recording");
    }
}

CT_CASE(refusesAHugeLineBeforeItsEnd)
{
    const TempDir dir;
    const Everything all = readText(dir, line(1, 2, 10, false) + std::string(5'000'000, 'x') + "\n");
    checkErrorAt(all, 1, "input.jsonl:2: this is not a line of a JSONL recording (it is longer than 1 MiB)");
}

CT_CASE(readsLineFeedsAtTheEdgesOfChunks)
{
    const TempDir dir;
    constexpr std::size_t kMiB = 1U << 20;
    for (std::size_t second = kMiB - 2; second <= kMiB; ++second) {
        std::string text;
        std::uint64_t seq = 1;
        for (const std::size_t size : {kMiB - 1, second, std::size_t(200)}) {
            std::string padded = line(1, seq, 10 * seq, false);
            ++seq;
            padded.pop_back();
            padded.resize(size, ' ');
            text += padded + "\n";
        }
        const Everything all = readText(dir, text);
        CHECK_EQUAL(all.error, "");
        CHECK_EQUAL(all.batch.transitions.size(), 3U);
    }
}

CT_CASE(undeclaredJumpsAreMissedOrLost)
{
    const TempDir dir;
    const std::string head =
        R"({"probe_id":1,"tid":5,"addr":"0x10","seq":2,"is_active":true,"ts":10,"coroutine":7,"n":)";
    const Everything all = readText(dir, head + "5}\n" + head + "9}\n" + head + "20,\"dropped_before\":10}\n");
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.sums.missedBeforeAttach, 5U);
    CHECK_EQUAL(all.sums.lost, 3U);
}

CT_CASE(randomDamageNeverBreaksTheReader)
{
    const TempDir dir;
    const std::string original = contentOf(ct::test::kSourceDir + "/tests/corpus/jsonl/collector.jsonl") +
                                 contentOf(ct::test::kSourceDir + "/tests/corpus/jsonl/own.jsonl");
    REQUIRE(original.size() > 1000);
    std::uint64_t random = 0x9E3779B97F4A7C15ULL;
    const auto next = [&random] {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return random;
    };
    for (int round = 0; round < 400; ++round) {
        std::string text = original;
        for (std::uint64_t i = next() % 8; i-- > 0;)
            text[next() % text.size()] = static_cast<char>(next());
        if (next() % 4 == 0)
            text.resize(next() % text.size());
        const Everything all = readText(dir, text);
        CHECK_EQUAL(all.sums.captured, all.batch.transitions.size());
        for (const ct::Transition &transition : all.batch.transitions)
            CHECK(transition.coroutine < all.batch.births.size());
    }
}

CT_CASE(openingReportsErrors)
{
    const TempDir dir;
    CHECK(!ct::JsonlReader::open(dir.file("missing.jsonl")));
    CHECK(!ct::JsonlReader::open(dir.file("")));
    const Everything empty = readText(dir, "");
    CHECK_EQUAL(empty.error, "");
    CHECK(empty.batch.empty());
}
