// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The note lines of JSONL recordings.
#include "core/recording/write/filesink.h"
#include "tests/core/recording/text/jsonlsupport.h"
#include "tests/support/check.h"
#include "tests/support/filesizelimit.h"

#include <sstream>

using namespace jsonltest;
using ct::test::FileSizeLimit;

namespace {

constexpr std::uint32_t kPid = 42;

/// Writes batches to a file and returns its content.
std::string written(const std::string &path, const std::vector<ct::Batch> &batches)
{
    auto sink = ct::makeJsonlWriter(path);
    REQUIRE(static_cast<bool>(sink));
    for (const ct::Batch &batch : batches)
        CHECK(static_cast<bool>((*sink)->consume(batch)));
    CHECK(static_cast<bool>((*sink)->finish({})));
    return contentOf(path);
}

std::string written(const std::vector<ct::Batch> &batches)
{
    const TempDir dir;
    return written(dir.file("out.jsonl"), batches);
}

std::vector<std::string> linesOf(const std::string &text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

std::vector<std::string> noteLinesOf(const std::string &text)
{
    std::vector<std::string> lines = linesOf(text);
    std::erase_if(lines, [](const std::string &line) { return !line.starts_with(R"({"note":)"); });
    return lines;
}

/// Two coroutines with an event each, and a site.
ct::Batch twoCoroutines()
{
    ct::Batch batch;
    batch.sites = {{1, 88, 5, "a.cpp", "f"}};
    batch.births = {birth(0, 111, 1000, kPid, ct::Dialect::Lane), birth(1, 222, 1001, kPid, ct::Dialect::Lane)};
    batch.transitions = {event(0, 0, 2000, false), event(1, 0, 2001, false)};
    return batch;
}

ct::WaitsOn wait(ct::WaitKind kind, std::uint64_t object, std::uint32_t part = 0,
                 ct::CoroutineId target = ct::kNoCoroutine)
{
    return {0, 0, kind, object, target, part};
}

/// Every sort of note. The third coroutine has no event.
ct::Batch everyNote()
{
    ct::Batch batch = twoCoroutines();
    batch.births.push_back(birth(2, 333, 1002, kPid, ct::Dialect::Lane));
    ct::Notes &notes = batch.notes;
    notes.processes = {{kPid, 500, "the \"server\""}, {43, 0, ""}};
    notes.threadNames = {{kPid, 77, "io\xC3\xA4"}};
    notes.names = {{0, "zero"}};
    notes.parents = {{1, 0}};
    notes.waits = {wait(ct::WaitKind::Unknown, 0),          wait(ct::WaitKind::Lock, 0xBEEF),
                   wait(ct::WaitKind::Channel, ~0ULL, 1),   wait(ct::WaitKind::Descriptor, 0, 4),
                   wait(ct::WaitKind::Timer, 123456789, 7), wait(ct::WaitKind::Coroutine, 0, 0, 1),
                   wait(ct::WaitKind::Other, 0xAB)};
    notes.wakes = {{1, 2, 1, 2100, kPid, 78}, {0, ct::kNoCoroutine, 1, 2101, 0, 0}};
    notes.uses = {{0, 1, ct::UseKind::Acquired, 0xBEEF, 1, 2200, kPid, 77},
                  {ct::kNoCoroutine, 0, ct::UseKind::Released, 0xBEEF, ct::kUnknownSite, 2201, kPid, 78},
                  {1, 1, ct::UseKind::Signalled, 0xABC, ct::kUnknownSite, 2202, kPid, 77}};
    notes.wakersLeft = {{0, 1, 0, 2300}, {1, 1, 3, 2301}};
    notes.finishes = {{0, 2400, 1}, {1, 2401, ct::kUnknownSite}};
    notes.drops = {{kPid, 77, 12, 2500, 2600}};
    notes.switches = {{kPid, 2610, false}, {kPid, 2620, true}};
    notes.processEnds = {{43, 2800}};
    batch.deaths = {{0, 2700}};
    batch.now = 3000;
    return batch;
}

}  // namespace

CT_CASE(everyNoteHasALine)
{
    const std::vector<std::string> lines = noteLinesOf(written({everyNote()}));
    const std::vector<std::string> expected = {
        R"({"note":"process","pid":42,"ts":500,"name":"the \"server\""})",
        R"({"note":"process","pid":43})",
        "{\"note\":\"thread\",\"pid\":42,\"tid\":77,\"name\":\"io\xC3\xA4\"}",
        R"({"note":"wait","coroutine":0,"n":0,"kind":"unknown"})",
        R"({"note":"wait","coroutine":0,"n":0,"kind":"lock","object":"0x000000000000beef"})",
        R"({"note":"wait","coroutine":0,"n":0,"kind":"channel","object":"0xffffffffffffffff","mode":"any","position":0})",
        R"({"note":"wait","coroutine":0,"n":0,"kind":"descriptor","object":0,"mode":"all","position":1})",
        R"({"note":"wait","coroutine":0,"n":0,"kind":"timer","object":123456789,"mode":"any","position":3})",
        R"({"note":"wait","coroutine":0,"n":0,"kind":"coroutine","target":1})",
        R"({"note":"wait","coroutine":0,"n":0,"kind":"other","object":"0x00000000000000ab"})",
        R"({"note":"birth","coroutine":2,"probe_id":333,"birth_ts":1002,"pid":42})",
        R"({"note":"wake","coroutine":1,"n":1,"ts":2100,"by":2,"pid":42,"tid":78})",
        R"({"note":"wake","coroutine":0,"n":1,"ts":2101})",
        R"({"note":"use","kind":"acquired","object":"0x000000000000beef","ts":2200,"by":0,"n":1,)"
        R"("file":"a.cpp","line":88,"function":"f","column":5,"pid":42,"tid":77})",
        R"({"note":"use","kind":"released","object":"0x000000000000beef","ts":2201,"n":0,"pid":42,"tid":78})",
        R"({"note":"use","kind":"signalled","object":"0x0000000000000abc","ts":2202,"by":1,"n":1,"pid":42,"tid":77})",
        R"({"note":"wakers_left","coroutine":0,"n":1,"ts":2300,"wakers":0})",
        R"({"note":"wakers_left","coroutine":1,"n":1,"ts":2301,"wakers":3})",
        R"({"note":"finish","coroutine":0,"ts":2400,"file":"a.cpp","line":88,"function":"f","column":5})",
        R"({"note":"finish","coroutine":1,"ts":2401})",
        R"({"note":"drop","pid":42,"tid":77,"records":12,"first_ts":2500,"last_ts":2600})",
        R"({"note":"switch","pid":42,"ts":2610,"is_on":false})",
        R"({"note":"switch","pid":42,"ts":2620,"is_on":true})",
        R"({"note":"death","coroutine":0,"ts":2700})",
        R"({"note":"process_end","pid":43,"ts":2800})",
    };
    CHECK_EQUAL(lines.size(), expected.size());
    for (std::size_t i = 0; i < std::min(lines.size(), expected.size()); ++i)
        CHECK_EQUAL(lines[i], expected[i]);
}

