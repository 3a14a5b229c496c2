// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/read/blocksurvey.h"
#include "core/trace/population.h"
#include "tests/core/recording/recordingtest.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/smalltmpfs.h"

#include <unordered_set>

using namespace recordingtest;

namespace {

#if CT_THREAD_SANITIZER
constexpr int kHarms = 100;  // single-threaded, and each takes long
#else
constexpr int kHarms = 2000;
#endif

std::vector<Batch> randomBatches(unsigned seed, int count, std::size_t transitions)
{
    RandomStream stream(seed);
    std::vector<Batch> batches;
    for (int i = 0; i < count; ++i)
        batches.push_back(stream.next(transitions));
    return batches;
}

void record(RecordingWriter &sink, const std::vector<Batch> &batches)
{
    for (const Batch &batch : batches)
        REQUIRE(static_cast<bool>(sink.consume(batch)));
}

void checkSame(const std::vector<Batch> &batches, const std::vector<Batch> &back)
{
    CHECK_EQUAL(back.size(), batches.size());
    for (std::size_t i = 0; i < std::min(batches.size(), back.size()); ++i) {
        if (textOf(back[i]) != textOf(batches[i])) {
            CHECK_EQUAL(textOf(back[i]), textOf(batches[i]));
            return;
        }
    }
}

/// Visits every line of every batch, except for its time: everything that may be shown.
template <class Visit>
void forEachLine(const std::vector<Batch> &batches, Visit &&visit)
{
    for (const Batch &batch : batches) {
        std::istringstream text(textOf(batch));
        for (std::string line; std::getline(text, line);) {
            if (!line.starts_with("now "))
                visit(line);
        }
    }
}

using Lines = std::unordered_set<std::string>;
Lines linesOf(const std::vector<Batch> &batches)
{
    Lines lines;
    forEachLine(batches, [&](const std::string &line) { lines.insert(line); });
    return lines;
}

/// A transition whose site was lost has no site. A birth that was lost has only its id.
Lines withoutSitesAndBirthDetails(const std::vector<Batch> &batches)
{
    std::vector<Batch> poorer = batches;
    for (Batch &batch : poorer) {
        for (Transition &event : batch.transitions)
            event.site = kUnknownSite;
        for (Birth &birth : batch.births) {
            const CoroutineId id = birth.coroutine;
            birth = Birth{};
            birth.coroutine = id;
        }
    }
    return linesOf(poorer);
}

/// A small file with many blocks of all kinds.
struct Sample {
    TempDir dir;
    std::vector<Batch> batches = randomBatches(77, 24, 8);
    std::string content;
    Lines allowed;

    Sample()
    {
        for (std::size_t i = 0; i < batches.size(); ++i)
            batches[i].now = 1'000'000'000'000 + i * 300'000'000;
        {
            const auto sink = writer(dir.file("sample.ctr"));
            RecordingInfo info;
            info.session = "sample";
            info.command = {"a", "b c"};
            sink->addInfo(info);
            sink->addOutput(5, "hello\n");
            record(*sink, batches);
            CHECK(static_cast<bool>(sink->finish({})));
        }
        content = contentOf(dir.file("sample.ctr"));
        allowed = linesOf(batches);
        allowed.merge(withoutSitesAndBirthDetails(batches));
    }

    /// Reads a changed copy. Returns the number of batches that it still has.
    std::size_t check(const std::string &changed) const
    {
        const std::string path = dir.file("changed.ctr");
        putContent(path, changed);
        const Everything all = readAll(path);
        Population population;
        for (const Batch &batch : all.batches)
            CHECK(static_cast<bool>(population.consume(batch)));
        std::uint64_t transitions = 0, lost = 0, missed = 0;
        forEachLine(all.batches, [&](const std::string &line) {
            if (!allowed.count(line))
                CHECK_EQUAL(line, "one that was written");
        });
        for (const Batch &batch : all.batches) {
            transitions += batch.transitions.size();
            for (const Loss &loss : batch.losses)
                (loss.beforeAttach ? missed : lost) += loss.count;
        }
        CHECK_EQUAL(all.sums.captured, transitions);
        CHECK_EQUAL(all.sums.lost, lost);
        CHECK_EQUAL(all.sums.missedBeforeAttach, missed);
        if (changed != content)
            CHECK(!all.error.empty() || !all.hasEnded || all.batches.size() == batches.size());
        return all.batches.size();
    }
};

const Sample &sample()
{
    static const Sample sample;
    return sample;
}

std::uint64_t transitionsIn(const std::vector<Batch> &batches)
{
    std::uint64_t count = 0;
    for (const Batch &batch : batches)
        count += batch.transitions.size();
    return count;
}

}  // namespace

