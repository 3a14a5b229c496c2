// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The message of a failed export names the requested file, not the temporary file that was removed.
#include "core/exporting/replacefile.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

#include <QFileInfo>

using namespace exporttest;

namespace {

/// Makes the sink of a database, and then moves the database as another program would.
Result<std::shared_ptr<Sink>> makeMovedDatabase(const std::string &path, const std::string &,
                                                const ExportContext &context)
{
    Result<std::shared_ptr<Sink>> sink = format("sqlite").makeSink(path, context);
    const QString name = QString::fromStdString(path);
    [[maybe_unused]] const bool moved = QFile::rename(name, QFileInfo(name).dir().filePath(QStringLiteral("moved")));
    return sink;
}

}  // namespace

class ExportFailureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void errorsNameTheRequestedFile_data() { everyFormat(); }
    void errorsNameTheRequestedFile()
    {
        QFETCH(QString, name);
        const QTemporaryDir dir;
        Trace trace;
        trace.consume(manyEvents(100, 0, 500));
        const QString path = dir.filePath(name);
        const FileSizeLimit limit(200'000);
        const Result<ExportReport> report = trace.exportTo(path);
        QVERIFY(!report);
        const QString message = QString::fromStdString(report.error().message);
        QVERIFY2(message.startsWith(path + QStringLiteral(": ")), qPrintable(message));
        QVERIFY2(message.contains(QLatin1String("; nothing was written")), qPrintable(message));
        for (const char *untrue : {".part", "are complete", "valid up to", "; the "})
            QVERIFY2(!message.contains(QLatin1String(untrue)), qPrintable(message));
        QVERIFY(filesIn(dir).isEmpty());
    }

    void aNameIsNotMistakenForAnExplanation()
    {
        const QTemporaryDir dir;
        QVERIFY(QDir(dir.path()).mkdir(QStringLiteral("a; b")));
        Trace trace;
        trace.consume(manyEvents(100, 0, 500));
        const QString path = dir.filePath(QStringLiteral("a; b/t.jsonl"));
        const FileSizeLimit limit(200'000);
        const Result<ExportReport> report = trace.exportTo(path);
        QVERIFY(!report);
        QCOMPARE(QString::fromStdString(report.error().message),
                 path + QStringLiteral(": File too large; nothing was written; raise the limit on the size of files "
                                       "(ulimit -f) or choose another folder"));
    }

    void aFailedExportKeepsTheRemedyOfItsCause()
    {
        const QTemporaryDir dir;
        Trace trace;
        trace.consume(manyEvents(100, 0, 5));
        const QString path = dir.filePath(QStringLiteral("t.sqlite"));
        const ExportFormat movedDatabase{"sqlite", "SQLite", "sqlite", &makeMovedDatabase};
        const Result<ExportReport> report =
            exportTrace(trace.population, trace.history, movedDatabase, path.toStdString(), {}, {});
        QVERIFY(!report);
        QVERIFY(report.error().code == ErrorCode::NotFound);
        QCOMPARE(QString::fromStdString(report.error().message),
                 path + QStringLiteral(" was moved by another program before the first event was written; nothing was "
                                       "written; start again, and leave the file in its folder until it is complete"));
        QCOMPARE(filesIn(dir), QStringList(QStringLiteral("moved")));
    }

    void theMessageEndsWithTheRemedy_data()
    {
        QTest::addColumn<QString>("cause");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *name, const char *cause, const char *message) {
            QTest::newRow(name) << QString::fromLatin1(cause) << QString::fromLatin1(message);
        };
        row("another file", "a.ctr cannot be opened: Permission denied; run as another user",
            "a.ctr cannot be opened: Permission denied; nothing was written; run as another user");
        row("no file", "Qt has no driver; install it", "Qt has no driver; nothing was written; install it");
        row("content", "t.tmp: Input/output error; all lines are complete; choose another path",
            "t.csv: Input/output error; nothing was written; choose another path");
        row("no content", "t.tmp cannot be opened: Is a directory; choose another path",
            "t.csv cannot be opened: Is a directory; nothing was written; choose another path");
        row("no remedy", "t.tmp: Input/output error",
            "t.csv: Input/output error; nothing was written; choose another path");
        row("another file without a remedy", "a.ctr is damaged", "a.ctr is damaged; nothing was written");
    }
    void theMessageEndsWithTheRemedy()
    {
        QFETCH(QString, cause);
        QFETCH(QString, message);
        const Error error = nothingWritten({ErrorCode::InputOutput, cause.toStdString()}, "t.tmp", "t.csv");
        QCOMPARE(QString::fromStdString(error.message), message);
    }

    void cancellingIsNotAFailure()
    {
        const QTemporaryDir dir;
        Trace trace;
        trace.consume(manyEvents(100, 0, 500));
        const auto report =
            trace.exportTo(dir.filePath(QStringLiteral("t.csv")), [](double done) { return done == 0; });
        QVERIFY(!report);
        QVERIFY(report.error().code == ErrorCode::Cancelled);
        QCOMPARE(report.error().message, std::string("the export was cancelled; nothing was changed"));
    }

private:
    static void everyFormat()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"t.jsonl", "t.csv", "t.sqlite"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
};

CT_QT_SUITE(ExportFailureTest)
#include "tst_exportfailure.moc"
