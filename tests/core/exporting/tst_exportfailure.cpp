// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The message of a failed export names the requested file, not the temporary file that was removed.
#include "tests/core/exporting/exportsupport.h"
#include "tests/support/qtsuite.h"

using namespace exporttest;

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

    void aCancelledExportIsNoFailure()
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