CT_CASE(everyNoteRoundTrips)
{
    const TempDir dir;
    const std::string first = written(dir.file("a.jsonl"), {everyNote()});
    const Everything all = readAll(dir.file("a.jsonl"));
    CHECK_EQUAL(all.error, "");
    const ct::Batch expected = everyNote();
    CHECK_EQUAL(all.batch.notes.causes(), expected.notes.causes());
    CHECK_EQUAL(all.batch.deaths.size(), 1U);
    CHECK_EQUAL(all.sums.recordsDropped, 12U);
    CHECK_EQUAL(all.batch.now, 2800U);
    REQUIRE(all.batch.notes.waits.size() == expected.notes.waits.size());
    for (std::size_t i = 0; i < expected.notes.waits.size(); ++i) {
        CHECK_EQUAL(all.batch.notes.waits[i].object, expected.notes.waits[i].object);
        CHECK_EQUAL(all.batch.notes.waits[i].part, expected.notes.waits[i].part);
        CHECK_EQUAL(all.batch.notes.waits[i].target, expected.notes.waits[i].target);
        CHECK(all.batch.notes.waits[i].kind == expected.notes.waits[i].kind);
    }
    CHECK_EQUAL(all.batch.notes.uses[1].by, ct::kNoCoroutine);
    CHECK_EQUAL(all.batch.notes.wakes[0].by, 2U);
    // The lines have every field of the rows, so equal lines mean equal rows.
    CHECK_EQUAL(written({all.batch}), first);
}

