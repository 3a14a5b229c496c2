// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The second file of a CSV export, which has the causes.
#include "core/exporting/csv/csvcauses.h"
#include "core/recording/write/filesink.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

#include <QScopeGuard>

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

using namespace exporttest;

namespace {

constexpr uid_t kNobody = 65534;

const QByteArray kHeader =
    "kind,ts,coroutine,n,by,object,waits_for,target,mode,position,wakers,pid,tid,file,line,function\n";

Batch causes()
{
    Batch batch = sampleBatch();
    Notes &notes = batch.notes;
    notes.waits = {{1, 1, WaitKind::Coroutine, 0, 0},
                   {0, 6, WaitKind::Lock, 0xBEEF, kNoCoroutine},
                   {0, 6, WaitKind::Descriptor, 0, kNoCoroutine, 3},
                   {0, 6, WaitKind::Timer, 9000, kNoCoroutine, 2}};
    notes.wakes = {{1, 0, 2, 6500, 4242, 78}, {2, kNoCoroutine, 0, 6600, 0, 0}};
    notes.uses = {{0, 4, UseKind::Acquired, 0xBEEF, 1, 6700, 4242, 77},
                  {kNoCoroutine, 0, UseKind::Released, 0xBEEF, kUnknownSite, 6701, 4242, 78}};
    notes.wakersLeft = {{1, 2, 0, 6800}};
    notes.finishes = {{2, 6900, 2}};
    return batch;
}

const QByteArray kRows = "wait,,1,1,,,coroutine,0,one,0,,,,,,\n"
                         "wait,,0,6,,0x000000000000beef,lock,,one,0,,,,,,\n"
                         "wait,,0,6,,0,descriptor,,any,1,,,,,,\n"
                         "wait,,0,6,,9000,timer,,all,0,,,,,,\n"
                         "wake,6500,1,2,0,,,,,,,4242,78,,,\n"
                         "wake,6600,2,0,,,,,,,,,,,,\n"
                         "acquired,6700,,4,0,0x000000000000beef,,,,,,4242,77,\"a \"\"b\"\", c.cpp\",88,"
                         "\"task\nserve(int)\"\n"
                         "released,6701,,,,0x000000000000beef,,,,,,4242,78,,,\n"
                         "wakers_left,6800,1,2,,,,,,,0,,,,,\n"
                         "finish,6900,2,,,,,,,,,,,plain.cpp,,f\n";

}  // namespace

class CsvCausesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachCauseIsARow()
    {
        const QTemporaryDir dir;
        const auto sink = format("csv").makeSink(events(dir).toStdString());
        QVERIFY(bool(sink));
        QVERIFY(bool((*sink)->consume(causes())));
        QVERIFY(bool((*sink)->finish({})));
        QCOMPARE(contentOf(causesOf(dir)), kHeader + kRows);
        QCOMPARE(contentOf(events(dir)), kSampleCsv);
        QCOMPARE(dynamic_cast<const FileSink &>(**sink).written(), 5U);
        QCOMPARE(dynamic_cast<const FileSink &>(**sink).causesWritten(), 10U);
        // Every row has the columns of the header: outside of quotes, as many commas.
        bool quoted = false;
        int commas = 0;
        for (const char character : contentOf(causesOf(dir))) {
            quoted ^= character == '"';
            commas += !quoted && character == ',' ? 1 : 0;
            if (!quoted && character == '\n') {
                QCOMPARE(commas, 15);
                commas = 0;
            }
        }
    }

    void theFirstCauseCreatesTheFile()
    {
        const QTemporaryDir dir;
        const auto sink = format("csv").makeSink(events(dir).toStdString());
        QVERIFY(bool(sink));
        QVERIFY(bool((*sink)->consume(sampleBatch())));
        QCOMPARE(filesIn(dir), QStringList(QStringLiteral("t.csv")));
        QVERIFY(bool((*sink)->consume(causes())));
        QCOMPARE(filesIn(dir).size(), 2);
        QVERIFY(bool((*sink)->finish({})));
    }

    void namesOfFiles()
    {
        QCOMPARE(causesPathFor("run.csv"), std::string("run.causes.csv"));
        QCOMPARE(causesPathFor("/a.b/run.1.CSV"), std::string("/a.b/run.1.causes.CSV"));
        QCOMPARE(causesPathFor("-"), std::string());
        QCOMPARE(format("jsonl").causesPath("run.jsonl"), std::string());
        QCOMPARE(format("sqlite").causesPath("run.sqlite"), std::string());
    }

    void formulasAreEscaped()
    {
        const QTemporaryDir dir;
        Batch batch = causes();
        batch.sites[1].function = "=cmd()";
        const auto sink = forSpreadsheets(format("csv")).makeSink(events(dir).toStdString());
        QVERIFY(bool(sink));
        QVERIFY(bool((*sink)->consume(batch)));
        QVERIFY(bool((*sink)->finish({})));
        QVERIFY(contentOf(causesOf(dir)).endsWith("plain.cpp,,'=cmd()\n"));
    }

    /// Causes of an older run cannot be mistaken for those of this run. Files of other programs stay.
    void olderCausesAreRemoved()
    {
        const QTemporaryDir dir;
        const QByteArray older[] = {kHeader, kHeader + "wake,1,1,1,,,,,,,,,,,,\n", "kind,ts\n", ""};
        for (const QByteArray &content : older) {
            const auto sink = format("csv").makeSink(events(dir).toStdString());
            QVERIFY(bool(sink));
            putContent(causesOf(dir), content);
            QVERIFY(bool((*sink)->consume(sampleBatch())));
            QVERIFY(bool((*sink)->finish({})));
            QCOMPARE(QFile::exists(causesOf(dir)), !content.startsWith(kHeader));
            QFile::remove(causesOf(dir));
        }
        QVERIFY(QFile::rename(events(dir), dir.filePath(QStringLiteral("other"))));
        putContent(dir.filePath(QStringLiteral("other")), kHeader);
        QVERIFY(QFile::link(dir.filePath(QStringLiteral("other")), causesOf(dir)));
        removeOlderCauses(causesOf(dir).toStdString());
        QVERIFY(QFile::exists(causesOf(dir)));
    }

    void aClaimedFileIsRefused()
    {
        const QTemporaryDir dir;
        auto other = LineOutput::open(causesOf(dir).toStdString());
        QVERIFY(bool(other));
        QVERIFY(bool((*other)->flush()));
        const auto refused = format("csv").makeSink(events(dir).toStdString());
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("t.causes.csv") != std::string::npos);
        Trace trace;
        trace.consume(causes());
        QVERIFY(!trace.exportTo(events(dir)));
        putContent(causesOf(dir), kHeader);
        removeOlderCauses(causesOf(dir).toStdString());
        QVERIFY(QFile::exists(causesOf(dir)));
    }

    void aFullDiskIsReported()
    {
        const QTemporaryDir dir;
        const auto sink = format("csv").makeSink(events(dir).toStdString());
        QVERIFY(bool(sink));
        QVERIFY(QFile::link(QStringLiteral("/dev/full"), causesOf(dir)));
        QVERIFY(bool((*sink)->consume(causes())));
        Batch later;
        later.notes.wakes = {{1, 0, 2, 7000, 4242, 78}};
        later.now = 9'000'000'000;
        const Result<void> failed = (*sink)->consume(later);
        QVERIFY(!failed);
        QVERIFY2(failed.error().message.find("t.causes.csv") != std::string::npos, failed.error().message.c_str());
        QCOMPARE(failed.error().code, ErrorCode::NoSpace);
        QCOMPARE(dynamic_cast<const FileSink &>(**sink).written(), 5U);
        QCOMPARE(dynamic_cast<const FileSink &>(**sink).causesWritten(), 0U);
        QCOMPARE(contentOf(events(dir)), kSampleCsv);
    }

    void anExportWritesBothFiles()
    {
        const QTemporaryDir dir;
        Trace trace;
        trace.consume(causes());
        putContent(events(dir), "older");
        putContent(causesOf(dir), kHeader + "older");
        QVERIFY(::chmod(qPrintable(causesOf(dir)), 0600) == 0);
        const Result<ExportReport> report = trace.exportTo(events(dir));
        QVERIFY2(bool(report), report ? "" : report.error().message.c_str());
        QCOMPARE(report->causes, 10U);
        QCOMPARE(report->causesPath, causesOf(dir).toStdString());
        QCOMPARE(contentOf(events(dir)), kSampleCsv);
        QList<QByteArray> rows = contentOf(causesOf(dir)).split('\n');
        QList<QByteArray> expected = (kHeader + kRows).split('\n');
        std::sort(rows.begin(), rows.end());
        std::sort(expected.begin(), expected.end());
        QCOMPARE(rows, expected);
        struct stat info = {};
        QVERIFY(::stat(qPrintable(causesOf(dir)), &info) == 0);
        QCOMPARE(info.st_mode & 0777U, 0600U);
        QCOMPARE(filesIn(dir).size(), 2);
    }

    void anUnreadableFileIsNotReplaced()
    {
        // Root may read every file.
        const bool isRoot = ::geteuid() == 0;
        QVERIFY(!isRoot || ::seteuid(kNobody) == 0);
        const auto back = qScopeGuard([isRoot] { QVERIFY(!isRoot || ::seteuid(0) == 0); });
        const QTemporaryDir dir;
        putContent(causesOf(dir), "precious");
        QVERIFY(QFile::setPermissions(causesOf(dir), QFileDevice::WriteOwner));
        Trace trace;
        trace.consume(causes());
        const Result<ExportReport> refused = trace.exportTo(events(dir));
        QVERIFY(!refused && refused.error().code == ErrorCode::AlreadyExists);
        const auto sink = format("csv").makeSink(events(dir).toStdString());
        QVERIFY(!sink && sink.error().code == ErrorCode::AlreadyExists);
        QVERIFY(QFile::setPermissions(causesOf(dir), QFileDevice::ReadOwner));
        QCOMPARE(contentOf(causesOf(dir)), QByteArray("precious"));
    }

    /// The user chose only the name of the first file.
    void aFileOfAnotherProgramIsNotReplaced()
    {
        const QTemporaryDir dir;
        putContent(causesOf(dir), "precious");
        Trace trace;
        trace.consume(causes());
        const Result<ExportReport> refused = trace.exportTo(events(dir));
        QVERIFY(!refused && refused.error().code == ErrorCode::AlreadyExists);
        QVERIFY2(refused.error().message.starts_with(causesOf(dir).toStdString() + " is not a file of causes"),
                 refused.error().message.c_str());
        QCOMPARE(filesIn(dir), QStringList(QStringLiteral("t.causes.csv")));
        const auto sink = format("csv").makeSink(events(dir).toStdString());
        QVERIFY(!sink && sink.error().code == ErrorCode::AlreadyExists);
        QCOMPARE(contentOf(causesOf(dir)), QByteArray("precious"));
        // Without causes, an export does not need the name.
        Trace without;
        without.consume(sampleBatch());
        QVERIFY(bool(without.exportTo(events(dir))));
        QCOMPARE(contentOf(causesOf(dir)), QByteArray("precious"));
        // The file may also appear during the run.
        QVERIFY(QFile::remove(causesOf(dir)));
        const auto begun = format("csv").makeSink(events(dir).toStdString());
        QVERIFY(bool(begun));
        putContent(causesOf(dir), "precious");
        const Result<void> failed = (*begun)->consume(causes());
        QVERIFY(!failed && failed.error().code == ErrorCode::AlreadyExists);
        QCOMPARE(contentOf(causesOf(dir)), QByteArray("precious"));
        QCOMPARE(contentOf(events(dir)), kSampleCsv);
    }

    void anExportWithoutCausesHasOneFile()
    {
        const QTemporaryDir dir;
        Trace trace;
        trace.consume(sampleBatch());
        putContent(causesOf(dir), kHeader);
        const Result<ExportReport> report = trace.exportTo(events(dir));
        QVERIFY(bool(report));
        QCOMPARE(report->causes, 0U);
        QVERIFY(report->causesPath.empty());
        QCOMPARE(filesIn(dir), QStringList(QStringLiteral("t.csv")));
    }

    /// A cancelled or failed export leaves both files as they were.
    void aFailedExportChangesNothing()
    {
        const QTemporaryDir dir;
        Trace trace;
        trace.consume(causes());
        const auto reset = [&] {
            putContent(events(dir), "precious");
            putContent(causesOf(dir), "precious causes");
        };
        const auto isUnchanged = [&] {
            return contentOf(events(dir)) == "precious" && contentOf(causesOf(dir)) == "precious causes" &&
                   filesIn(dir).size() == 2;
        };
        reset();
        const auto cancelled = trace.exportTo(events(dir), [](double progress) { return progress < 0.5; });
        QVERIFY(!cancelled && cancelled.error().code == ErrorCode::Cancelled);
        QVERIFY(isUnchanged());
        Batch many;
        for (std::uint64_t i = 0; i < 1000; ++i)
            many.notes.wakes.push_back({1, 0, 2, 7000 + i, 4242, 78});
        trace.consume(many);
        const FileSizeLimit limit(4096);  // enough for the events
        const auto failed = trace.exportTo(events(dir));
        QVERIFY(!failed);
        QVERIFY2(failed.error().message.find(causesOf(dir).toStdString() + ":") != std::string::npos,
                 failed.error().message.c_str());
        QVERIFY(failed.error().message.find("; nothing was written") != std::string::npos);
        QVERIFY(failed.error().message.find(".part") == std::string::npos);
        QVERIFY(isUnchanged());
    }

private:
    static QString events(const QTemporaryDir &dir) { return dir.filePath(QStringLiteral("t.csv")); }
    static QString causesOf(const QTemporaryDir &dir) { return dir.filePath(QStringLiteral("t.causes.csv")); }
};

CT_QT_SUITE(CsvCausesTest)
#include "tst_csvcauses.moc"
