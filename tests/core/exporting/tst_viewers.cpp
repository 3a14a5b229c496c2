// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/exporting/viewerscene.h"
#include "tests/support/qtsuite.h"

using namespace viewertest;

class TestViewers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsStatesAndRuns();
    void namesTheTrackAboveByTheFunction();
    void nestsRunsThatBeginTogether();
    void keepsTheOrderOfEqualTimes();
    void acceptsTheOrderOfAnExportFromMemory();
    void showsGapsInsteadOfUnknownTimes();
    void endsWhatIsOpen();
    void timesThatRunBackwardsDoNotBreakTracks();
    void wakesFlowToResumptions();
    void wakesFlowToResumptionsOfAnyDialect();
    void showsWaits();
    void showsDropsAndSwitches();
    void endsCoroutines();
    void keepsThreadsOfProcessesApart();
    void limitsTracks();
    void survivesAnyNameAndNumber();
    void writesEmptyTraces();
    void aCutOffFileIsValidUpToThere();
    void chromeHasTheSameSlices();
    void reportsAFullDisk();
};

void TestViewers::showsStatesAndRuns()
{
    Batch batch = begun(1);
    batch.transitions = {suspension(0, 0, 5000), resumption(0, 1, 5010), suspension(0, 2, 5050, 3),
                         resumption(0, 3, 5100, 78), suspension(0, 4, 5101)};
    batch.transitions.back().tid = 78;
    batch.transitions.back().kind = PointKind::Final;
    batch.deaths = {{0, 6000}};
    batch.now = 7000;
    const File file = perfetto({batch});
    QCOMPARE(file.primaryClock(), std::uint64_t{3});  // CLOCK_MONOTONIC
    QCOMPARE(file.defaultClock(), std::uint64_t{3});
    const std::vector<Slice> states = file.slices(file.track("#0"));
    QCOMPARE(textsOf(states), listOf({"serve(int) 5000-5010", "running 5010-5050", "work() 5050-5100",
                                      "running 5100-5101", "finished 5101-6000 end=destroyed kind=final"}));
    QCOMPARE(states[0].location, std::string("serve(int)@server.cpp:20"));
    QCOMPARE(states[0].args.at("probe_id"), std::string("100"));
    QCOMPARE(states[1].args.at("tid"), std::string("77"));
    QCOMPARE(states[2].category, std::string("suspended"));
    QCOMPARE(textsOf(file.slices(file.thread(4242, 77))),
             listOf({"serve(int) 5000-5000 begin=first event", "serve(int) 5010-5050"}));
    QCOMPARE(textsOf(file.slices(file.thread(4242, 78))), listOf({"serve(int) 5100-5101"}));
}

void TestViewers::namesTheTrackAboveByTheFunction()
{
    Batch batch = begun(3);
    batch.notes.names = {{1, "reader"}};
    batch.transitions = {suspension(0, 0, 10, 1), resumption(0, 1, 20), suspension(0, 2, 30, 2),
                         suspension(1, 0, 31, 1), resumption(1, 1, 40), suspension(2, 0, 41, kUnknownSite)};
    batch.transitions[0].kind = batch.transitions[3].kind = PointKind::Initial;
    Batch later;
    later.notes.names = {{0, "writer"}};
    const File file = perfetto({batch, later});
    const auto functionOf = [&file](const std::string &name) {
        return file.tracks().at(file.tracks().at(file.track(name)).parent).name;
    };
    QCOMPARE(functionOf("writer #0"), std::string("serve(int)"));  // not the function of the initial suspension
    QCOMPARE(functionOf("reader #1"), std::string("Promise::initial_suspend()"));  // nothing better is known
    QCOMPARE(functionOf("#2"), std::string("unknown function"));
    // Both were held until the function was known, and are complete.
    QCOMPARE(textsOf(file.slices(file.track("writer #0"))).size(), 3);
    QCOMPARE(textsOf(file.slices(file.track("reader #1"))).size(), 2);
    const auto process = file.tracks().at(file.tracks().at(file.track("#2")).parent).parent;
    QCOMPARE(file.tracks().at(process).pid, 4242);
}

