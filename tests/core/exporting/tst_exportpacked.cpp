// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compressed exports, also as Python's gzip, csv and json modules read them.
#include "core/exporting/csv/csvcauses.h"
#include "core/recording/text/linesource.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

#include <QProcess>

using namespace exporttest;

namespace {

/// Decompresses a file with the program's own reader.
QByteArray unpacked(const QString &path)
{
    const auto source = LineSource::open(path.toStdString());
    QByteArray text;
    LineSource::Line line;
    for (;;) {
        const Result<bool> more = source ? (*source)->next(line) : Result<bool>(false);
        if (!more || !*more)
            return text;
        text.append(line.text.data(), static_cast<qsizetype>(line.text.size())).append('\n');
    }
}

/// Runs a Python script with the path as its argument. Returns its output and its errors.
QByteArray python(const char *script, const QString &path)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral("python3"),
                  {QStringLiteral("-B"), QStringLiteral("-c"), QString::fromLatin1(script), path});
    process.waitForFinished(ct::test::kPatienceMs);
    return process.readAll().trimmed();
}

Batch sampleWithNotes()
{
    Batch batch = sampleBatch();
    batch.notes = sampleNotes();
    batch.notes.names.push_back({2, "\"a\",b\n\xC3\xA4"});
    batch.transitions.front().ts = 0x8000'0000'0000'0000;
    return batch;
}

}  // namespace

class TestExportPacked : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSinkCompresses_data();
    void aSinkCompresses();
    void anExportCompresses();
    void anExportThroughALinkCompresses();
    void pythonReadsCsv();
    void pythonReadsJsonl();
    void recognisesCompressedCauses();
};

void TestExportPacked::aSinkCompresses_data()
{
    QTest::addColumn<QString>("ending");
    for (const char *ending : {"csv.gz", "csv.zst", "jsonl.gz", "jsonl.zst"})
        QTest::newRow(ending) << QString::fromLatin1(ending);
}

void TestExportPacked::aSinkCompresses()
{
    QFETCH(QString, ending);
    const QTemporaryDir dir;
    const QString packed = dir.filePath(QStringLiteral("t.") + ending);
    const QString plain = dir.filePath(QStringLiteral("t.") + ending.section(u'.', 0, 0));
    for (const QString &path : {packed, plain}) {
        const auto sink = exportFormatFor(path.toStdString())->makeSink(path.toStdString());
        QVERIFY(bool(sink));
        QVERIFY(bool((*sink)->consume(sampleWithNotes())));
        QVERIFY(bool((*sink)->finish({})));
    }
    QVERIFY(contentOf(packed) != contentOf(plain));
    QVERIFY(contentOf(plain).size() > 300);
    QCOMPARE(unpacked(packed), unpacked(plain));
    QVERIFY(contentOf(plain).startsWith(unpacked(packed).left(100)));
    if (ending.startsWith(u"csv")) {
        const QString causes = dir.filePath(QStringLiteral("t.causes.") + ending);
        QVERIFY(QFile::exists(causes));
        QCOMPARE(unpacked(causes), contentOf(dir.filePath(QStringLiteral("t.causes.csv"))));
    }
}

void TestExportPacked::anExportCompresses()
{
    const QTemporaryDir dir;
    Trace trace;
    trace.consume(sampleBatch());
    const auto plain = trace.exportTo(dir.filePath(QStringLiteral("t.csv")));
    const auto packed = trace.exportTo(dir.filePath(QStringLiteral("t.csv.gz")));
    QVERIFY(bool(plain) && bool(packed));
    QCOMPARE(packed->rows, plain->rows);
    QVERIFY(contentOf(dir.filePath(QStringLiteral("t.csv.gz"))).startsWith("\x1F\x8B"));
    QCOMPARE(python("import gzip,sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())",
                    dir.filePath(QStringLiteral("t.csv.gz"))),
             contentOf(dir.filePath(QStringLiteral("t.csv"))).trimmed());
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files).size(), 2);
}

