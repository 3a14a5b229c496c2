// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Recordings read by a program that was written from docs/recording.md alone (tests/support/ctr.py).
#include "tests/support/publicreader.h"
#include "tests/unit/recordingtest.h"

#include <cstdlib>
#include <unordered_set>

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

/// What the other reader says, on its standard output and error.
std::string peer(const TempDir &dir, const std::string &path, std::string *facts = nullptr)
{
    CHECK(run("python3 " CT_SOURCE_DIR "/tests/support/ctr.py " + path + " > " + dir.file("out") + " 2> " +
              dir.file("facts")));
    if (facts)
        *facts = contentOf(dir.file("facts"));
    return contentOf(dir.file("out"));
}

void recordProgram(const std::string &path, const std::string &program)
{
    REQUIRE(run(CT_BIN_DIR "/corotracer-gui --batch --session peer -o " + path + " -- " CT_BIN_DIR "/" + program +
                " > /dev/null 2>&1"));
}

/// Of the transitions of all batches. A site that was lost shows as unknown: it is left out.
template <class Visit>
void forEachTransition(const std::vector<Batch> &batches, Visit &&visit)
{
    for (const Batch &batch : batches) {
        for (Transition event : batch.transitions) {
            event.site = kUnknownSite;
            visit(recordingtest::textOf(event));
        }
    }
}

/// Reads a harmed copy of a real recording with the library for others.
void checkHarmed(const std::string &path, const std::unordered_set<std::string> &written)
{
    const publicreader::Everything all = publicreader::readAll(path);
    std::size_t shown = 0;
    forEachTransition(all.batches, [&](const std::string &event) {
        ++shown;
        if (!written.count(event))
            CHECK_EQUAL(event, "one that was written");
    });
    CHECK_EQUAL(all.sums.captured, shown);
    CHECK(shown == written.size() || !all.message.empty() || !all.ended);
    CHECK((all.status == corotracer::recording::status::good) == all.message.empty());
}

}  // namespace

CT_CASE(randomStreams)
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

CT_CASE(realRuns)
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
    CHECK(!run("python3 " CT_SOURCE_DIR "/tests/support/ctr.py " + dir.file("run.ctr") + " > /dev/null 2>&1"));
}

CT_CASE(harmedAnywhereOthersReadNothingThatWasNotWritten)
{
    const TempDir dir;
    recordProgram(dir.file("run.ctr"), "ct_causality --workers 5");
    const std::string content = contentOf(dir.file("run.ctr"));
    std::unordered_set<std::string> written;
    forEachTransition(publicreader::readAll(dir.file("run.ctr")).batches,
                      [&](const std::string &event) { written.insert(event); });
    REQUIRE(written.size() > 20);
    checkHarmed(dir.file("run.ctr"), written);
    std::mt19937 random(31);
    for (int i = 0; i < 2000; ++i) {
        putContent(dir.file("cut.ctr"), std::string_view(content).substr(0, random() % content.size()));
        checkHarmed(dir.file("cut.ctr"), written);
        std::string flipped = content;
        flipped[random() % flipped.size()] ^= static_cast<char>(1 + random() % 255);
        putContent(dir.file("flipped.ctr"), flipped);
        checkHarmed(dir.file("flipped.ctr"), written);
    }
}