CT_CASE(filesOfTheExistingSdkHaveOnlyEvents)
{
    ct::Batch batch;
    batch.births = {birth(0, 111, 1000), birth(1, 222, 0, 0, ct::Dialect::Monotonic), birth(2, 333, 1002)};
    batch.losses = {{0, 1, 2, false}, {2, 0, 5, false}};
    batch.transitions = {event(0, 0, 2000, false), event(0, 3, 2010, true)};
    ct::Transition monotonic = event(1, 1, 2020, false);
    monotonic.seq = 1;
    batch.transitions.push_back(monotonic);
    batch.flags = {{0, ct::Flag::Reason::TwoWriters}};
    batch.deaths = {{0, 2500}, {2, 2600}};
    CHECK_EQUAL(written({batch}),
                R"({"probe_id":111,"tid":77,"addr":"0x0000000000401000","seq":2,"is_active":false,"ts":2000,"n":0,)"
                R"("coroutine":0,"birth_ts":1000})"
                "\n"
                R"({"probe_id":111,"tid":77,"addr":"0x0000000000000000","seq":2,"is_active":true,"ts":2010,"n":3,)"
                R"("coroutine":0,"lost_before":2})"
                "\n"
                R"({"probe_id":222,"tid":77,"addr":"0x0000000000401001","seq":1,"is_active":false,"ts":2020,"n":1,)"
                R"("coroutine":1})"
                "\n");
}

CT_CASE(namesThatNoEventFollowsHaveALine)
{
    ct::Batch first = twoCoroutines();
    first.births.push_back(birth(2, 333, 1002, kPid, ct::Dialect::Lane));
    ct::Batch second;
    second.notes.names = {{0, "late"}, {2, "silent"}, {1, "early"}};
    second.notes.parents = {{0, 2}};
    second.transitions = {event(1, 1, 3000, true)};
    second.deaths = {{2, 3100}};
    const std::vector<std::string> lines = linesOf(written({first, second}));
    const std::vector<std::string> expected = {
        R"({"note":"name","coroutine":0,"name":"late"})",
        R"({"note":"birth","coroutine":2,"probe_id":333,"birth_ts":1002,"pid":42})",
        R"({"note":"parent","coroutine":0,"parent":2})",
        R"({"note":"name","coroutine":2,"name":"silent"})",
        R"({"note":"death","coroutine":2,"ts":3100})",
    };
    REQUIRE(lines.size() == 8);
    CHECK(lines[2].find(R"("name":"early")") != std::string::npos);  // an event line carries it
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK_EQUAL(lines[i + 3], expected[i]);
}

CT_CASE(aParentWithoutALineIsIntroduced)
{
    ct::Batch batch;
    batch.births = {birth(0, 111, 1000, kPid, ct::Dialect::Lane), birth(1, 222, 1001, kPid, ct::Dialect::Lane)};
    batch.notes.parents = {{1, 0}};
    batch.transitions = {event(1, 0, 2000, true), event(0, 0, 2001, false)};
    const TempDir dir;
    const std::vector<std::string> lines = linesOf(written(dir.file("a.jsonl"), {batch}));
    REQUIRE(lines.size() == 3);
    CHECK_EQUAL(lines[0], R"({"note":"birth","coroutine":0,"probe_id":111,"birth_ts":1000,"pid":42})");
    const Everything all = readAll(dir.file("a.jsonl"));
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.sums.coroutines, 2U);
    REQUIRE(all.batch.notes.parents.size() == 1);
    CHECK_EQUAL(all.batch.notes.parents[0].parent, 0U);
}