void TestViewers::nestsRunsThatBeginTogether()
{
    Batch batch = begun(2);
    batch.transitions = {suspension(0, 0, 1),  suspension(1, 0, 2, 3),  resumption(0, 1, 10),
                         resumption(1, 1, 10), suspension(1, 2, 15, 3), suspension(0, 2, 20)};
    const File file = perfetto({batch});
    QCOMPARE(textsOf(file.slices(file.thread(4242, 77))).mid(2), listOf({"serve(int) 10-20", ">work() 10-15"}));
}

void TestViewers::keepsTheOrderOfEqualTimes()
{
    Batch batch = begun(2);
    batch.transitions = {suspension(0, 0, 1),  suspension(1, 0, 1, 3), resumption(0, 1, 5), suspension(0, 2, 5),
                         resumption(0, 3, 5),  suspension(0, 4, 9),    resumption(1, 1, 9), suspension(1, 2, 12, 3),
                         resumption(0, 5, 12), suspension(0, 6, 12)};
    const File file = perfetto({batch});
    QCOMPARE(textsOf(file.slices(file.track("#0"))),
             listOf({"serve(int) 1-5", "running 5-5", "serve(int) 5-5", "running 5-9", "serve(int) 9-12",
                     "running 12-12", "serve(int) 12-12 still_open=1"}));
    QCOMPARE(textsOf(file.slices(file.thread(4242, 77))).mid(2),
             listOf({"serve(int) 5-5", "serve(int) 5-9", "work() 9-12", "serve(int) 12-12"}));
}

void TestViewers::acceptsTheOrderOfAnExportFromMemory()
{
    Batch all = begun(2);
    all.transitions = {suspension(0, 0, 1),     suspension(1, 0, 2, 3), resumption(0, 1, 10), resumption(1, 1, 12),
                       suspension(1, 2, 15, 3), suspension(0, 2, 20),   resumption(1, 3, 21), suspension(1, 4, 30, 3)};
    all.notes.wakes = {{1, 0, 1, 11, 4242, 77}};
    all.deaths = {{0, 40}, {1, 41}};
    all.now = 50;
    // Births first, then the events coroutine by coroutine, and everything else at the end.
    Batch first = all;
    Batch second, last;
    first.transitions.clear();
    first.deaths.clear();
    first.notes.clear();
    for (const CoroutineId id : {1U, 0U}) {
        for (const Transition &event : all.transitions) {
            if (event.coroutine == id)
                second.transitions.push_back(event);
        }
    }
    last.notes.wakes = all.notes.wakes;
    last.deaths = all.deaths;
    last.now = all.now;
    const File inOrder = perfetto({all});
    const File byCoroutine = perfetto({first, second, last});
    for (const char *track : {"#0", "#1"})
        QCOMPARE(textsOf(byCoroutine.slices(byCoroutine.track(track))), textsOf(inOrder.slices(inOrder.track(track))));
    QCOMPARE(textsOf(byCoroutine.slices(byCoroutine.thread(4242, 77))),
             textsOf(inOrder.slices(inOrder.thread(4242, 77))));
    QCOMPARE(textsOf(inOrder.slices(inOrder.thread(4242, 77))).mid(2),
             listOf({"serve(int) 10-20", ">wake 11-11 by=0", ">work() 12-15", "work() 21-30"}));
}

