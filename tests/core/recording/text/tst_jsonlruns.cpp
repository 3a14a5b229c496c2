// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several runs in one file, and bad lines.
#include "tests/core/recording/text/jsonlsupport.h"
#include "tests/support/check.h"
#include "tests/support/paths.h"

using namespace jsonltest;

CT_CASE(joinedRecordingsStayApart)
{
    const TempDir dir;
    const std::string own = contentOf(ct::test::kSourceDir + "/tests/corpus/jsonl/own.jsonl");
    const Everything once = readText(dir, own);
    REQUIRE(once.error.empty() && once.sums.coroutines > 1);
    // The second run may be of another boot, so its times may be earlier.
    const Everything twice = readText(dir, own + own);
    CHECK_EQUAL(twice.error, "");
    CHECK_EQUAL(twice.sums.coroutines, 2 * once.sums.coroutines);
    CHECK_EQUAL(twice.sums.captured, 2 * once.sums.captured);
    CHECK_EQUAL(twice.sums.lost, 2 * once.sums.lost);
    CHECK_EQUAL(twice.sums.missedBeforeAttach, 2 * once.sums.missedBeforeAttach);
    const std::size_t births = once.batch.births.size();
    for (std::size_t i = 0; i < births; ++i)
        CHECK_EQUAL(twice.batch.births[births + i].probeId, once.batch.births[i].probeId);
    for (ct::CoroutineId id = 0; id < births; ++id)
        CHECK(numbers(twice, id) == numbers(twice, static_cast<ct::CoroutineId>(births + id)));
}

CT_CASE(aNumberThatStartsAgainIsANewCoroutine)
{
    const TempDir dir;
    const std::string head =
        R"({"probe_id":1,"tid":5,"addr":"0x10","seq":2,"is_active":true,"ts":10,"coroutine":0,"n":)";
    const Everything all =
        readText(dir, head + "0}\n" + head + "1}\n" + head + "0}\n" + head + "3,\"birth_ts\":9,\"lost_before\":3}\n");
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.sums.coroutines, 3U);
    CHECK_EQUAL(all.sums.lost, 3U);
    const Everything wrong = readText(dir, head + "0}\n" + head + "5}\n" + head + "4}\n");
    checkErrorAt(wrong, 2, "input.jsonl:3: this is not a line of a JSONL recording (event 4 of coroutine 0 follows");
}

CT_CASE(aSecondBirthIsOfAnotherRun)
{
    const TempDir dir;
    const std::string birth = R"({"note":"birth","coroutine":0,"probe_id":1,"pid":7})"
                              "\n";
    const std::string event =
        R"({"probe_id":1,"tid":5,"addr":"0x10","seq":2,"is_active":true,"ts":10,"n":0,"coroutine":0,"pid":7})"
        "\n";
    const std::string death = R"({"note":"death","coroutine":0,"ts":20})"
                              "\n";
    const Everything all = readText(dir, birth + event + death + birth + event + death);
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.sums.coroutines, 2U);
    CHECK_EQUAL(all.batch.deaths.size(), 2U);
    CHECK_EQUAL(all.batch.transitions.back().coroutine, 1U);
}

CT_CASE(appendedRunsOfTheCollectorStayApart)
{
    const TempDir dir;
    const std::string first =
        line(1, 2, 50'000'000'000, false) + line(1, 2, 50'000'000'100, true) + line(1, 2, 50'000'000'200, false);
    // After a reboot: the clock begins again. In the same boot: the suspended coroutine is suspended again.
    for (const std::uint64_t start : {1'000'000'000ULL, 90'000'000'000ULL}) {
        const Everything all = readText(dir, first + line(1, 2, start, false) + line(1, 2, start + 100, true) +
                                                 line(1, 2, start + 200, false));
        CHECK_EQUAL(all.error, "");
        CHECK_EQUAL(all.sums.coroutines, 2U);
        CHECK_EQUAL(all.sums.lost, 0U);
        CHECK((numbers(all, 0) == std::vector<std::uint64_t>{0, 1, 2}));
        CHECK((numbers(all, 1) == std::vector<std::uint64_t>{0, 1, 2}));
    }
    // A long suspension is none.
    const Everything one = readText(dir, first + line(1, 2, 90'000'000'000, true));
    CHECK_EQUAL(one.sums.coroutines, 1U);
}

CT_CASE(lenientReadingSkipsBadLinesAndCountsThem)
{
    const TempDir dir;
    const std::string path = dir.file("input.jsonl");
    const std::string text = line(1, 2, 10, false) + "garbage\n" + line(1, 2, 20, true) + std::string(3'000'000, 'x') +
                             "\n" + line(1, 2, 30, false) + "[]\r\n" + line(1, 2, 40, true);
    const auto read = [&](std::string_view content) {
        putContent(path, content);
        return readAll(path, {.lenient = true});
    };
    const Everything all = read(text);
    CHECK_EQUAL(all.batch.transitions.size(), 4U);
    CHECK_EQUAL(all.error, path + ":2: this line and 2 later ones were skipped; the first is not a line of a JSONL "
                                  "recording (expected a JSON object); all other lines were read");
    CHECK(all.isDamaged);
    const Everything one = read(line(1, 2, 10, false) + "garbage\n");
    CHECK(one.error.find(":2: this line was skipped, because it is not a line") != std::string::npos);
    const Everything torn = read(text + "{\"probe_id\":1,");
    CHECK_EQUAL(torn.batch.transitions.size(), 4U);
    CHECK(torn.error.find(":2: this line and 2 later ones") != std::string::npos);
    CHECK(torn.error.find(":8: the last line is cut off") != std::string::npos);
    const Everything good = read(line(1, 2, 10, false));
    CHECK_EQUAL(good.error, "");
    CHECK(!good.isDamaged);
}