CT_CASE(namesOfSilentCoroutinesWaitForTheEnd)
{
    ct::Batch batch;
    batch.births = {birth(0, 111, 1000, kPid, ct::Dialect::Monotonic)};
    batch.notes.names = {{0, "silent"}};
    const std::vector<std::string> expected = {
        R"({"note":"birth","coroutine":0,"n":1,"probe_id":111,"birth_ts":1000,"pid":42})",
        R"({"note":"name","coroutine":0,"name":"silent"})",
    };
    CHECK(linesOf(written({batch})) == expected);
}

/// A reader makes up births that a damaged recording lost. All outputs have the same number of coroutines.
CT_CASE(madeUpBirthsAreWrittenAtTheEnd)
{
    ct::Batch batch;
    batch.births = {birth(0, 0), birth(1, 0), birth(3, 0)};  // a selection may leave out a coroutine
    batch.transitions = {event(1, 0, 2000, false)};
    const TempDir dir;
    const std::vector<std::string> lines = linesOf(written(dir.file("a.jsonl"), {batch}));
    REQUIRE(lines.size() == 3);
    CHECK_EQUAL(lines[1], R"({"note":"birth","coroutine":0,"probe_id":0})");
    CHECK_EQUAL(lines[2], R"({"note":"birth","coroutine":3,"probe_id":0})");
    const Everything all = readAll(dir.file("a.jsonl"));
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.sums.coroutines, 3U);
}

CT_CASE(notesAreNoTransitions)
{
    const TempDir dir;
    const std::string path = dir.file("a.jsonl");
    auto sink = ct::makeJsonlWriter(path);
    REQUIRE(static_cast<bool>(sink));
    CHECK(static_cast<bool>((*sink)->consume(everyNote())));
    CHECK(static_cast<bool>((*sink)->finish({})));
    CHECK_EQUAL(dynamic_cast<const ct::FileSink &>(**sink).written(), 2U);
}

CT_CASE(aFullFileCountsItsEvents)
{
    const TempDir dir;
    const std::string path = dir.file("a.jsonl");
    const FileSizeLimit limit(3000);
    auto sink = ct::makeJsonlWriter(path);
    REQUIRE(static_cast<bool>(sink));
    for (std::uint64_t n = 0; n < 40; ++n) {
        ct::Batch batch = n == 0 ? twoCoroutines() : ct::Batch();
        batch.transitions = {event(0, n, 2000 + n, n % 2 == 1)};
        batch.notes.wakes = {{1, 0, 1, 2000 + n, kPid, 77}, {1, 0, 1, 2001 + n, kPid, 77}};
        CHECK(static_cast<bool>((*sink)->consume(batch)));
    }
    CHECK(!(*sink)->finish({}));
    const std::vector<std::string> lines = linesOf(contentOf(path));
    const std::size_t events = lines.size() - noteLinesOf(contentOf(path)).size();
    CHECK(events > 0 && events < lines.size());
    CHECK_EQUAL(dynamic_cast<const ct::FileSink &>(**sink).written(), events);
}

CT_CASE(unknownNotesAndFieldsAreSkipped)
{
    const std::string text = written({everyNote()});
    const TempDir dir;
    const Everything plain = readText(dir, text);
    std::string later = R"({"note":"of a later version","ts":"soon","coroutine":[1],"by":null,"n":-1.5e3})"
                        "\n";
    for (std::string &line : linesOf(text)) {
        line.insert(line.size() - 1, R"(,"later":{"a":[1,null]},"rate":1.5,"debt":-3,"huge":99999999999999999999)");
        later += line + "\n" + R"({"note":"another"})" + "\n";
    }
    const Everything all = readText(dir, later);
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(written({all.batch}), written({plain.batch}));
    CHECK_EQUAL(all.batch.now, plain.batch.now);
}