void TestViewers::showsGapsInsteadOfUnknownTimes()
{
    Batch batch = begun(3);
    batch.losses = {{0, 2, 3, false}, {1, 0, 4, true}, {2, 1, 1, false}};
    batch.transitions = {suspension(0, 0, 2000),    resumption(0, 1, 2010), resumption(1, 4, 2020),
                         suspension(1, 5, 2030, 3), suspension(2, 0, 2031), resumption(0, 5, 2040),
                         suspension(0, 6, 2050),    suspension(2, 4, 2060)};
    const File file = perfetto({batch});
    // The resumption at 2010 has no known end, so it has no time on any track.
    QCOMPARE(textsOf(file.slices(file.track("#0"))),
             listOf({"serve(int) 2000-2010", "running 2010-2010 end=lost", "lost 3 events 2010-2040 lost=3",
                     "running 2040-2050", "serve(int) 2050-2060 still_open=1"}));
    QCOMPARE(textsOf(file.slices(file.track("#1"))),
             listOf({"missed 4 events 1001-2020 missed=4", "running 2020-2030", "work() 2030-2060 still_open=1"}));
    QCOMPARE(textsOf(file.slices(file.track("#2"))).at(1),
             QStringLiteral("lost 1 events, 2 events are missing 2031-2060 lost=1 unexplained=2"));
    QCOMPARE(textsOf(file.slices(file.thread(4242, 77))).filter(QStringLiteral("lost")),
             listOf({"serve(int) 2010-2010 end=lost", "serve(int) 2060-2060 begin=lost"}));
}

void TestViewers::endsWhatIsOpen()
{
    Batch batch = begun(2);
    batch.transitions = {suspension(0, 0, 10), suspension(1, 0, 11, 3), resumption(0, 1, 20)};
    batch.now = 100;
    const File file = perfetto({batch});
    QCOMPARE(textsOf(file.slices(file.track("#0"))).at(1), QStringLiteral("running 20-100 still_open=1"));
    QCOMPARE(textsOf(file.slices(file.track("#1"))), listOf({"work() 11-100 still_open=1"}));
    QCOMPARE(textsOf(file.slices(file.thread(4242, 77))).at(2), QStringLiteral("serve(int) 20-100 still_open=1"));
}

void TestViewers::timesThatRunBackwardsDoNotBreakTracks()
{
    Batch batch = begun(1);
    batch.transitions = {suspension(0, 0, 50), resumption(0, 1, 40), suspension(0, 2, 30), resumption(0, 3, 60),
                         suspension(0, 4, 70)};
    const File file = perfetto({batch});
    QCOMPARE(textsOf(file.slices(file.track("#0"))),
             listOf({"serve(int) 50-50 ts=40", "running 50-50 ts=30", "serve(int) 50-60", "running 60-70",
                     "serve(int) 70-70 still_open=1"}));
    QCOMPARE(textsOf(file.slices(file.thread(4242, 77))).size(), 3);
}

void TestViewers::wakesFlowToResumptions()
{
    Batch batch = begun(2);
    batch.transitions = {suspension(0, 0, 10), suspension(1, 0, 11, 3), resumption(0, 1, 20), suspension(0, 2, 30),
                         resumption(1, 1, 40, 78)};
    batch.notes.wakes = {{1, 0, 1, 25, 4242, 77}};
    const File file = perfetto({batch});
    std::uint64_t flow = 0;
    for (const Slice &slice : file.slices(file.thread(4242, 77))) {
        if (slice.name != "wake")
            continue;
        flow = slice.flow;
        QCOMPARE(slice.ts, std::uint64_t{25});
        QCOMPARE(slice.depth, std::size_t{1});  // in the run of the waker
        QCOMPARE(slice.args.at("coroutine"), std::string("1"));
        QCOMPARE(slice.args.at("by"), std::string("0"));
    }
    QVERIFY(flow != 0);
    QCOMPARE(file.slices(file.thread(4242, 78)).front().terminatingFlow, flow);
    for (const Slice &slice : file.slices(file.thread(4242, 77)))
        QVERIFY(slice.terminatingFlow != flow);
}