CT_CASE(batchesRoundTrip)
{
    const TempDir dir;
    for (unsigned seed = 0; seed < 20; ++seed) {
        const std::vector<Batch> batches = randomBatches(seed, 50, seed * 10);
        const auto sink = writer(dir.file("run.ctr"));
        record(*sink, batches);
        CHECK(static_cast<bool>(sink->finish({})));
        const Everything all = readAll(dir.file("run.ctr"));
        CHECK_EQUAL(all.error, "");
        CHECK(all.hasEnded);
        checkSame(batches, all.batches);
    }
}

CT_CASE(fullBlocksRoundTrip)
{
    const TempDir dir;
    const std::vector<Batch> batches = randomBatches(4, 40, 9000);
    const auto sink = writer(dir.file("run.ctr"));
    record(*sink, batches);
    CHECK(static_cast<bool>(sink->finish({})));
    checkSame(batches, readAll(dir.file("run.ctr")).batches);
    const auto reader = ctr::BlockReader::open(dir.file("run.ctr"));
    REQUIRE(static_cast<bool>(reader));
    const auto survey = ctr::surveyBlocks(**reader);
    REQUIRE(static_cast<bool>(survey));
    CHECK_EQUAL(survey->blocks.front().transitions, 7U * 9000);
}

CT_CASE(hugeBatchesAreEmittedInPieces)
{
    RandomStream stream(8);
    Batch batch = stream.next(200'000);
    for (int i = 0; i < 100'000; ++i)
        batch.notes.names.push_back({0, "name " + std::to_string(i)});
    const TempDir dir;
    const auto sink = writer(dir.file("run.ctr"));
    record(*sink, {batch});
    CHECK(static_cast<bool>(sink->finish({})));
    const Everything all = readAll(dir.file("run.ctr"));
    CHECK_EQUAL(all.error, "");
    CHECK(all.batches.size() > 10);
    // Everything is there, each kind in its order. A consumer of the stream gets the same state.
    std::map<std::string, std::string> before, after;
    const auto sort = [](const Batch &from, std::map<std::string, std::string> &to) {
        std::istringstream text(textOf(from));
        for (std::string line; std::getline(text, line);) {
            const std::string kind = line.substr(0, line.find(' '));
            if (kind != "now" && kind != "L")
                to[kind] += line + '\n';
        }
    };
    sort(batch, before);
    Population whole, pieces;
    CHECK(static_cast<bool>(whole.consume(batch)));
    std::size_t losses = 0;
    for (const Batch &piece : all.batches) {
        sort(piece, after);
        losses += piece.losses.size();
        CHECK(static_cast<bool>(pieces.consume(piece)));
    }
    CHECK(before == after);
    CHECK_EQUAL(losses, batch.losses.size());
    REQUIRE(whole.size() == pieces.size());
    for (CoroutineId id = 0; id < whole.size(); ++id) {
        CHECK_EQUAL(whole.at(id).lost, pieces.at(id).lost);
        CHECK_EQUAL(whole.at(id).missed, pieces.at(id).missed);
        CHECK_EQUAL(whole.at(id).unexplained, pieces.at(id).unexplained);
        CHECK_EQUAL(whole.at(id).events, pieces.at(id).events);
    }
}

CT_CASE(infoAndOutputRoundTrip)
{
    const TempDir dir;
    RecordingInfo first;
    first.session = "0123456789abcdef";
    first.program = "corotracer-gui";
    first.command = {"./server", "--say", "\"hi\" \\ \n\xC3\xA4"};
    first.machine = RecordingInfo::Machine{"host", "Linux", "CPU", 2, 1ULL << 40, 4096};
    first.environment = {{"LANG", "C.UTF-8"}, {"TZ", ""}};
    first.clocks = {{1, ~std::uint64_t{0}, 3}};
    first.processes = {{42, "/bin/server", {{"/bin/server", 1ULL << 63, (1ULL << 63) + 4096, 0, "abcd"}}}, {0, "", {}}};
    RecordingInfo later;
    later.clocks = {{4, 5, 6}};
    later.processes = {{42, "/bin/other", {{"/lib/x.so", 7, 8, 9, ""}}}};
    later.exit = RecordingInfo::Exit{0, std::nullopt};
    later.effect = RecordingInfo::Effect{8765, 1'000'000, 30};
    later.part = RecordingInfo::Part{57};
    CHECK(recordingInfoOf(toJson(first)) == first);
    CHECK(recordingInfoOf(toJson(later)) == later);
    {
        const auto sink = writer(dir.file("run.ctr"));
        sink->setSums([] {
            Accounting sums;
            sums.untraced = 1;
            return sums;
        });
        sink->addInfo(first);
        record(*sink, randomBatches(1, 3, 10));
        sink->addOutput(100, "out");
        sink->addOutput(200, std::string("\0\xFF", 2));
        sink->addInfo(later);
        Accounting sums;
        sums.untraced = 7;
        sums.recordsDropped = 9;
        sums.timesApproximate = true;
        sums.captured = 900;
        sums.lost = 100;
        CHECK(static_cast<bool>(sink->finish(sums)));
    }
    const Everything all = readAll(dir.file("run.ctr"));
    CHECK_EQUAL(all.sums.untraced, 7U);
    CHECK_EQUAL(all.sums.recordsDropped, 9U);
    CHECK(all.sums.timesApproximate);
    CHECK_EQUAL(all.sums.captured, 30U);
    // The effect is that of the whole run, of which a file may have a part.
    CHECK(all.info.effect == later.effect);
    CHECK(all.info.part == later.part);
    CHECK_EQUAL(all.sums.eventNs, 8.765);
    CHECK_EQUAL(all.sums.targetCpuNs, 1'000'000U);
    CHECK_EQUAL(all.sums.limitedNs, 30U);
    CHECK_EQUAL(all.sums.eventsWithCost(), 1000U);
    CHECK_EQUAL(all.sums.observerEffect(), 1000 * 8.765 / 1e6);
    REQUIRE(all.output.size() == 2);
    CHECK_EQUAL(all.output[1].ts, 200U);
    CHECK(all.output[1].bytes == std::string("\0\xFF", 2));
    CHECK_EQUAL(all.info.session, first.session);
    CHECK_EQUAL(all.info.clocks.size(), 2U);
    REQUIRE(all.info.processes.size() == 2);
    CHECK_EQUAL(all.info.processes[0].executable, "/bin/other");
    CHECK_EQUAL(all.info.processes[0].modules.size(), 2U);
    CHECK(all.info.exit == later.exit);
    CHECK(all.info.command == first.command);
    // Information from before the stream is known once the file is open.
    auto opened = RecordingReader::open(dir.file("run.ctr"));
    REQUIRE(static_cast<bool>(opened));
    CHECK((*opened)->info().command == first.command);
}

CT_CASE(checksInfoAndIgnoresUnknownFields)
{
    CHECK(!recordingInfoOf(""));
    CHECK(!recordingInfoOf("[]"));
    CHECK(!recordingInfoOf("{\"clocks\":[{\"monotonic\":\"x\"}]}"));
    CHECK(!recordingInfoOf("{\"exit\":{\"status\":4294967296}}"));
    const auto info =
        recordingInfoOf(" { \"new\" : [1,{\"a\":null}] , \"session\" : \"s\", \"clocks\":[{\"realtime\":12}] } ");
    REQUIRE(info.has_value());
    CHECK_EQUAL(info->session, "s");
    CHECK_EQUAL(info->clocks[0].realtime, 12U);
}

CT_CASE(aKillLosesASecondAtMost)
{
    const TempDir dir;
    const auto sink = writer(dir.file("run.ctr"));
    std::vector<Batch> batches = randomBatches(3, 3, 20);
    batches[0].now = 5'000'000'000;
    batches[1].now = 5'400'000'000;
    batches[2].now = 5'500'000'000;
    record(*sink, {batches[0], batches[1]});
    CHECK_EQUAL(contentOf(dir.file("run.ctr")).size(), 0U);
    record(*sink, {batches[2]});
    const Everything all = readAll(dir.file("run.ctr"));
    CHECK_EQUAL(all.error, "");
    CHECK(!all.hasEnded);
    checkSame(batches, all.batches);
}

CT_CASE(aRunThatNeverBeganKeepsTheOlderFile)
{
    const TempDir dir;
    putContent(dir.file("old.ctr"), "precious");
    {
        const auto sink = writer(dir.file("old.ctr"));
        RecordingInfo info;
        info.session = "s";
        sink->addInfo(info);
        Batch nothing;
        nothing.now = 1;
        record(*sink, {nothing});
        nothing.now = 2'000'000'000;
        record(*sink, {nothing});
        static_cast<void>(writer(dir.file("new.ctr")));
    }
    CHECK_EQUAL(contentOf(dir.file("old.ctr")), "precious");
    CHECK(!std::filesystem::exists(dir.file("new.ctr")));
    // Ended in order, it is an empty recording.
    const auto sink = writer(dir.file("old.ctr"));
    CHECK(static_cast<bool>(sink->finish({})));
    const Everything all = readAll(dir.file("old.ctr"));
    CHECK_EQUAL(all.error, "");
    CHECK(all.hasEnded && all.batches.empty());
}

CT_CASE(survivesTruncationAnywhere)
{
    const Sample &whole = sample();
    CHECK_EQUAL(whole.check(whole.content), whole.batches.size());
    std::mt19937 random(11);
    std::size_t last = 0;
    for (int i = 0; i < kHarms; ++i) {
        const std::size_t size = random() % whole.content.size();
        last = std::max(last, whole.check(whole.content.substr(0, size)));
    }
    CHECK(last > whole.batches.size() / 2);
}

CT_CASE(survivesAnyChangedByte)
{
    const Sample &whole = sample();
    std::mt19937 random(12);
    std::size_t kept = 0;
    for (int i = 0; i < kHarms; ++i) {
        std::string changed = whole.content;
        changed[random() % changed.size()] ^= static_cast<char>(1 + random() % 255);
        kept += whole.check(changed);
    }
    // Batches behind the damage are not lost.
    CHECK(kept > kHarms * whole.batches.size() * 8 / 10);
}

CT_CASE(makesUpBirthsOfALostBlock)
{
    const TempDir dir;
    const auto sink = writer(dir.file("run.ctr"));
    std::vector<Batch> batches(3);
    batches[0].births = {jsonltest::birth(0, 100)};
    batches[0].transitions = {jsonltest::event(0, 0, 10, false)};
    batches[1].sites = {{1, 5, 0, "a.cpp", "f"}};
    batches[1].births = {jsonltest::birth(1, 101)};
    batches[1].transitions = {jsonltest::event(0, 1, 20, true), jsonltest::event(1, 0, 21, false)};
    batches[1].losses = {{0, 2, 3, false}};
    batches[2].births = {jsonltest::birth(2, 102)};
    batches[2].transitions = {jsonltest::event(0, 5, 30, true), jsonltest::event(1, 1, 31, false, 1)};
    for (std::size_t i = 0; i < 3; ++i)
        batches[i].now = (i + 1) * 10'000'000'000;
    for (Batch &batch : batches) {
        record(*sink, {batch});
        Batch late;
        late.now = batch.now + 600'000'000;
        record(*sink, {late});
    }
    CHECK(static_cast<bool>(sink->finish({})));
    const auto reader = ctr::BlockReader::open(dir.file("run.ctr"));
    REQUIRE(static_cast<bool>(reader));
    const auto survey = ctr::surveyBlocks(**reader);
    REQUIRE(static_cast<bool>(survey) && survey->blocks.size() == 4);
    std::string content = contentOf(dir.file("run.ctr"));
    content[survey->blocks[1].offset + 65] ^= 4;
    putContent(dir.file("run.ctr"), content);

    const Everything all = readAll(dir.file("run.ctr"));
    CHECK(all.error.find("2 transitions") != std::string::npos);
    CHECK(all.error.find(dir.file("run.ctr")) != std::string::npos);
    Population population;
    for (const Batch &batch : all.batches)
        CHECK(static_cast<bool>(population.consume(batch)));
    REQUIRE(population.size() == 3);
    CHECK_EQUAL(population.at(0).unexplained, 4U);
    CHECK_EQUAL(population.at(0).lost, 0U);
    CHECK_EQUAL(population.at(1).probeId, 0U);
    CHECK_EQUAL(population.at(1).unexplained, 1U);
    CHECK_EQUAL(population.at(1).site, kUnknownSite);
    CHECK_EQUAL(population.at(2).probeId, 102U);
    CHECK_EQUAL(all.sums.coroutines, 3U);
}

/// A writer of valid files with invalid contents: the reader emits nothing that no stream can have.
CT_CASE(refusesImpossibleRows)
{
    const TempDir dir;
    const auto recorded = [&](const Batch &batch) {
        const auto sink = writer(dir.file("run.ctr"));
        record(*sink, {batch});
        CHECK(static_cast<bool>(sink->finish({})));
        const Everything all = readAll(dir.file("run.ctr"));
        CHECK_EQUAL(all.error.empty(), all.damages.empty());
        return all.batches.size();
    };
    Batch good;
    good.births = {jsonltest::birth(0, 1), jsonltest::birth(1, 2)};
    CHECK_EQUAL(recorded(good), 1U);
    const auto refused = [&](auto &&change) {
        Batch bad = good;
        change(bad);
        return recorded(bad) == 0;
    };
    CHECK(refused([](Batch &batch) { batch.births[1].coroutine = 2; }));
    CHECK(refused([](Batch &batch) { batch.births[1].coroutine = 0; }));
    CHECK(refused([](Batch &batch) { batch.births[1].coroutine = kNoCoroutine; }));
    CHECK(refused([](Batch &batch) { batch.transitions = {jsonltest::event(2, 0, 1, false)}; }));
    CHECK(refused([](Batch &batch) { batch.transitions = {jsonltest::event(0xFFFF'FFF0, 0, 1, false)}; }));
    CHECK(refused([](Batch &batch) { batch.deaths = {{kNoCoroutine, 1}}; }));
    CHECK(refused([](Batch &batch) { batch.notes.parents = {{0, 7}}; }));
    CHECK(refused([](Batch &batch) { batch.notes.wakes = {{0, 9, 1, 1, 1, 1}}; }));
    CHECK(refused([](Batch &batch) { batch.notes.waits = {{0, 1, WaitKind::Lock, 0, 9}}; }));
    CHECK(refused([](Batch &batch) { batch.notes.uses = {{9, 1, UseKind::Acquired, 1, 0, 1, 1, 1}}; }));
    CHECK(refused([](Batch &batch) { batch.notes.finishes = {{9, 1, 0}}; }));
    CHECK(refused([](Batch &batch) { batch.sites = {{0, 1, 1, "", ""}}; }));
    CHECK(refused([](Batch &batch) { batch.sites = {{1U << 23, 1, 1, "", ""}}; }));
}

CT_CASE(aFullDiskKeepsTheWrittenBatches)
{
    smalltmpfs::onSmallTmpfs(1 << 20, [](const std::string &directory) {
        const std::string path = directory + "/run.ctr";
        const auto sink = writer(path);
        RandomStream stream(1);
        std::vector<Batch> batches;
        Result<void> done;
        while (done) {
            batches.push_back(stream.next(5000));
            done = sink->consume(batches.back());
        }
        CHECK(done.error().code == ErrorCode::NoSpace);
        CHECK(done.error().message.find(path) != std::string::npos);
        CHECK(done.error().message.find("free some space") != std::string::npos);
        const Everything all = readAll(path);
        CHECK_EQUAL(all.error, "");
        CHECK(!all.batches.empty());
        batches.resize(all.batches.size());
        checkSame(batches, all.batches);
    });
}

CT_CASE(removesAPartialBlock)
{
    const TempDir dir;
    const std::vector<Batch> batches = randomBatches(2, 30, 5000);
    Result<void> done;
    {
        const auto sink = writer(dir.file("run.ctr"));
        const test::FileSizeLimit limit(200'000);
        for (std::size_t i = 0; done && i < batches.size(); ++i)
            done = sink->consume(batches[i]);
    }
    REQUIRE(!done);
    const Everything all = readAll(dir.file("run.ctr"));
    CHECK_EQUAL(all.error, "");
    CHECK(transitionsIn(all.batches) % 5000 == 0 && transitionsIn(all.batches) < 30 * 5000);
}