CT_CASE(kindsOfALaterVersionAreUnknown)
{
    const TempDir dir;
    const Everything all =
        readText(dir, R"({"note":"birth","coroutine":7,"probe_id":1})"
                      "\n"
                      R"({"note":"wait","coroutine":7,"n":0,"kind":"of a later version","mode":"most","object":9})"
                      "\n"
                      R"({"note":"use","kind":"of a later version","ts":5,"n":0})"
                      "\n");
    CHECK_EQUAL(all.error, "");
    REQUIRE(all.batch.notes.waits.size() == 1);
    CHECK(all.batch.notes.waits[0].kind == ct::WaitKind::Unknown);
    CHECK_EQUAL(all.batch.notes.waits[0].object, 9U);
    CHECK_EQUAL(all.batch.notes.waits[0].part, 0U);
    CHECK(all.batch.notes.uses.empty());
}

CT_CASE(fieldsMayBeInAnyOrder)
{
    const TempDir dir;
    const Everything all = readText(dir, R"({"coroutine":7,"note":"birth","probe_id":1})"
                                         "\n"
                                         R"({"by":7,"coroutine":7,"n":1,"note":"wake","ts":5})"
                                         "\n"
                                         R"({"probe_id":1,"tid":5,"addr":"0x10","seq":2,"is_active":true,"ts":10,)"
                                         R"("n":0,"coroutine":7,"note":"of another program"})"
                                         "\n");
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.batch.births.size(), 1U);
    REQUIRE(all.batch.notes.wakes.size() == 1);
    CHECK_EQUAL(all.batch.notes.wakes[0].by, 0U);
    CHECK_EQUAL(all.batch.transitions.size(), 1U);
}

/// The probe's id of the line before must not become the time.
CT_CASE(aTimeOfAnotherTypeIsNone)
{
    const TempDir dir;
    const Everything all = readText(dir, R"({"note":"birth","coroutine":7,"probe_id":1})"
                                         "\n"
                                         R"({"note":"wake","coroutine":7,"n":1,"ts":5})"
                                         "\n"
                                         R"({"note":"name","coroutine":7,"name":"a","probe_id":99999})"
                                         "\n"
                                         R"({"note":"name","coroutine":7,"name":"b","ts":"x"})"
                                         "\n");
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.batch.now, 5U);
}

CT_CASE(notesAboutUnknownCoroutinesAreSkipped)
{
    const TempDir dir;
    const Everything all = readText(dir, R"({"note":"birth","coroutine":7,"probe_id":1})"
                                         "\n"
                                         R"({"note":"wake","coroutine":8,"n":1,"ts":5})"
                                         "\n"
                                         R"({"note":"wake","coroutine":7,"n":1,"ts":6,"by":8})"
                                         "\n"
                                         R"({"note":"parent","coroutine":7,"parent":8})"
                                         "\n"
                                         R"({"note":"death","coroutine":8,"ts":7})"
                                         "\n");
    CHECK_EQUAL(all.error, "");
    CHECK_EQUAL(all.batch.births.size(), 1U);
    REQUIRE(all.batch.notes.wakes.size() == 1);
    CHECK_EQUAL(all.batch.notes.wakes[0].by, ct::kNoCoroutine);
    CHECK(all.batch.notes.parents.empty());
    CHECK(all.batch.deaths.empty());
}

CT_CASE(aProcessEndsItsBatch)
{
    const TempDir dir;
    putContent(dir.file("a.jsonl"), R"({"note":"process","pid":42})"
                                    "\n"
                                    R"({"note":"process_end","pid":42,"ts":5})"
                                    "\n"
                                    R"({"note":"process","pid":42})"
                                    "\n");
    auto reader = ct::JsonlReader::open(dir.file("a.jsonl"));
    REQUIRE(static_cast<bool>(reader));
    ct::Batch batch;
    CHECK(*(*reader)->next(batch));
    CHECK_EQUAL(batch.notes.processes.size(), 1U);
    CHECK_EQUAL(batch.notes.processEnds.size(), 1U);
    CHECK(*(*reader)->next(batch));
    CHECK_EQUAL(batch.notes.processes.size(), 1U);
    CHECK(batch.notes.processEnds.empty());
}