/// Streams of JSONL have no lanes.
void TestViewers::wakesFlowToResumptionsOfAnyDialect()
{
    Batch batch = begun(2);
    batch.births[0].dialect = batch.births[1].dialect = Dialect::Seqlock;
    batch.births[0].pid = 0;  // version 1: reports no wakes
    batch.transitions = {suspension(0, 0, 10), suspension(1, 0, 11, 3), resumption(0, 1, 20), resumption(1, 1, 40, 78)};
    batch.notes.wakes = {{1, kNoCoroutine, 1, 25, 4242, 77}};
    const File file = perfetto({batch});
    const std::vector<Slice> woken = file.slices(file.thread(4242, 78));
    QCOMPARE(woken.size(), std::size_t{1});
    std::uint64_t flow = 0;
    for (const Slice &slice : file.slices(file.thread(4242, 77)))
        flow = slice.name == "wake" ? slice.flow : flow;
    QVERIFY(flow != 0);
    QCOMPARE(woken.front().terminatingFlow, flow);
    for (const Slice &slice : file.slices(file.thread(0, 77)))
        QCOMPARE(slice.terminatingFlow, std::uint64_t{0});
}

void TestViewers::showsWaits()
{
    Batch batch = begun(3);
    batch.notes.waits = {{0, 0, WaitKind::Lock, 0xBEEF, kNoCoroutine},
                         {0, 2, WaitKind::Timer, kHighBit, kNoCoroutine, 1},
                         {0, 2, WaitKind::Coroutine, 0, 1, 3}};
    batch.transitions = {suspension(0, 0, 10), resumption(0, 1, 20), suspension(0, 2, 30), resumption(0, 3, 40),
                         suspension(1, 0, 41)};
    Batch later;
    later.notes.waits = {{1, 0, WaitKind::Channel, 7, kNoCoroutine}, {0, 2, WaitKind::Lock, 8, kNoCoroutine}};
    std::string remark;
    const File file(exported("pftrace", {batch, later}, {}, &remark));
    const QStringList states = textsOf(file.slices(file.track("#0")));
    QCOMPARE(states.at(0), QStringLiteral("serve(int) 10-20 object=48879 waits_for=lock"));
    QCOMPARE(states.at(2), QStringLiteral("serve(int) 30-40 object=9223372036854775808 objects=2 waits_for=timer"));
    // The wait came while the suspension lasted.
    QCOMPARE(textsOf(file.slices(file.track("#1"))),
             listOf({"serve(int) 41-41 object=7 still_open=1 waits_for=channel"}));
    QCOMPARE(remark, std::string("1 waits have no slice, because they came after the end of their suspension"));
}

void TestViewers::showsDropsAndSwitches()
{
    Batch batch = begun(1);
    batch.transitions = {suspension(0, 0, 10), resumption(0, 1, 20), suspension(0, 2, 60)};
    batch.notes.drops = {{4242, 77, 12, 15, 40}, {4242, 77, 3, 30, 50}};
    batch.notes.switches = {{4242, 5, true}, {4242, 30, false}, {4242, 31, false}, {4242, 45, true}, {4242, 55, false}};
    batch.notes.uses = {{0, 1, UseKind::Signalled, 0xAB, 3, 25, 4242, 77}};
    batch.notes.processEnds = {{4242, 65}};
    batch.now = 70;
    const File file = perfetto({batch});
    QCOMPARE(textsOf(file.slices(file.track("dropped records"))),
             listOf({"dropped 12 records 15-40 first_ts=15 last_ts=40 records=12",
                     "dropped 3 records 40-50 first_ts=30 last_ts=50 records=3"}));
    QCOMPARE(file.tracks().at(file.track("dropped records")).parent, file.thread(4242, 77));
    QCOMPARE(textsOf(file.slices(file.track("tracing off"))),
             listOf({"tracing off 30-45", "tracing off 55-70 still_open=1"}));
    QVERIFY(textsOf(file.slices(file.thread(4242, 77))).contains(QStringLiteral(">signalled 25-25 by=0 object=171")));
    QVERIFY(textsOf(file.slices(file.tracks().at(file.track("tracing off")).parent))
                .contains(QStringLiteral("process ended 65-65")));
}

