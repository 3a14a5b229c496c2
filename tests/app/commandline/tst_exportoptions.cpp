// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --export, and addresses as outputs.
#include "tests/app/commandline/parseline.h"
#include "tests/support/qtsuite.h"

using ct::CommandLine;
using ct::test::parse;

class ExportOptionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSessionOnAServerIsAnExport()
    {
        const auto stored = parse("--batch -o postgresql://me@db/traces --listen");
        QVERIFY2(stored, stored ? "" : stored.error().message.c_str());
        QCOMPARE(stored->outputPath, std::string());
        QCOMPARE(stored->exports.size(), std::size_t{1});
        QCOMPARE(stored->exports.front().kind, std::string("postgresql"));
        QCOMPARE(stored->exports.front().output, std::string("postgresql://me@db/traces"));
        QVERIFY(!parse("--batch -o mysql://db/traces?colour=red --listen"));
    }

    void aCaptureHasOneRecording()
    {
        const auto line = parse("--batch --export jsonl -o a.jsonl --export ctr -o b.ctr --listen");
        QVERIFY2(line, line ? "" : line.error().message.c_str());
        QCOMPARE(line->outputPath, std::string("b.ctr"));
        QCOMPARE(line->exports.size(), std::size_t{1});
        const auto both = parse("--batch -o a.jsonl.gz --export ctr -o b.ctr --listen");
        QVERIFY2(bool(both), both ? "" : both.error().message.c_str());
        QCOMPARE(both->outputPath, std::string("b.ctr"));
        QCOMPARE(both->exports.size(), 1U);
        QCOMPARE(both->exports.front().kind, std::string("jsonl"));
        QCOMPARE(both->exports.front().output, std::string("a.jsonl.gz"));
        QVERIFY(!parse("--batch -o a.ctr --export ctr -o b.ctr --listen"));
        QVERIFY(!parse("--batch -o - --export ctr -o b.ctr --listen"));
        QVERIFY(!parse("--batch --export ctr -o b.jsonl --listen"));
    }

    /// With --attach, it is captured.
    void aRegionOfInputIsConverted()
    {
        const auto line = parse("--batch --input a.shm --export ctr -o b.ctr --export csv");
        QVERIFY2(bool(line), line ? "" : line.error().message.c_str());
        QVERIFY(line->convertsRegion);
        QCOMPARE(line->outputPath, std::string());
        QCOMPARE(line->exports.size(), 2U);
        QCOMPARE(line->exports[1].output, std::string("a.csv"));
        const auto timed = parse("--batch --input a.shm --export csv --duration 3");
        QVERIFY(!timed);
        QVERIFY(timed.error().message.starts_with("--duration cannot be used with --batch --input FILE"));
        const auto attached = parse("--batch --attach a.shm --export csv -o b.csv --duration 3");
        QVERIFY2(attached && !attached->convertsRegion, attached ? "" : attached.error().message.c_str());
    }

    void aFileIsNoAddress()
    {
        for (const char *source : {"--input a.jsonl", "--listen"}) {
            const auto line =
                parse((std::string("--batch ") + source + " --export csv -o postgresql://me@db/traces").c_str());
            QVERIFY(!line);
            QVERIFY2(line.error().message.find("choose --export postgresql, or") != std::string::npos,
                     line.error().message.c_str());
        }
    }

    void onlyTextIsCompressed()
    {
        const auto errorOf = [](const char *arguments) {
            const auto line = parse(arguments);
            return line ? std::string() : line.error().message;
        };
        for (const std::string output :
             {"sqlite -o x.sqlite.gz", "ctr -o x.ctr.zst", "perfetto -o x.pftrace.GZ", "chrome -o x.json.gz"}) {
            for (const std::string source : {"--input a.jsonl", "--listen"}) {
                const std::string error = errorOf(("--batch " + source + " --export " + output).c_str());
                QVERIFY2(error.find(": only jsonl and csv can be") != std::string::npos, error.c_str());
            }
        }
        for (const std::string name : {"x.sqlite.gz", "x.ctr.zst", "x.json.gz"}) {
            const std::string error = errorOf(("--batch -o " + name + " --listen").c_str());
            QVERIFY2(error.find(": only .jsonl and .csv can be") != std::string::npos, error.c_str());
        }
        QCOMPARE(errorOf("--batch --input a.ctr --export jsonl -o x.jsonl.gz --export csv -o x.csv.zst"),
                 std::string());
        QCOMPARE(errorOf("--batch --input a.ctr.gz --export sqlite"), std::string());
    }
};

CT_QT_SUITE(ExportOptionsTest)
#include "tst_exportoptions.moc"