CT_CASE(malformedNotesNameTheirLine)
{
    const std::pair<const char *, const char *> bad[] = {
        {R"({"note":7})", "field note: expected a string"},
        {R"({"note":"wake")", "expected ',' or '}'"},
        {R"({"note":"wake","coroutine":7,"n":1})", "field ts is missing"},
        {R"({"note":"wake","n":1,"ts":5})", "field coroutine is missing"},
        {R"({"note":"wake","coroutine":7,"n":"1","ts":5})", "field n: expected a whole number"},
        {R"({"note":"wake","coroutine":7,"n":1.5,"ts":5})", "field n: expected a whole number"},
        {R"({"note":"wake","coroutine":7,"n":72057594037927937,"ts":5})", "field n: the number is out of range"},
        {R"({"note":"wake","coroutine":7,"n":1,"ts":-1})", "field ts: the number is out of range"},
        {R"({"note":"wake","coroutine":7,"n":1,"ts":5,"by":true})", "field by: expected a whole number"},
        {R"({"note":"wake","coroutine":7,"n":1,"ts":5,"tid":4294967296})", "field tid: the number is out of range"},
        {R"({"note":"wake","coroutine":7,"n":1,"ts":5,})", "expected a field name"},
        {R"({"note":"wake","coroutine":7,"n":1,"ts":5,"x":tru})", "a value is malformed"},
        {R"({"note":"wait","coroutine":7,"n":1})", "field kind is missing"},
        {R"({"note":"wait","coroutine":7,"n":1,"kind":3})", "field kind: expected a string"},
        {R"({"note":"wait","coroutine":7,"n":1,"kind":"lock","object":"beef"})", "field object: expected a number"},
        {R"({"note":"wait","coroutine":7,"n":1,"kind":"lock","mode":1})", "field mode: expected a string"},
        {R"({"note":"use","kind":"acquired","ts":5,"n":0,"file":1})", "field file: expected a string"},
        {R"({"note":"switch","pid":1,"ts":5,"is_on":1})", "field is_on: expected true or false"},
        {R"({"note":"switch","pid":1,"ts":5})", "field is_on is missing"},
        {R"({"note":"birth","coroutine":4294967296,"probe_id":1})", "field coroutine: the number is out of range"},
        {R"({"note":"death","coroutine":7})", "field ts is missing"},
        {R"({"note":"later","x":{"a"}})", "a value is malformed"},
    };
    const TempDir dir;
    for (const auto &[line, problem] : bad) {
        const Everything all = readText(dir, std::string(R"({"note":"birth","coroutine":7,"probe_id":1})") + "\n" +
                                                 line + "\n" + R"({"note":"process","pid":1})" + "\n");
        CHECK(all.error.find("input.jsonl:2: this is not a line of a JSONL recording (" + std::string(problem)) !=
              std::string::npos);
        CHECK_EQUAL(all.batch.births.size(), 1U);
        CHECK(all.batch.notes.empty());
    }
}

CT_CASE(nothingFollowsADeath)
{
    const TempDir dir;
    const std::string event = R"({"probe_id":1,"tid":5,"addr":"0x10","seq":2,"is_active":true,"ts":10,"coroutine":7,)";
    const Everything all =
        readText(dir, event + R"("n":0})" + "\n" + R"({"note":"death","coroutine":7,"ts":20})" + "\n" +
                          R"({"note":"wake","coroutine":7,"n":1,"ts":15})" + "\n" + event + R"("n":1})" + "\n");
    CHECK(all.error.find("input.jsonl:4") != std::string::npos);
    CHECK(all.error.find("event 1 of coroutine 7 follows its death") != std::string::npos);
    CHECK_EQUAL(all.batch.notes.wakes.size(), 1U);  // an export writes causes last
}