void TestViewers::endsCoroutines()
{
    Batch batch = begun(4);
    batch.births[2].dialect = Dialect::Seqlock;
    batch.transitions = {suspension(0, 0, 10), resumption(0, 1, 20), suspension(1, 0, 21), resumption(1, 1, 22),
                         suspension(2, 0, 23), resumption(2, 1, 24), suspension(3, 0, 25)};
    batch.notes.finishes = {{0, 30, 3}};
    batch.deaths = {{0, 40}, {1, 41}, {2, 42}, {3, 20}};
    batch.now = 50;
    const File file = perfetto({batch});
    QCOMPARE(textsOf(file.slices(file.track("#0"))).mid(1),
             listOf({"running 20-30 end=finished", "finished 30-40 end=destroyed"}));
    QCOMPARE(textsOf(file.slices(file.track("#1"))).mid(1), listOf({"running 22-41 end=destroyed"}));
    // The frame may have been destroyed after the run, which might then overlap other ones on its thread.
    QCOMPARE(
        textsOf(file.slices(file.thread(4242, 77))).filter(QStringLiteral("end=")),
        listOf({"serve(int) 20-30 end=finished", ">serve(int) 22-22 end=unknown", ">serve(int) 24-24 end=unknown"}));
    // The engine noticed this death later, so the end of the run is unknown.
    QCOMPARE(textsOf(file.slices(file.track("#2"))).mid(1), listOf({"running 24-24 end=unknown", "unknown 24-42"}));
    QCOMPARE(textsOf(file.slices(file.track("#3"))), listOf({"serve(int) 25-25 end=destroyed"}));
}

void TestViewers::keepsThreadsOfProcessesApart()
{
    Batch batch = begun(3);
    batch.births[1].pid = 4243;
    batch.births[2].pid = 0;
    batch.notes.processes = {{4242, 1, "server"}, {4243, 1, "client"}};
    batch.notes.threadNames = {{4243, 77, "io"}};
    batch.transitions = {suspension(0, 0, 1),  suspension(1, 0, 1, 3),  suspension(2, 0, 1),
                         resumption(0, 1, 10), resumption(1, 1, 11),    resumption(2, 1, 12),
                         suspension(0, 2, 15), suspension(1, 2, 16, 3), suspension(2, 2, 17)};
    const File file = perfetto({batch});
    QCOMPARE(textsOf(file.slices(file.thread(4242, 77))).mid(1), listOf({"serve(int) 10-15"}));
    QCOMPARE(textsOf(file.slices(file.thread(4243, 77))).mid(1), listOf({"work() 11-16"}));
    QCOMPARE(textsOf(file.slices(file.track("thread 77"))).mid(1), listOf({"serve(int) 12-17"}));
    QCOMPARE(file.tracks().at(file.thread(4243, 77)).name, std::string("io"));
    QCOMPARE(file.tracks().at(file.track("client")).pid, 4243);
    QVERIFY(file.track("unknown process") != 0);
}

