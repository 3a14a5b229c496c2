// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Losses that no event line follows, in JSONL recordings.
#include "core/stream/unselected.h"
#include "tests/core/recording/text/jsonlsupport.h"
#include "tests/support/check.h"

#include <memory>
#include <tuple>

using namespace jsonltest;

namespace {

constexpr std::uint32_t kPid = 42;

void write(const std::string &path, const ct::Batch &batch, std::shared_ptr<const ct::Unselected> unselected = {})
{
    const auto sink = ct::makeJsonlWriter(path, {}, std::move(unselected));
    REQUIRE(static_cast<bool>(sink));
    CHECK((*sink)->consume(batch) && (*sink)->finish({}));
}

using Lost = std::tuple<ct::CoroutineId, std::uint64_t, std::uint64_t, bool>;

std::vector<Lost> lossesOf(const ct::Batch &batch)
{
    std::vector<Lost> losses;
    for (const ct::Loss &loss : batch.losses)
        losses.emplace_back(loss.coroutine, loss.firstN, loss.count, loss.beforeAttach);
    return losses;
}

}  // namespace

CT_CASE(lossesAfterTheLastLineAreKept)
{
    ct::Batch batch;
    for (ct::CoroutineId id = 0; id < 3; ++id)
        batch.births.push_back(birth(id, 111 + id, 1000, kPid, ct::Dialect::Lane));
    batch.transitions = {event(0, 0, 2000, false), event(0, 1, 2001, true), event(2, 0, 2002, false)};
    batch.losses = {{0, 2, 5, false}, {1, 0, 3, true}, {1, 3, 4, false}, {2, 4, 2, false}};
    batch.deaths = {{0, 2100}};
    const TempDir dir;
    write(dir.file("a.jsonl"), batch);
    const std::string text = contentOf(dir.file("a.jsonl"));
    CHECK_EQUAL(text.substr(text.find(R"({"note")")),
                R"({"note":"gap","coroutine":0,"n":7,"lost_before":5})"
                "\n"
                R"({"note":"death","coroutine":0,"ts":2100})"
                "\n"
                R"({"note":"birth","coroutine":1,"probe_id":112,"birth_ts":1000,"pid":42})"
                "\n"
                R"({"note":"gap","coroutine":1,"n":7,"lost_before":4,"missed_before":3})"
                "\n"
                R"({"note":"gap","coroutine":2,"n":6,"lost_before":2,"dropped_before":3})"
                "\n");
    const Everything all = readAll(dir.file("a.jsonl"));
    CHECK_EQUAL(all.error, "");
    // The event line of coroutine 2 comes before the birth of coroutine 1, so the reader exchanges their ids.
    CHECK((lossesOf(all.batch) ==
           std::vector<Lost>{{0, 2, 5, false}, {2, 0, 3, true}, {2, 3, 4, false}, {1, 4, 2, false}}));
    CHECK_EQUAL(all.sums.lost, 11U);
    CHECK_EQUAL(all.sums.missedBeforeAttach, 3U);
}

CT_CASE(eventsThatAreNotSelectedAreNoGap)
{
    ct::Batch batch;
    batch.births = {birth(0, 111, 1000, kPid, ct::Dialect::Lane)};
    batch.losses = {{0, 9, 2, false}};
    const TempDir dir;
    write(dir.file("a.jsonl"), batch, std::make_shared<ct::Unselected>());
    CHECK(contentOf(dir.file("a.jsonl"))
              .find(R"({"note":"gap","coroutine":0,"n":11,"lost_before":2,"not_selected_before":9})") !=
          std::string::npos);
    CHECK_EQUAL(readAll(dir.file("a.jsonl")).sums.lost, 2U);
}

CT_CASE(eventsMayFollowAGap)
{
    const std::string begin = R"({"probe_id":1,"tid":5,"addr":"0x10","seq":2,"is_active":)";
    const std::string first = begin + R"(false,"ts":10,"n":0,"coroutine":3,"birth_ts":1,"pid":7})" + "\n";
    const TempDir dir;
    const Everything all =
        readText(dir, first + R"({"note":"gap","coroutine":3,"n":4,"missed_before":1,"lost_before":1})" + "\n" + begin +
                          R"(true,"ts":20,"n":6,"coroutine":3,"lost_before":2})" + "\n");
    CHECK_EQUAL(all.error, "");
    CHECK((lossesOf(all.batch) == std::vector<Lost>{{0, 1, 1, true}, {0, 3, 1, false}, {0, 4, 2, false}}));
    CHECK((numbers(all, 0) == std::vector<std::uint64_t>{0, 6}));
}

CT_CASE(impossibleGapsAddNoLosses)
{
    const std::string first =
        R"({"probe_id":1,"tid":5,"addr":"0x10","seq":2,"is_active":false,"ts":10,"n":8,"coroutine":3})"
        "\n";
    const std::string notes[] = {
        R"({"note":"gap","coroutine":4,"n":20,"lost_before":1})",
        R"({"note":"gap","coroutine":3,"n":9,"lost_before":1})",
        R"({"note":"gap","coroutine":3,"n":0,"lost_before":18446744073709551615})",
    };
    for (const std::string &note : notes) {
        const TempDir dir;
        const Everything all = readText(dir, first + note + "\n");
        CHECK_EQUAL(all.error, "");
        CHECK_EQUAL(all.sums.lost, 0U);
    }
    const TempDir dir;
    const Everything most = readText(dir, first +
                                              R"({"note":"gap","coroutine":3,"n":12,"missed_before":2,)"
                                              R"("lost_before":18446744073709551615})" +
                                              "\n");
    CHECK_EQUAL(most.sums.lost, 1U);
    const Everything huge =
        readText(dir, first + R"({"note":"gap","coroutine":3,"n":9223372036854775808,"lost_before":9})" + "\n");
    CHECK(huge.error.find("field n: the number is out of range") != std::string::npos);
    CHECK_EQUAL(huge.sums.lost, 0U);
}
