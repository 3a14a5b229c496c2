// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --batch --input FILE --export KIND: the content of outputs, all kinds of inputs, and several outputs of one reading.
#include "core/recording/write/recordingwriter.h"
#include "tests/app/batch/batchoutputs.h"
#include "tests/app/batch/conversions.h"
#include "tests/core/exporting/database.h"
#include "tests/support/qtsuite.h"

#include <QJsonArray>
#include <QRegularExpression>

#include <algorithm>

using namespace conversions;
using batchoutputs::rowsIn;

namespace {

constexpr const char *kRecordings = "tests/corpus/recordings/causes/";

/// Copies a recording with waits, wakes and uses, and a lost wake-up that the rules find.
bool addRecording(const Folder &folder, const char *name)
{
    const QString source = runner::sourceFile(kRecordings) + QStringLiteral("asio-lost-reply.broken.ctr");
    return QFile::copy(source, folder.path(QLatin1String(name)));
}

/// Copies first.ctr to run.ctr, and adds printed output of the target.
bool addOutput(const Folder &folder)
{
    auto reader = ct::RecordingReader::open(folder.path(QStringLiteral("first.ctr")).toStdString());
    auto writer = ct::RecordingWriter::open(folder.path(QStringLiteral("run.ctr")).toStdString());
    if (!reader || !writer)
        return false;
    std::uint64_t now = 0;
    ct::Batch batch;
    for (bool more = true; more; batch.clear()) {
        more = *(*reader)->next(batch);
        now = std::max(now, batch.now);
        (*writer)->addOutput(now, "printed\r\n");
        if (!(*writer)->consume(batch))
            return false;
    }
    (*writer)->addInfo((*reader)->info());
    return bool((*writer)->finish((*reader)->accounting()));
}

/// The lines of a JSONL file, sorted, with the probe ids of coroutines for their numbers. A reader numbers coroutines
/// by their first lines, and the first line of a coroutine without captured events is at the end of the file.
QList<QByteArray> linesByProbe(QByteArray jsonl)
{
    static const QRegularExpression number(QStringLiteral(R"("coroutine":(\d+))"));
    static const QRegularExpression probe(QStringLiteral(R"("probe_id":(\d+))"));
    const QStringList lines = QString::fromUtf8(jsonl).split(u'\n');
    QHash<QString, QString> probes;
    for (const QString &line : lines) {
        if (const QRegularExpressionMatch match = probe.match(line); match.hasMatch())
            probes.insert(number.match(line).captured(1), match.captured(1));
    }
    jsonl.clear();
    for (QString line : lines) {
        if (const QRegularExpressionMatch match = number.match(line); match.hasMatch())
            line.replace(match.capturedStart(1), match.capturedLength(1), probes.value(match.captured(1)));
        jsonl += line.toUtf8() + '\n';
    }
    return sortedLines(jsonl);
}

/// Kind, track, time and duration of every record in a Chrome trace, sorted. Names of slices are left out: a recording
/// can have the name of a coroutine later than its first events, while a database has it before them. Numbers of tracks
/// are in the order of their first slices, which depends on the division into batches. So tracks have their names.
QStringList placesIn(const QByteArray &chrome)
{
    const QJsonArray records = QJsonDocument::fromJson(chrome).array();
    const auto isName = [](const QJsonValue &record) { return record[QLatin1String("ph")].toString() == u"M"; };
    const auto number = [](const QJsonValue &record, const char *field) {
        return QString::number(record[QLatin1String(field)].toDouble(), 'f', 3);
    };
    QMap<QString, QString> names;
    for (const QJsonValue &record : records) {
        const QString kind = record[QLatin1String("name")].toString();
        if (isName(record) && kind.endsWith(QLatin1String("_name")))
            names[kind + number(record, "pid") + u'|' + (kind == u"thread_name" ? number(record, "tid") : QString())] =
                record[QLatin1String("args")][QLatin1String("name")].toString();
    }
    QStringList places;
    for (const QJsonValue &record : records) {
        const QString pid = number(record, "pid") + u'|';
        const QStringList place{record[QLatin1String("ph")].toString(),
                                record[QLatin1String("cat")].toString(),
                                names.value(QStringLiteral("process_name") + pid),
                                names.value(QStringLiteral("thread_name") + pid + number(record, "tid")),
                                number(record, "ts"),
                                number(record, "dur")};
        if (!isName(record))
            places << place.join(u'|');
    }
    places.sort();
    return places;
}

}  // namespace

class ConvertTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachKindHasEveryEvent()
    {
        Folder folder;
        QVERIFY(folder.record(QStringLiteral("run.ctr"), "ct_causality", ""));
        const Outcome outcome =
            folder.run(QStringLiteral("--input run.ctr --export csv --export jsonl --export sqlite --export ctr "
                                      "--output copy.ctr"));
        QVERIFY2(outcome.status == 0, outcome.err);
        const auto events = static_cast<qint64>(contentOf(folder.path(QStringLiteral("run.ctr"))).sums["captured"]);
        QVERIFY(events > 1000);
        for (const char *name : {"run.csv", "run.jsonl", "run.sqlite", "copy.ctr"}) {
            QCOMPARE(rowsIn(folder.path(QLatin1String(name))), events);
            QVERIFY2(outcome.err.contains(QByteArray(name) + " has " + QByteArray::number(events) + " events"),
                     outcome.err);
        }
        const QByteArray jsonl = folder.content("run.jsonl");
        QCOMPARE(folder.content("run.csv").count('\n'), jsonl.count('\n') - jsonl.count("{\"note\":") + 1);
        QVERIFY(folder.content("run.causes.csv").count('\n') > 1);
        const QStringList expected{QStringLiteral("copy.ctr"),  QStringLiteral("run.causes.csv"),
                                   QStringLiteral("run.csv"),   QStringLiteral("run.ctr"),
                                   QStringLiteral("run.jsonl"), QStringLiteral("run.sqlite")};
        QCOMPARE(folder.names(), expected);
    }

    void aCopyHasEventsNotesSumsAndFacts()
    {
        Folder folder;
        // A target that ends at once may be gone before the engine can read what it has loaded.
        QVERIFY(folder.record(QStringLiteral("first.ctr --duration 3"), "ct_causality", "--hold"));
        QVERIFY(addOutput(folder));
        QCOMPARE(folder.run(QStringLiteral("--input run.ctr --export ctr --output copy.ctr")).status, 0);
        const QString from = folder.path(QStringLiteral("run.ctr"));
        const QString to = folder.path(QStringLiteral("copy.ctr"));
        QVERIFY(contentOf(to) == contentOf(from));
        std::vector<QByteArray> output(2);
        std::vector<ct::RecordingInfo> infos;
        for (std::size_t i = 0; i < 2; ++i) {
            auto reader = ct::RecordingReader::open((i == 0 ? from : to).toStdString(), [&](const auto &piece) {
                output[i] += QByteArray::fromStdString(piece.bytes);
            });
            QVERIFY(reader);
            ct::Batch batch;
            for (bool more = true; more; batch.clear())
                more = *(*reader)->next(batch);
            infos.push_back((*reader)->info());
            QVERIFY((*reader)->hasEnded());
        }
        QVERIFY(!infos[0].session.empty());
        QVERIFY(!infos[0].processes.empty());
        QVERIFY(infos[0].exit);
        QVERIFY(infos[1] == infos[0]);
        QVERIFY(!output[0].isEmpty());
        QCOMPARE(output[1], output[0]);
    }

    void anOutputWithoutPrintedOutputSaysSo()
    {
        Folder folder;
        QVERIFY(addRecording(folder, "first.ctr"));
        QVERIFY(addOutput(folder));
        const char *const notKept = "the output that the target printed is not kept";
        for (const char *more : {"", " --export ctr --output copy.ctr"}) {
            const Outcome outcome = folder.run(
                QStringLiteral("--input run.ctr --export csv --export jsonl --export sqlite --export perfetto "
                               "--export chrome") +
                QLatin1String(more));
            QVERIFY2(outcome.status == 0, outcome.err);
            for (const char *name : {"run.csv", "run.jsonl", "run.sqlite", "run.pftrace", "run.json", "copy.ctr"}) {
                const QString said = QStringLiteral("\\b%1 has \\d+ events[^\n]*").arg(QLatin1String(name));
                const auto line = QRegularExpression(said).match(QString::fromUtf8(outcome.err)).captured();
                QCOMPARE(line.isEmpty(), *more == '\0' && qstrcmp(name, "copy.ctr") == 0);
                QCOMPARE(line.count(QLatin1String(notKept)), line.isEmpty() || qstrcmp(name, "copy.ctr") == 0 ? 0 : 1);
            }
        }
        // The copy keeps it, and what printed nothing lacks nothing.
        for (const char *input : {"copy.ctr", "first.ctr"}) {
            const Outcome outcome =
                folder.run(QStringLiteral("--input %1 --export csv --output again.csv").arg(QLatin1String(input)));
            QVERIFY2(outcome.status == 0, outcome.err);
            QCOMPARE(outcome.says(notKept), qstrcmp(input, "copy.ctr") == 0);
        }
    }

    void jsonlAndBackKeepsEventsNotesAndSums()
    {
        Folder folder;
        QVERIFY(addRecording(folder, "run.ctr"));
        QCOMPARE(folder.run(QStringLiteral("--input run.ctr --export jsonl")).status, 0);
        QCOMPARE(folder.run(QStringLiteral("--input run.jsonl --export ctr --output back.ctr")).status, 0);
        const Content before = contentOf(folder.path(QStringLiteral("run.ctr")));
        const Content after = contentOf(folder.path(QStringLiteral("back.ctr")));
        QVERIFY(before.notes.at("waits") > 0);
        QCOMPARE(after.sums, before.sums);
        QCOMPARE(after.notes, before.notes);
        QVERIFY(after.events == before.events);
    }

    void jsonlKeepsLossesThatNoEventFollows()
    {
        Folder folder;
        QVERIFY(folder.record(QStringLiteral("run.jsonl --export ctr --output run.ctr --lane-size 64KiB --lane-pool "
                                             "128KiB"),
                              "ct_storm", "--transitions 20000 --coroutines 10 --threads 4"));
        const Content run = contentOf(folder.path(QStringLiteral("run.ctr")));
        QVERIFY(run.sums.at("lost") > 0);
        QCOMPARE(contentOf(folder.path(QStringLiteral("run.jsonl"))).sums, run.sums);
        QCOMPARE(folder.run(QStringLiteral("--input run.jsonl --export jsonl --output again.jsonl")).status, 0);
        // A reader can join batches, so notes that no event separates may move.
        QCOMPARE(linesByProbe(folder.content("again.jsonl")), linesByProbe(folder.content("run.jsonl")));
    }

    void eventsThatAreNotSelectedAreNotDropped()
    {
        Folder folder;
        const QByteArray begin = R"({"probe_id":1,"tid":7,"addr":"0x1","seq":2,"is_active":true,"ts":)";
        QVERIFY(folder.write("run.jsonl", begin + R"(10,"n":5,"coroutine":0,"pid":3,"not_selected_before":5})" + "\n" +
                                              begin + R"(20,"n":9,"coroutine":0,"dropped_before":3})" + "\n" +
                                              R"({"note":"selection","from":10,"events_not_selected":5})" + "\n"));
        const Outcome outcome =
            folder.run(QStringLiteral("--input run.jsonl --export csv --export jsonl --output o.jsonl"));
        QVERIFY2(outcome.status == 0, outcome.err);
        QVERIFY2(outcome.says(", not selected 5 (the input is the export of a selection"), outcome.err);
        QVERIFY2(outcome.says(", dropped 3 (the input lacks these events"), outcome.err);
    }

    void standardInputCanBeAPipeOrAFile()
    {
        Folder folder;
        QVERIFY(addRecording(folder, "run.ctr"));
        QCOMPARE(folder.run(QStringLiteral("--input run.ctr --export csv --export jsonl")).status, 0);
        const QByteArray csv = folder.content("run.csv");
        for (const char *name : {"run.ctr", "run.jsonl"}) {
            const QString file = QLatin1String(name);
            QCOMPARE(folder.run(QStringLiteral("--input %1 --export csv --output named.csv").arg(file)).status, 0);
            const Outcome piped = folder.run(QStringLiteral("--input - --export csv --output piped.csv --report text"),
                                             folder.content(name));
            QVERIFY2(piped.status == 0, piped.err);
            QVERIFY(piped.out.startsWith("standard input: "));
            QCOMPARE(folder.content("piped.csv"), folder.content("named.csv"));
            QCOMPARE(folder.run(QStringLiteral("--input - --export csv --output file.csv"), {}, file).status, 0);
            QCOMPARE(folder.content("file.csv"), folder.content("named.csv"));
            QVERIFY(!folder.names().join(QLatin1Char(' ')).contains(QStringLiteral("corotracer-input")));
        }
        QCOMPARE(folder.content("named.csv").count('\n'), csv.count('\n'));
    }

    void refusesInputThatIsNotARecording()
    {
        Folder folder;
        const Outcome empty = folder.run(QStringLiteral("--input - --export csv --output o.csv"));
        QCOMPARE(empty.status, 3);
        QVERIFY(empty.says("standard input ended before any data arrived"));
        const Outcome text = folder.run(QStringLiteral("--input - --export csv --output o.csv"), "hello\n");
        QCOMPARE(text.status, 3);
        QVERIFY2(text.says("standard input:1") && !text.says("/proc/"), text.err);
        QVERIFY2(text.says("nothing was written") && !folder.has("o.csv"), text.err);
        QVERIFY(addRecording(folder, "run.ctr"));
        QCOMPARE(folder.run(QStringLiteral("--input run.ctr --export sqlite")).status, 0);
        const Outcome piped =
            folder.run(QStringLiteral("--input - --export csv --output o.csv"), folder.content("run.sqlite"));
        QVERIFY2(piped.status == 3 && piped.says("standard input is a SQLite database"), piped.err);
        QCOMPARE(folder.run(QStringLiteral("--input - --export csv --output o.csv"), {}, QStringLiteral("run.sqlite"))
                     .status,
                 0);
        QCOMPARE(folder.run(QStringLiteral("--input none.ctr --export csv --output p.csv")).status, 3);
        QVERIFY(!folder.has("p.csv"));
    }

    void reportAndOutputsShareOneReading()
    {
        Folder folder;
        QVERIFY(addRecording(folder, "run.ctr"));
        const Outcome judged = folder.run(QStringLiteral("--input run.ctr --report json --fail-on any"));
        QCOMPARE(judged.status, 10);
        const Outcome both =
            folder.run(QStringLiteral("--input run.ctr --report json --fail-on any --export jsonl --export csv"));
        QVERIFY2(both.status == 10, both.err);
        QCOMPARE(both.out, judged.out);
        QVERIFY(rowsIn(folder.path(QStringLiteral("run.jsonl"))) > 0);
        QCOMPARE(rowsIn(folder.path(QStringLiteral("run.csv"))), rowsIn(folder.path(QStringLiteral("run.jsonl"))));
    }

    void anEmptyRecordingHasEmptyOutputs()
    {
        Folder folder;
        QCOMPARE(folder.run(QStringLiteral("-o run.ctr -- /bin/true")).status, 0);
        const Outcome outcome = folder.run(
            QStringLiteral("--input run.ctr --export csv --export jsonl --export sqlite --export ctr --output c.ctr"));
        QVERIFY2(outcome.status == 0, outcome.err);
        for (const char *name : {"run.csv", "run.jsonl", "run.sqlite", "c.ctr"})
            QCOMPARE(rowsIn(folder.path(QLatin1String(name))), 0);
        QCOMPARE(folder.content("run.csv").count('\n'), 1);
        const Outcome text = folder.run(QStringLiteral("--input run.jsonl --export ctr --output d.ctr"));
        QVERIFY2(text.status == 0, text.err);
        QCOMPARE(rowsIn(folder.path(QStringLiteral("d.ctr"))), 0);
    }

    void aCaptureMayHaveSeveralOutputs()
    {
        Folder folder;
        const QStringList storm = runner::target("ct_storm", runner::words("--seconds 1 --rate 20000 --coroutines 10"));
        const Outcome outcome = folder.run(QStringLiteral("-o run.ctr --export jsonl --export csv --output x.csv "
                                                          "--export sqlite --summary s.json ") +
                                           storm.join(QLatin1Char(' ')));
        QVERIFY2(outcome.status == 0, outcome.err);
        const QJsonObject summary = runner::objectIn(folder.path(QStringLiteral("s.json")));
        const qint64 events = runner::integer(summary, "events");
        QVERIFY(events > 1000);
        QCOMPARE(runner::integer(summary, "events_not_written"), 0);
        for (const char *name : {"run.ctr", "run.jsonl", "x.csv", "run.sqlite"})
            QCOMPARE(rowsIn(folder.path(QLatin1String(name))), events);
    }

    void anOutputOfACaptureThatFailsIsCounted()
    {
        Folder folder;
        const QStringList storm = runner::target("ct_storm", runner::words("--transitions 1000 --coroutines 10"));
        const Outcome outcome =
            folder.run(QStringLiteral("-o run.ctr --export jsonl --output /dev/full --summary s.json ") +
                       storm.join(QLatin1Char(' ')));
        QVERIFY2(outcome.status == 4, outcome.err);
        QVERIFY2(outcome.says("of these events are not in /dev/full"), outcome.err);
        const QJsonObject summary = runner::objectIn(folder.path(QStringLiteral("s.json")));
        QVERIFY(runner::integer(summary, "events_not_written") > 0);
        QCOMPARE(rowsIn(folder.path(QStringLiteral("run.ctr"))), runner::integer(summary, "events"));
    }

    void databasesHaveTheFindingsOfTheReport()
    {
        Folder folder;
        const QString recording = runner::sourceFile(kRecordings) + QStringLiteral("channel-without-sender.broken.ctr");
        QCOMPARE(folder.run(QStringLiteral("--input %1 --export sqlite --output f.sqlite").arg(recording)).status, 0);
        QCOMPARE(folder.run(QStringLiteral("--input %1 --report json --report-out r.json").arg(recording)).status, 0);
        const QJsonObject report = runner::objectIn(folder.path(QStringLiteral("r.json")));
        QStringList expected;
        for (const QJsonValue &value : report[QLatin1String("findings")].toArray()) {
            const QJsonObject finding = value.toObject();
            expected << finding[QLatin1String("rule")].toString() + QLatin1Char('|') +
                            finding[QLatin1String("severity")].toString() + QLatin1Char('|') +
                            finding[QLatin1String("fingerprint")].toString();
        }
        QVERIFY(!expected.isEmpty());
        const exporttest::Database database(folder.path(QStringLiteral("f.sqlite")));
        QCOMPARE(database.rows("SELECT rule, severity, fingerprint FROM findings ORDER BY finding"), expected);
        QCOMPARE(database.rows("SELECT count(*) FROM findings f WHERE f.coroutines != "
                               "(SELECT count(*) FROM finding_coroutines c WHERE c.finding = f.finding)"),
                 QStringList(QStringLiteral("0")));
        QCOMPARE(database.rows("SELECT count(*) FROM findings WHERE judged_ts = (SELECT value FROM trace_info WHERE "
                               "name = 'judged_ts')"),
                 QStringList(QString::number(expected.size())));
    }

    void aDatabaseIsAnInput()
    {
        Folder folder;
        QVERIFY(folder.record(QStringLiteral("run.ctr"), "ct_causality", ""));
        QCOMPARE(folder.run(QStringLiteral("--input run.ctr --export sqlite --export csv")).status, 0);
        const Outcome outcome = folder.run(
            QStringLiteral("--input run.sqlite --export csv --output again.csv --export ctr --output again.ctr"));
        QVERIFY2(outcome.status == 0, outcome.err);
        QVERIFY(sameRows(folder.content("run.csv"), folder.content("again.csv")));
        QVERIFY(folder.content("again.csv").contains(",worker 7,0\n"));
        QCOMPARE(rowsIn(folder.path(QStringLiteral("again.ctr"))), rowsIn(folder.path(QStringLiteral("run.ctr"))));
        // Causes keep their places among the events, so each wait is in the slice of its suspension.
        for (const char *input : {"run.ctr", "run.sqlite"}) {
            const Outcome viewed =
                folder.run(QStringLiteral("--input %1 --export chrome --output %1.json").arg(QLatin1String(input)));
            QVERIFY2(viewed.status == 0 && !viewed.says("have no slice"), viewed.err);
        }
        const QStringList places = placesIn(folder.content("run.ctr.json"));
        QVERIFY(places.size() > rowsIn(folder.path(QStringLiteral("run.ctr"))));
        QVERIFY(!places.filter(QStringLiteral("|worker 7 #")).isEmpty());
        QCOMPARE(placesIn(folder.content("run.sqlite.json")), places);
        const Outcome same = folder.run(QStringLiteral("--input run.sqlite --export sqlite"));
        QVERIFY2(same.status == 2, same.err);
        QVERIFY2(same.says("run.sqlite would be both its input and its output"), same.err);
        QVERIFY(folder.run(QStringLiteral("--input postgresql://me@localhost/traces --export csv"))
                    .says("needs --output FILE"));
    }

    void badLinesAreSkippedOnRequest()
    {
        Folder folder;
        const QByteArray line =
            "{\"probe_id\":1,\"tid\":2,\"addr\":\"0x0000000000000001\",\"seq\":2,\"is_active\":true,";
        QVERIFY(folder.write("f.jsonl", line + "\"ts\":5,\"n\":0}\ngarbage\n" + line + "\"ts\":6,\"n\":1}\n"));
        const Outcome strict = folder.run(QStringLiteral("--input f.jsonl --export csv"));
        QCOMPARE(strict.status, 3);
        QVERIFY2(strict.says("f.jsonl:2: this is not a line"), strict.err);
        QVERIFY2(strict.says("correct or remove the line, or skip bad lines with --lenient"), strict.err);
        QCOMPARE(folder.content("f.csv").count('\n'), 2);
        const Outcome lenient = folder.run(QStringLiteral("--input f.jsonl --export csv --lenient"));
        QCOMPARE(lenient.status, 3);
        QVERIFY2(lenient.says("f.jsonl:2: this line was skipped"), lenient.err);
        QCOMPARE(folder.content("f.csv").count('\n'), 3);
        // A file whose first line is bad is no JSONL at all.
        QVERIFY(folder.write("g.jsonl", "garbage\n" + line + "\"ts\":6,\"n\":1}\n"));
        const Outcome other = folder.run(QStringLiteral("--input g.jsonl --export csv"));
        QVERIFY2(other.says("correct or remove the line") && !other.says("--lenient"), other.err);
    }

    void formulasAreEscapedOnRequest()
    {
        Folder folder;
        QVERIFY(folder.write("f.jsonl", "{\"probe_id\":1,\"tid\":2,\"addr\":\"0x0000000000000001\",\"seq\":2,"
                                        "\"is_active\":true,\"ts\":5,\"n\":0,\"name\":\"=1+1\"}\n"));
        QCOMPARE(folder.run(QStringLiteral("--input f.jsonl --export dataframe")).status, 0);
        QVERIFY(folder.content("f.csv").contains(",=1+1,") && !folder.content("f.csv").contains("'=1+1"));
        QCOMPARE(folder.run(QStringLiteral("--input f.jsonl --export csv --csv-for-spreadsheets")).status, 0);
        QVERIFY(folder.content("f.csv").contains("'=1+1"));
    }
};

CT_QT_SUITE(ConvertTest)
#include "tst_convert.moc"