void TestViewers::limitsTracks()
{
    Batch batch = begun(8);
    for (CoroutineId id = 0; id < 8; ++id) {
        const SiteId site = id < 6 ? 2 : 3;
        batch.transitions.push_back(suspension(id, 0, 10 + id, site));
        batch.transitions.push_back(resumption(id, 1, 20 + id, 100 + id));
        if (id % 2 == 0)
            batch.transitions.push_back(suspension(id, 2, 40 - id, site, 100 + id));
    }
    batch.now = 100;
    std::string remark;
    const File file(exported("pftrace", {batch}, {5, 3, 1}, &remark));
    QStringList shown;
    for (CoroutineId id = 0; id < 8; ++id) {
        if (file.track(std::string("#").append(std::to_string(id))) != 0)
            shown << QString::number(id);
        // The tracks of threads show everything.
        const auto runs = textsOf(file.slices(file.thread(4242, static_cast<std::int32_t>(100 + id))));
        QCOMPARE(runs.size(), 1);
    }
    // Three of serve(int), both of work(), and number 4, which still waits.
    QCOMPARE(shown, listOf({"0", "1", "2", "4", "6", "7"}));
    QCOMPARE(textsOf(file.slices(file.track("#4"))), listOf({"serve(int) 36-100 still_open=1"}));
    // Two of number 4, four of numbers 3 and 5.
    QCOMPARE(remark, std::string("2 coroutines have no track of their own: a file has at most 5 such tracks, and 3 for "
                                 "each function; 6 events are only on the tracks of threads"));
    const QStringList about = textsOf(file.slices(file.track("corotracer-gui")));
    QCOMPARE(about.at(0), QStringLiteral("2 coroutines have no track (6 events) 10-100"));
    QVERIFY2(about.at(1).contains(QStringLiteral("coroutines_without_track=2 events_without_track=6")),
             qPrintable(about.at(1)));
}

void TestViewers::survivesAnyNameAndNumber()
{
    const std::string name = "say \"hi\",\n\t\\ \xC3\xA4\xF0\x9F\x98\x80";
    Batch batch = begun(2);
    batch.sites.push_back({4, 4294967295U, 0, name, name});
    batch.births[0].probeId = kHugeId;
    batch.births[1].probeId = 0;
    batch.births[1].birthTs = kHighBit;
    batch.notes.names = {{0, name}, {1, "bad \xFF\xC3"}};
    batch.notes.threadNames = {{4242, 77, name}};
    batch.transitions = {suspension(0, 0, 0, 4), resumption(0, 1, kHighBit), suspension(0, 2, kHugeId, kUnknownSite),
                         suspension(1, 0, kHighBit, kUnknownSite)};
    batch.transitions[2].addr = kHugeId;
    batch.transitions[3].addr = kHighBit;
    batch.now = kHugeId;
    const File file = perfetto({batch});
    const std::vector<Slice> states = file.slices(file.track(name + " #0"));
    QCOMPARE(states[0].ts, std::uint64_t{0});
    QCOMPARE(states[0].location, name + "@" + name + ":4294967295");
    QCOMPARE(states[0].args.at("probe_id"), std::to_string(kHugeId));
    QCOMPARE(states[1].ts, kHighBit);
    QCOMPARE(states[2].ts, kHugeId);
    QCOMPARE(states[2].args.at("addr"), std::to_string(kHugeId));
    const std::uint64_t other = file.track("bad \xEF\xBF\xBD\xEF\xBF\xBD #1");
    QVERIFY(other != 0);
    QCOMPARE(file.slices(other).front().args.at("birth_ts"), std::to_string(kHighBit));
    QCOMPARE(file.tracks().at(file.thread(4242, 77)).name, name);

    const QByteArray json = exported("json", {batch});
    QVERIFY(json.contains("\"ts\":9223372036854775.808,\"dur\":9223372036854775.807,"));
    QVERIFY(json.contains("\"probe_id\":\"18446744073709551615\""));
    QVERIFY(json.contains("\"addr\":\"0x8000000000000000\""));
    QStringList names;
    for (const QJsonValue &event : chrome({batch}))
        names << event[QLatin1String("args")][QLatin1String("name")].toString();
    QVERIFY(names.contains(QString::fromStdString(name + " #0")));
}

void TestViewers::writesEmptyTraces()
{
    for (const std::vector<Batch> &batches : {std::vector<Batch>{}, std::vector<Batch>{begun(2)}}) {
        const File file = perfetto(batches);
        QCOMPARE(file.events().size(), std::size_t{1});
        QCOMPARE(file.events().front().name, std::string("sums of the run"));
        QVERIFY(chrome(batches).size() >= 2);
    }
}

