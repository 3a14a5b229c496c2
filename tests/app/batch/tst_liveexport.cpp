// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A database that is written during a capture has the facts of the run, and so the verdict, of its recording.
#include "tests/app/batch/conversions.h"
#include "tests/core/exporting/database.h"
#include "tests/support/qtsuite.h"

#include <QJsonArray>

using namespace conversions;

namespace {

QStringList rowsIn(const Folder &folder, const QString &name, const char *sql)
{
    return exporttest::Database(folder.path(name)).rows(sql);
}

QJsonObject infoIn(const Folder &folder, const QString &name)
{
    const QStringList info = rowsIn(folder, name, "SELECT info FROM sessions");
    return QJsonDocument::fromJson(info.value(0).toUtf8()).object();
}

struct Verdict {
    int status = -1;
    QJsonArray findings;
    bool operator==(const Verdict &) const = default;
};

/// Reads a recording or a database, and judges it.
Verdict verdictOf(const Folder &folder, const QString &input)
{
    const Outcome outcome =
        folder.run(QStringLiteral("--input %1 --fail-on any --report json --report-out verdict.json").arg(input));
    const QJsonObject report = runner::objectIn(folder.path(QStringLiteral("verdict.json")));
    return {outcome.status, report.value(QStringLiteral("findings")).toArray()};
}

/// The fingerprint and the severity of each finding, sorted.
QStringList fingerprints(const QJsonArray &findings)
{
    QStringList all;
    for (const QJsonValue &finding : findings)
        all << finding[QLatin1String("fingerprint")].toString() + u' ' + finding[QLatin1String("severity")].toString();
    all.sort();
    return all;
}

QString lossyServer()
{
    return runner::target("ct_server_lossy", runner::words("--seconds 20")).join(QLatin1Char(' '));
}

QString crash()
{
    return runner::target("ct_crash", runner::words("--coroutines 4 --threads 1 --after 50")).join(QLatin1Char(' '));
}

}  // namespace

class LiveExportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aDatabaseHasTheFactsAndTheVerdictOfItsRecording_data()
    {
        QTest::addColumn<QString>("capture");
        QTest::addColumn<int>("status");
        QTest::newRow("ended by the duration")
            << QStringLiteral("-o run.ctr --export sqlite -o live.sqlite --duration 2 ") + lossyServer() << 0;
        QTest::newRow("the target crashes")
            << QStringLiteral("-o run.ctr --export sqlite -o live.sqlite ") + crash() << 128 + SIGSEGV;
    }
    void aDatabaseHasTheFactsAndTheVerdictOfItsRecording()
    {
        QFETCH(QString, capture);
        QFETCH(int, status);
        const Folder folder;
        const Outcome captured = folder.run(capture);
        QVERIFY2(captured.status == status, captured.err);
        QCOMPARE(folder.run(QStringLiteral("--input run.ctr --export sqlite -o converted.sqlite")).status, 0);
        const QString live = QStringLiteral("live.sqlite");
        const QString converted = QStringLiteral("converted.sqlite");
        for (const char *sql : {"SELECT * FROM sessions", "SELECT * FROM trace_info ORDER BY name"})
            QCOMPARE(rowsIn(folder, live, sql), rowsIn(folder, converted, sql));
        const QJsonObject info = infoIn(folder, live);
        for (const char *fact : {"machine", "clocks", "exit", "effect"})
            QVERIFY2(info.contains(QLatin1String(fact)), fact);
        const bool hasCrashed = status != 0;
        QCOMPARE(info.contains(QStringLiteral("decided")), !hasCrashed);
        QCOMPARE(info.value(QStringLiteral("exit")).toObject().value(QStringLiteral("signal")).toInt(),
                 hasCrashed ? SIGSEGV : 0);
        QVERIFY(verdictOf(folder, live) == verdictOf(folder, converted));
    }

    void aDatabaseAloneHasTheFactsAndTheVerdictOfItsRun()
    {
        const Folder folder;
        const Outcome captured = folder.run(
            QStringLiteral("-o only.sqlite --duration 2 --report json --report-out live.json ") + lossyServer());
        QVERIFY2(captured.status == 0, captured.err);
        const QJsonObject report = runner::objectIn(folder.path(QStringLiteral("live.json")));
        // A database has no borders of passes, so the evidence may count some more or fewer events.
        QCOMPARE(fingerprints(verdictOf(folder, QStringLiteral("only.sqlite")).findings),
                 fingerprints(report.value(QStringLiteral("findings")).toArray()));
        QCOMPARE(rowsIn(folder, QStringLiteral("only.sqlite"),
                        "SELECT decided_ts = (SELECT value FROM trace_info WHERE name = 'judged_ts'), target_pid > 0 "
                        "FROM sessions"),
                 QStringList{QStringLiteral("1|1")});
        const QJsonObject info = infoIn(folder, QStringLiteral("only.sqlite"));
        QVERIFY(info.contains(QStringLiteral("exit")) && info.contains(QStringLiteral("effect")));
        QVERIFY(!info.value(QStringLiteral("processes")).toArray().isEmpty());
        QVERIFY(info.value(QStringLiteral("clocks")).toArray().size() >= 2);
    }

    /// The target ends before the first poll of the addresses.
    void theProcessOfAShortRunIsKnown()
    {
        const Folder folder;
        const Outcome captured =
            folder.run(QStringLiteral("-o short.sqlite ") + runner::target("ct_oldsdk").join(QLatin1Char(' ')));
        QVERIFY2(captured.status == 0, captured.err);
        const char *const unknown = "SELECT count(*) FROM addresses WHERE gap LIKE 'the process of %' AND "
                                    "(SELECT target_pid FROM sessions) IS NOT NULL";
        QCOMPARE(rowsIn(folder, QStringLiteral("short.sqlite"), unknown), QStringList{QStringLiteral("0")});
    }
};

CT_QT_SUITE(LiveExportTest)
#include "tst_liveexport.moc"
