// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// -deepdive and -html of the existing collector.
#include "tests/app/commandline/parseline.h"
#include "tests/support/qtsuite.h"

using ct::CommandLine;
using ct::test::parse;

class OlderOptionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFileNamedByOutIsJudged()
    {
        for (const char *options :
             {"-html -out run.jsonl", "--out=run.jsonl --html", "-html run.jsonl", "-html --input run.jsonl"}) {
            const auto line = parse(options);
            QVERIFY2(line, options);
            QCOMPARE(line->mode, CommandLine::Mode::Batch);
            QCOMPARE(line->start.inputPath(), std::string("run.jsonl"));
            QCOMPARE(line->diagnosis.report, std::string("html"));
            QCOMPARE(line->diagnosis.reportPath, std::string("coro_dashboard.html"));
        }
    }

    void theDefaultsAreThoseOfTheFirstCollector()
    {
        const auto line = parse("-deepdive");
        QVERIFY(line);
        QCOMPARE(line->start.inputPath(), std::string("trace_output.jsonl"));
        QCOMPARE(line->diagnosis.report, std::string("markdown"));
        QCOMPARE(line->diagnosis.reportPath, std::string("coro_report.md"));
    }

    void combineWithOtherOptions()
    {
        const auto line = parse("-html run.ctr --report-out x.html --fail-on any");
        QVERIFY(line);
        QCOMPARE(line->start.inputPath(), std::string("run.ctr"));
        QCOMPARE(line->diagnosis.reportPath, std::string("x.html"));
        QVERIFY(!line->diagnosis.failOn.empty());
    }

    void optionsOfATargetAreLeftAlone()
    {
        auto line = parse("-html -- prog -html -out x");
        QVERIFY(line);
        QCOMPARE(std::get<ct::LaunchSpec>(line->start.what).argv,
                 (std::vector<std::string>{"prog", "-html", "-out", "x"}));
        line = parse("--batch -- prog -html");
        QVERIFY(line);
        QVERIFY(line->diagnosis.report.empty());
    }

    void errorsExplainTheMistake_data()
    {
        QTest::addColumn<QString>("answer");
        const auto row = [](const char *line, const char *answer) { QTest::newRow(line) << QString::fromUtf8(answer); };
        row("-html -deepdive", "-html and -deepdive cannot be used together");
        row("-html -out", "-out: its value is missing");
        row("-html -out a.ctr -out b.ctr", "--input b.ctr: given twice");
        row("-html --report text", "--report html: given twice");
        row("-out a.ctr", "need -cmd to collect, or -export to convert");
    }
    void errorsExplainTheMistake()
    {
        QFETCH(const QString, answer);
        const auto line = parse(QTest::currentDataTag());
        QVERIFY(!line);
        const QString message = QString::fromStdString(line.error().message);
        QVERIFY2(message.contains(answer), qPrintable(message));
    }
};

CT_QT_SUITE(OlderOptionsTest)
#include "tst_olderoptions.moc"