void TestViewers::aCutOffFileIsValidUpToThere()
{
    const QTemporaryDir dir;
    const auto batch = [](std::uint64_t first) { return manyEvents(50, first, 40); };
    for (const char *extension : {"pftrace", "json"}) {
        const QString path = dir.filePath(QStringLiteral("run.%1").arg(QLatin1String(extension)));
        auto sink = format(extension).makeSink(path.toStdString());
        QVERIFY(bool(sink));
        QVERIFY(bool((*sink)->consume(batch(0))));
        Batch late = batch(40);
        late.now += 2'000'000'000;  // so that everything is written
        QVERIFY(bool((*sink)->consume(late)));
        QByteArray content = contentOf(path);
        const std::uint64_t written = static_cast<FileSink &>(**sink).written();
        QVERIFY(written > 0);
        if (extension == std::string("pftrace")) {
            std::uint64_t runs = 0;
            const File file(content);
            for (const auto &event : file.events())
                runs += event.category == "running" && event.args.contains("coroutine") && !event.args.contains("n");
            QCOMPARE(runs, written / 2);
        } else {
            QVERIFY(content.endsWith("},\n"));
            content.chop(2);
            QVERIFY(!QJsonDocument::fromJson(content + "]").isNull());
        }
    }
}

void TestViewers::chromeHasTheSameSlices()
{
    Batch batch = sampleBatch();
    batch.notes = sampleNotes();
    batch.now = 8000;
    const File file = perfetto({batch});
    QStringList expected;
    QStringList seen;
    for (const auto &[id, track] : file.tracks()) {
        for (const Slice &slice : file.slices(id))
            expected << QStringLiteral("%1|%2|%3|%4")
                            .arg(QString::fromStdString(slice.name), QString::fromStdString(slice.category))
                            .arg(slice.ts)
                            .arg(slice.end - slice.ts);
    }
    int flowBegins = 0;
    for (const QJsonValue &event : chrome({batch})) {
        const QString phase = event[QLatin1String("ph")].toString();
        flowBegins += phase == u"s";
        if (phase != u"X" && phase != u"i")
            continue;
        seen << QStringLiteral("%1|%2|%3|%4")
                    .arg(event[QLatin1String("name")].toString(), event[QLatin1String("cat")].toString())
                    .arg(qRound64(event[QLatin1String("ts")].toDouble() * 1000))
                    .arg(qRound64(event[QLatin1String("dur")].toDouble() * 1000));
    }
    expected.sort();
    seen.sort();
    QCOMPARE(seen, expected);
    QCOMPARE(flowBegins, 2);
}

void TestViewers::reportsAFullDisk()
{
    const QTemporaryDir dir;
    for (const char *extension : {"pftrace", "json"}) {
        const QString path = dir.filePath(QStringLiteral("full.%1").arg(QLatin1String(extension)));
        auto sink = format(extension).makeSink(path.toStdString());
        QVERIFY(bool(sink));
        std::string message;
        {
            const FileSizeLimit limit(3U << 20);
            for (std::uint64_t i = 0; i < 100 && message.empty(); ++i) {
                const Result<void> consumed = (*sink)->consume(manyEvents(50, i * 40, 40));
                message = consumed ? "" : consumed.error().message;
            }
            QVERIFY(!(*sink)->finish({}));
        }
        QVERIFY2(message.find("up to byte") != std::string::npos, message.c_str());
        const std::uint64_t written = static_cast<FileSink &>(**sink).written();
        QVERIFY(written > 0);
        sink->reset();
        if (extension == std::string("json"))
            continue;
        std::uint64_t begins = 0;
        std::uint64_t ends = 0;
        const File file(contentOf(path));
        for (const auto &event : file.events()) {
            const bool isRun = file.tracks().at(event.track).tid == 77;
            begins += isRun && event.type == 1;
            ends += isRun && event.type != 1;
        }
        QCOMPARE(begins + ends, written);
    }
}

CT_QT_SUITE(TestViewers)
#include "tst_viewers.moc"
