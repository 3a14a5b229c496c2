// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options of the existing collector: their meanings, defaults and derived names.
#include "tests/app/commandline/parseline.h"
#include "tests/support/qtsuite.h"

using ct::CommandLine;
using ct::test::parse;

namespace {

/// "KIND OUTPUT, KIND OUTPUT"
QString exportsOf(const CommandLine &line)
{
    QStringList all;
    for (const CommandLine::Export &one : line.exports)
        all << QString::fromStdString(one.kind + " " + one.output);
    return all.join(QStringLiteral(", "));
}

}  // namespace

class CollectorOptionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void collectingWritesJsonl_data()
    {
        QTest::addColumn<QString>("exports");
        QTest::addColumn<QString>("region");
        QTest::addColumn<QString>("socket");
        const auto row = [](const char *line, const char *exports, const char *region = "/tmp/corotracer.shm",
                            const char *socket = "/tmp/corotracer.sock") {
            QTest::newRow(line) << exports << region << socket;
        };
        row("-cmd ./app", "jsonl trace_output.jsonl");
        row("--batch -cmd ./app", "jsonl trace_output.jsonl");
        row("-cmd=./app -out=x/run.txt", "jsonl x/run.txt");
        row("--cmd ./app --out run.jsonl", "jsonl run.jsonl");
        row("-cmd ./app -shm /x/a.shm -sock /x/a.sock -export '' -in ''", "jsonl trace_output.jsonl", "/x/a.shm",
            "/x/a.sock");
        row("-cmd ./app -export sqlite", "sqlite trace_output.sqlite, jsonl trace_output.jsonl");
        row("-cmd ./app -out a.jsonl -export sqlite -export dataframe -csv-out c",
            "sqlite a.sqlite, csv c, jsonl a.jsonl");
        row("-cmd ./app -out a.jsonl -out b.jsonl", "jsonl b.jsonl");
    }
    void collectingWritesJsonl()
    {
        QFETCH(QString, exports);
        const auto line = parse(QString::fromUtf8(QTest::currentDataTag()));
        QVERIFY2(line, line ? "" : line.error().message.c_str());
        QCOMPARE(line->mode, CommandLine::Mode::Batch);
        QCOMPARE(line->start.launchSpec()->shellLine, std::string("./app"));
        QCOMPARE(exportsOf(*line), exports);
        QTEST(QString::fromStdString(line->start.capture.regionPath), "region");
        QTEST(QString::fromStdString(line->start.capture.socketPath), "socket");
    }

    void aRecordingReplacesTheJsonl()
    {
        const auto line = parse(QStringLiteral("-cmd ./app -o run.ctr -export sqlite"));
        QVERIFY(line);
        QCOMPARE(line->outputPath, std::string("run.ctr"));
        QCOMPARE(exportsOf(*line), QStringLiteral("sqlite run.sqlite"));
    }

    void convertingReadsJsonl_data()
    {
        QTest::addColumn<QString>("input");
        QTest::addColumn<QString>("exports");
        const auto row = [](const char *line, const char *input, const char *exports) {
            QTest::newRow(line) << input << exports;
        };
        row("-export sqlite -in trace.jsonl", "trace.jsonl", "sqlite trace.sqlite");
        row("-export sqlite -out trace.jsonl", "trace.jsonl", "sqlite trace.sqlite");
        row("-export sqlite -in a.jsonl -out b.jsonl", "a.jsonl", "sqlite a.sqlite");
        row("-export csv", "trace_output.jsonl", "csv trace_output.csv");
        row("--export csv --in a.b/run", "a.b/run", "csv a.b/run.csv");
        row("-export dataframe -in a.jsonl -csv-out out/t.csv", "a.jsonl", "csv out/t.csv");
        row("-export SQLite -sqlite-out=out/t.db -in=a.jsonl", "a.jsonl", "sqlite out/t.db");
        row("-export csv -o x.csv -in a.jsonl", "a.jsonl", "csv x.csv");
        row("-batch -export csv", "", "");
        row("-export csv --input run.ctr", "run.ctr", "csv run.csv");
    }
    void convertingReadsJsonl()
    {
        QFETCH(QString, input);
        const auto line = parse(QString::fromUtf8(QTest::currentDataTag()));
        QCOMPARE(bool(line), !input.isEmpty());
        if (!line)
            return;
        QCOMPARE(line->mode, CommandLine::Mode::Batch);
        QCOMPARE(QString::fromStdString(line->start.inputPath()), input);
        QTEST(exportsOf(*line), "exports");
    }

    void databasesBecomeAddresses_data()
    {
        QTest::addColumn<QString>("address");
        const auto row = [](const char *line, const char *address) { QTest::newRow(line) << address; };
        row("-export postgres", "postgresql://127.0.0.1/coro_tracer");
        row("-export postgresql -db-host db -db-port 5433 -db-user me -db-name n", "postgresql://me@db:5433/n");
        row("-export postgres -db-port 0 -db-table t -pg-sslmode require -pg-maintenance-db m",
            "postgresql://127.0.0.1/coro_tracer?table=t&sslmode=require&maintenance=m");
        row("-export postgres -db-host /run/pg -db-port 5433",
            "postgresql://localhost:5433/coro_tracer?socket=%2Frun%2Fpg");
        row("-export postgres -db-host ::1 -db-user a@b/c -db-name x?y", "postgresql://a%40b%2Fc@[::1]/x%3Fy");
        row("-export postgresql -mysql-socket /tmp/my.sock", "postgresql://127.0.0.1/coro_tracer");
        row("-export mysql", "mysql://127.0.0.1/coro_tracer");
        row("-export mysql -in t.jsonl -db-host db -db-port 3307 -db-user root -db-name n -db-table t",
            "mysql://root@db:3307/n?table=t");
        row("-export mysql -db-host db -db-port 3307 -db-user root -mysql-socket /tmp/my.sock",
            "mysql://root@localhost/coro_tracer?socket=%2Ftmp%2Fmy.sock");
        row("-export postgres -pg-sslmode allow", "postgresql://127.0.0.1/coro_tracer?sslmode=prefer");
        row("-export mysql -pg-sslmode require -pg-maintenance-db m -db-port 0", "mysql://127.0.0.1/coro_tracer");
    }
    void databasesBecomeAddresses()
    {
        const auto line = parse(QString::fromUtf8(QTest::currentDataTag()));
        QVERIFY2(line, line ? "" : line.error().message.c_str());
        QCOMPARE(line->exports.size(), std::size_t{1});
        const bool isMysql = QString::fromUtf8(QTest::currentDataTag()).startsWith(QLatin1String("-export mysql"));
        QCOMPARE(line->exports.front().kind, std::string(isMysql ? "mysql" : "postgresql"));
        QTEST(QString::fromStdString(line->exports.front().output), "address");
    }

    void passwordsAreNotPartOfAddresses()
    {
        const auto line = parse(QStringLiteral("-export postgres -db-password geheim -db-cli /x/psql"));
        QVERIFY(line);
        QCOMPARE(line->databasePassword, std::string("geheim"));
        QCOMPARE(line->warnings.size(), std::size_t{2});
        for (const std::string &warning : line->warnings)
            QVERIFY(warning.find("geheim") == std::string::npos);
        QVERIFY(line->exports.front().output.find("geheim") == std::string::npos);
        const auto inAddress =
            parse(QStringLiteral("--batch --input a.jsonl --export postgresql --output postgresql://me:geheim@h/d"));
        QVERIFY(!inAddress);
        QVERIFY(inAddress.error().message.find("geheim") == std::string::npos);
    }

    void ignoredOptionsAreReported()
    {
        const auto line = parse(QStringLiteral("-export csv -sqlite-out x.sqlite"));
        QVERIFY(line);
        QCOMPARE(line->warnings, std::vector<std::string>{"-sqlite-out is ignored without -export sqlite"});
    }

    void combineWithOtherOptions()
    {
        const auto line = parse(QStringLiteral("-n=7 -cmd ./app --duration 3 --summary s.json"));
        QVERIFY2(line, line ? "" : line.error().message.c_str());
        QCOMPARE(line->start.capture.stations, 7U);
        QCOMPARE(line->summaryPath, std::string("s.json"));
        const auto target = parse(QStringLiteral("-out a.jsonl -- prog -out x -cmd y"));
        QVERIFY(target);
        QCOMPARE(target->start.launchSpec()->argv, (std::vector<std::string>{"prog", "-out", "x", "-cmd", "y"}));
        QCOMPARE(exportsOf(*target), QStringLiteral("jsonl a.jsonl"));
        QVERIFY(parse(QStringLiteral("--batch --cmd ./app"))->exports.empty());  // a spelling of today, too
    }

    void errorsExplainTheMistake_data()
    {
        QTest::addColumn<QString>("answer");
        const auto row = [](const char *line, const char *answer) { QTest::newRow(line) << answer; };
        row("-out a.jsonl", "need -cmd to collect, or -export to convert");
        row("-cmd ./app -in a.jsonl", "cannot be combined with a capture");
        row("-in a.jsonl --input b.jsonl -export csv -csv-out", "-csv-out: its value is missing");
        row("-export parquet",
            "--export parquet: expected one of jsonl, csv, sqlite, perfetto, chrome, ctr, postgresql, mysql");
        row("-export postgres -db-port x", "-db-port x: expected a number from 0 to 65535");
        row("-export postgres -db-port 70000", "-db-port 70000: expected a number");
        row("-export postgres -pg-sslmode perhaps", "unknown sslmode perhaps");
        row("-export csv -csv-out a -o b", "-o b: --export csv already has an output");
        row("-ou x", "-ou: unknown argument");
        row("-output x", "-output: unknown argument");
    }
    void errorsExplainTheMistake()
    {
        QFETCH(const QString, answer);
        const auto line = parse(QString::fromUtf8(QTest::currentDataTag()));
        QVERIFY(!line);
        const QString message = QString::fromStdString(line.error().message);
        QVERIFY2(message.contains(answer), qPrintable(message));
    }
};

CT_QT_SUITE(CollectorOptionsTest)
#include "tst_collectoroptions.moc"