/// The name that the user gave decides, not that of the link's target.
void TestExportPacked::anExportThroughALinkCompresses()
{
    const QTemporaryDir dir;
    QVERIFY(QFile(dir.filePath(QStringLiteral("target"))).open(QIODevice::WriteOnly));
    QVERIFY(QFile::link(QStringLiteral("target"), dir.filePath(QStringLiteral("t.jsonl.zst"))));
    Trace trace;
    trace.consume(sampleBatch());
    QVERIFY(bool(trace.exportTo(dir.filePath(QStringLiteral("t.jsonl.zst")))));
    QVERIFY(contentOf(dir.filePath(QStringLiteral("target"))).startsWith("\x28\xB5\x2F\xFD"));
}

void TestExportPacked::pythonReadsCsv()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.csv.gz"));
    const auto sink = format("csv").makeSink(path.toStdString());
    QVERIFY(bool((*sink)->consume(sampleWithNotes())));
    QVERIFY(bool((*sink)->finish({})));
    QCOMPARE(python("import csv,gzip,sys\n"
                    "rows = list(csv.DictReader(gzip.open(sys.argv[1], 'rt', encoding='utf-8', newline='')))\n"
                    "print(len(rows), rows[0]['probe_id'], rows[0]['ts'], ascii(rows[0]['name']), "
                    "ascii(rows[0]['file']), ascii(rows[0]['function']))",
                    path),
             QByteArray("5 18446744073709551615 9223372036854775808 'say \"hi\", \\'you\\'' 'a \"b\", c.cpp' "
                        "'task\\nserve(int)'"));
}

void TestExportPacked::pythonReadsJsonl()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.jsonl.gz"));
    const auto sink = format("jsonl").makeSink(path.toStdString());
    QVERIFY(bool((*sink)->consume(sampleWithNotes())));
    QVERIFY(bool((*sink)->finish({})));
    QCOMPARE(python("import gzip,json,sys\n"
                    "lines = [json.loads(line) for line in gzip.open(sys.argv[1], 'rt', encoding='utf-8')]\n"
                    "events = [line for line in lines if 'note' not in line]\n"
                    "names = [line['name'] for line in lines if line.get('note') == 'name']\n"
                    "print(len(events), events[0]['probe_id'], events[0]['ts'], ascii(names))",
                    path),
             QByteArray("5 18446744073709551615 9223372036854775808 ['\"a\",b\\n\\xe4']"));
}

/// A compressed file of causes is recognised, and replaced or removed. Other files are kept.
void TestExportPacked::recognisesCompressedCauses()
{
    const QTemporaryDir dir;
    const std::string causes = dir.filePath(QStringLiteral("t.causes.csv.gz")).toStdString();
    QCOMPARE(causesPathFor(dir.filePath(QStringLiteral("t.csv.gz")).toStdString()), causes);
    const auto write = [&](const Batch &batch) {
        const auto sink = format("csv").makeSink(dir.filePath(QStringLiteral("t.csv.gz")).toStdString());
        return sink && (*sink)->consume(batch) && (*sink)->finish({});
    };
    QVERIFY(write(sampleWithNotes()));
    QVERIFY(QFile::exists(QString::fromStdString(causes)));
    QVERIFY(bool(checkNoOtherFile(causes)));
    QVERIFY(write(sampleBatch()));
    QVERIFY(!QFile::exists(QString::fromStdString(causes)));

    QFile other(QString::fromStdString(causes));
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write("\x1F\x8B precious");
    other.close();
    QVERIFY(!checkNoOtherFile(causes));
    QVERIFY(!write(sampleWithNotes()));
    QVERIFY(contentOf(QString::fromStdString(causes)).endsWith("precious"));
}

CT_QT_SUITE(TestExportPacked)
#include "tst_exportpacked.moc"
