// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Causes in the files of batch runs, and in exports of their recordings.
#include "core/exporting/exporttrace.h"
#include "core/recording/library/openrecording.h"
#include "tests/core/session/recordings.h"
#include "tests/support/qtsuite.h"

#include <array>

using namespace ct;
using namespace recordings;
using runner::integer;
using runner::target;
using runner::words;

namespace {

struct Opened {
    Notes notes;
    std::vector<Death> deaths;
    std::uint64_t transitions = 0;
    Population population;
    History history{64U << 20};
};

void addTo(Notes &all, const Notes &notes)
{
    const auto append = [](auto &to, const auto &from) { to.insert(to.end(), from.begin(), from.end()); };
    append(all.waits, notes.waits);
    append(all.wakes, notes.wakes);
    append(all.uses, notes.uses);
    append(all.wakersLeft, notes.wakersLeft);
    append(all.finishes, notes.finishes);
    append(all.names, notes.names);
    append(all.parents, notes.parents);
    append(all.processes, notes.processes);
    append(all.processEnds, notes.processEnds);
}

/// Removes the file of causes beside a device. Returns true if there was one. The program must never write such a file.
/// If it did and the file stayed, every later run of the test would fail.
bool removeCausesBeside(const QString &device)
{
    return QFile::remove(device + QStringLiteral(".causes"));
}

/// Reads a recording of any format. After an error, there are no transitions.
std::unique_ptr<Opened> opened(const QString &path)
{
    auto all = std::make_unique<Opened>();
    auto reader = openRecording(path.toStdString());
    if (!reader)
        return all;
    Batch batch;
    for (bool more = true; more;) {
        const Result<bool> next = (*reader)->next(batch);
        more = next && *next;
        if (!next)
            all->transitions = 0;
        if (!more)
            break;
        addTo(all->notes, batch.notes);
        all->deaths.insert(all->deaths.end(), batch.deaths.begin(), batch.deaths.end());
        all->transitions += batch.transitions.size();
        if (!all->population.consume(batch) || !all->history.consume(batch))
            return std::make_unique<Opened>();
    }
    return all;
}

/// The causes as texts, without the ids of coroutines, which differ between files: names replace them.
QStringList textsOf(const Opened &run)
{
    const auto nameOf = [&](CoroutineId id) {
        return id == kNoCoroutine ? QStringLiteral("none") : QString::fromStdString(run.population.notes(id).name);
    };
    const auto siteOf = [&](SiteId id) {
        const Site *const site = run.population.site(id);
        return site ? QString::fromStdString(site->file + ':' + std::to_string(site->line)) : QString();
    };
    QStringList texts;
    const auto add = [&texts](const char *kind, const QStringList &more, const std::vector<std::uint64_t> &numbers) {
        QString text = QLatin1String(kind) + u' ' + more.join(u' ');
        for (const std::uint64_t number : numbers)
            text += u' ' + QString::number(number);
        texts << text;
    };
    for (const WaitsOn &wait : run.notes.waits)
        add("wait", {nameOf(wait.coroutine), nameOf(wait.target)},
            {wait.n, static_cast<std::uint64_t>(wait.kind), wait.object, wait.part});
    for (const Wake &wake : run.notes.wakes)
        add("wake", {nameOf(wake.coroutine), nameOf(wake.by)}, {wake.n, wake.ts, wake.pid, wake.tid});
    for (const Use &use : run.notes.uses)
        add("use", {nameOf(use.by), siteOf(use.site)},
            {use.n, static_cast<std::uint64_t>(use.kind), use.object, use.ts, use.pid, use.tid});
    for (const WakersLeft &left : run.notes.wakersLeft)
        add("left", {nameOf(left.coroutine)}, {left.n, left.count, left.ts});
    for (const Finish &finish : run.notes.finishes)
        add("finish", {nameOf(finish.coroutine), siteOf(finish.site)}, {finish.ts});
    for (const Death &death : run.deaths)
        add("death", {nameOf(death.coroutine)}, {death.ts});
    for (const Parent &parent : run.notes.parents)
        add("parent", {nameOf(parent.coroutine), nameOf(parent.parent)}, {});
    for (const Process &process : run.notes.processes)
        add("process", {QString::fromStdString(process.name)}, {process.pid, process.ts});
    for (const ProcessEnd &end : run.notes.processEnds)
        add("end", {}, {end.pid, end.ts});
    for (const ThreadName &thread : run.population.threadNames())
        add("thread", {QString::fromStdString(thread.name)}, {thread.pid, thread.tid});
    texts.sort();
    return texts;
}

constexpr std::array<std::pair<const char *, const char *>, 5> kCauses{
    {{"wait", "waits"}, {"wake", "wakes"}, {"use", "uses"}, {"wakers_left", "wakers_left"}, {"finish", "finishes"}}};

void checkCauses(const Recording &recording, const QJsonObject &truth)
{
    for (const auto &[note, name] : kCauses) {
        QVERIFY2(integer(truth, name) > 0, name);
        QCOMPARE(recording.notes.value(QLatin1String(note)), integer(truth, name));
    }
}

}  // namespace

class CauseFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aJsonlRecordingHasEveryCause()
    {
        runner::Batch batch({}, target("ct_causality", words("--workers 20 --rounds 5")));
        recordTo(batch, "run.jsonl");
        QCOMPARE(batch.run(), 0);
        const Recording recording = readRecording(batch.path("run.jsonl"));
        QCOMPARE(recording.lines, integer(batch.summary(), "events"));
        QCOMPARE(integer(batch.summary(), "events_not_written"), 0);
        checkCauses(recording, batch.truth());
        QCOMPARE(recording.notes.value(QStringLiteral("death")), 21);
        QCOMPARE(recording.notes.value(QStringLiteral("process")), 1);
        QCOMPARE(recording.notes.value(QStringLiteral("process_end")), 1);
        QVERIFY(recording.notes.value(QStringLiteral("thread")) >= 2);
        const auto run = opened(batch.path("run.jsonl"));
        QCOMPARE(static_cast<qint64>(run->transitions), integer(batch.summary(), "events"));
        QCOMPARE(static_cast<qint64>(run->notes.waits.size()), integer(batch.truth(), "waits"));
        QCOMPARE(static_cast<qint64>(run->notes.wakes.size()), integer(batch.truth(), "wakes"));
    }

    void anExportOfARecordingHasTheSameCauses()
    {
        runner::Batch batch({}, target("ct_causality", words("--workers 20 --rounds 5")));
        recordTo(batch, "run.ctr");
        QCOMPARE(batch.run(), 0);
        const auto recorded = opened(batch.path("run.ctr"));
        const QString path = batch.path("export.jsonl");
        const Result<ExportReport> report =
            exportTrace(recorded->population, recorded->history, *exportFormatFor("x.jsonl"), path.toStdString(), {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        checkCauses(readRecording(path), batch.truth());
        const auto exported = opened(path);
        QCOMPARE(exported->transitions, recorded->transitions);
        QCOMPARE(exported->population.size(), recorded->population.size());
        const QStringList expected = textsOf(*recorded);
        QVERIFY(expected.size() > 1000);
        QCOMPARE(textsOf(*exported), expected);
    }

    void aDumpHasTheCauses()
    {
        runner::Batch batch(words("--keep 60s --dump-on finding"),
                            target("ct_causality", words("--workers 5 --rounds 2 --hold")));
        recordTo(batch, "run.jsonl");
        QVERIFY(batch.start());
        QVERIFY2(batch.waitForError("run.1.jsonl"), batch.err().constData());
        batch.process().terminate();
        QVERIFY(batch.wait());
        const Recording recording = readRecording(batch.path("run.1.jsonl"));
        QCOMPARE(recording.notes.value(QStringLiteral("wait")), 5 * (2 * 7 + 1));
        QCOMPARE(recording.notes.value(QStringLiteral("wake")), 5 * 2 * 6);
        QCOMPARE(recording.notes.value(QStringLiteral("wakers_left")), 5);
        QVERIFY(recording.notes.value(QStringLiteral("use")) > 0);
        QVERIFY(opened(batch.path("run.1.jsonl"))->transitions > 0);
    }

    void aCsvFileHasAFileOfCauses()
    {
        runner::Batch batch({}, target("ct_causality", words("--workers 20 --rounds 5")));
        recordTo(batch, "run.csv");
        QCOMPARE(batch.run(), 0);
        QHash<QByteArray, qint64> kinds;
        for (const QByteArray &line : runner::readAll(batch.path("run.causes.csv")).split('\n').mid(1)) {
            if (!line.isEmpty())
                ++kinds[line.left(line.indexOf(','))];
        }
        const QJsonObject truth = batch.truth();
        QCOMPARE(kinds.value("wait"), integer(truth, "waits"));
        QCOMPARE(kinds.value("wake"), integer(truth, "wakes"));
        QCOMPARE(kinds.value("acquired") + kinds.value("released") + kinds.value("signalled"), integer(truth, "uses"));
        QCOMPARE(kinds.value("wakers_left"), integer(truth, "wakers_left"));
        QCOMPARE(kinds.value("finish"), integer(truth, "finishes"));
        qint64 all = 0;
        for (const qint64 count : kinds)
            all += count;
        const QByteArray notice = QByteArray::number(all) + " causes, such as waits and wakes, are in ";
        QVERIFY2(batch.err().contains(notice + batch.path("run.causes.csv").toUtf8()), batch.err().constData());
        QVERIFY(!batch.err().contains("are not in"));
    }

    void aDeviceHasNoFileOfCauses()
    {
        const QString output = QStringLiteral("/dev/null");
        removeCausesBeside(output);
        runner::Batch batch({QStringLiteral("--export"), QStringLiteral("csv"), QStringLiteral("-o"), output},
                            target("ct_causality", words("--workers 5 --rounds 2")));
        QCOMPARE(batch.run(), 0);
        QVERIFY(!removeCausesBeside(output));
    }

    void anOpenDescriptorHasNoFileOfCauses_data()
    {
        QTest::addColumn<QString>("output");
        for (const char *output : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
            QTest::newRow(output) << QString::fromLatin1(output);
    }
    void anOpenDescriptorHasNoFileOfCauses()
    {
        QFETCH(QString, output);
        removeCausesBeside(output);
        const QTemporaryDir folder;
        QProcess process;
        process.setProgram(runner::binary("corotracer-gui"));
        process.setArguments(QStringList{QStringLiteral("--batch"), QStringLiteral("--export"), QStringLiteral("csv"),
                                         QStringLiteral("-o"), output} +
                             target("ct_causality", words("--workers 5 --rounds 2")));
        process.setStandardOutputFile(folder.filePath(QStringLiteral("run.csv")));
        process.start();
        QVERIFY(process.waitForFinished(runner::kPatienceMs));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError());
        QVERIFY(runner::readAll(folder.filePath(QStringLiteral("run.csv"))).startsWith("probe_id,"));
        QVERIFY(!removeCausesBeside(output));
    }

    void aFullDiskForCausesIsReported()
    {
        runner::Batch batch({}, target("ct_causality", words("--workers 20 --rounds 5")));
        recordTo(batch, "run.csv");
        QVERIFY(QFile::link(QStringLiteral("/dev/full"), batch.path("run.causes.csv")));
        QCOMPARE(batch.run(), 4);
        QVERIFY2(batch.err().contains("run.causes.csv: No space left on device"), batch.err().constData());
        QVERIFY2(batch.err().contains(" causes, such as waits and wakes, are not in "), batch.err().constData());
        const qint64 rows = runner::readAll(batch.path("run.csv")).count('\n') - 1;
        QCOMPARE(rows + integer(batch.summary(), "events_not_written"), integer(batch.summary(), "events"));
    }

    void aCsvDumpHasAFileOfCauses()
    {
        runner::Batch batch(words("--keep 60s --dump-on finding"),
                            target("ct_causality", words("--workers 5 --rounds 2 --hold")));
        recordTo(batch, "run.csv");
        QFile other(batch.path("run.1.causes.csv"));
        QVERIFY(other.open(QIODevice::WriteOnly));
        QVERIFY(batch.start());
        QVERIFY2(batch.waitForError("run.2.causes.csv"), batch.err().constData());
        batch.process().terminate();
        QVERIFY(batch.wait());
        QVERIFY(!QFile::exists(batch.path("run.1.csv")));
        QVERIFY(QFile::exists(batch.path("run.2.csv")));
        const QByteArray rows = runner::readAll(batch.path("run.2.causes.csv"));
        QCOMPARE(rows.count("\nwait,"), 5 * (2 * 7 + 1));
        QCOMPARE(rows.count("\nwake,"), 5 * 2 * 6);
    }

    void theExistingSdkHasOnlyEvents()
    {
        runner::Batch batch({}, target("ct_oldsdk"));
        recordTo(batch, "run.jsonl");
        QCOMPARE(batch.run(), 0);
        const Recording recording = readRecording(batch.path("run.jsonl"));
        QVERIFY(recording.lines > 0);
        QCOMPARE(recording.lines, integer(batch.summary(), "events"));
        QVERIFY2(recording.notes.isEmpty(), qPrintable(QStringList(recording.notes.keys()).join(u' ')));
        runner::Batch csv({}, target("ct_oldsdk"));
        recordTo(csv, "run.csv");
        QCOMPARE(csv.run(), 0);
        QVERIFY(QFile::exists(csv.path("run.csv")));
        QVERIFY(!QFile::exists(csv.path("run.causes.csv")));
    }
};

CT_QT_SUITE(CauseFilesTest)
#include "tst_causefiles.moc"
