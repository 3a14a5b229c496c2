// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/region/region.h"
#include "tests/app/commandline/parseline.h"
#include "tests/support/paths.h"
#include "tests/support/qtsuite.h"

using ct::CommandLine;
using ct::test::parse;

namespace {

/// Returns the options among the words of a text: "-o" and "--output", but not "--" or "read-only".
QSet<QString> optionsIn(const QString &text)
{
    static const QRegularExpression option(QStringLiteral("(?<![\\w-])--?[a-z][a-z-]*"));
    QSet<QString> options;
    for (auto match = option.globalMatch(text); match.hasNext();)
        options.insert(match.next().captured());
    return options;
}

/// Returns the options that --help describes: the first column of its lines.
QSet<QString> optionsOfHelp()
{
    QSet<QString> options;
    for (const QString &line : QString::fromStdString(ct::usageText()).split(u'\n')) {
        if (line.startsWith(QLatin1String("  -")))
            options += optionsIn(line.mid(2).section(QLatin1String("  "), 0, 0));
    }
    return options;
}

/// Returns the options that the man page describes: the tags of its paragraphs.
QSet<QString> optionsOfManPage()
{
    QFile file(QString::fromStdString(ct::test::kSourceDir + "/packaging/corotracer-gui.1"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n');
    QSet<QString> options;
    for (qsizetype i = 0; i + 1 < lines.size(); ++i) {
        if (lines[i] == QLatin1String(".TP"))
            options += optionsIn(lines[i + 1].replace(QLatin1String("\\-"), QLatin1String("-")));
    }
    return options;
}

}  // namespace

class CommandLineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void acceptsAllBatchOptions()
    {
        const auto line =
            parse("--batch -n 5 -o run.jsonl --shm /tmp/r.shm --sock /tmp/s --duration 1.5 --summary s.json "
                  "-- prog --batch -n x");
        QVERIFY(line);
        QCOMPARE(line->mode, CommandLine::Mode::Batch);
        QCOMPARE(line->start.capture.stations, 5U);
        QVERIFY(line->start.capture.stationsAtStart);
        QCOMPARE(line->start.capture.regionPath, std::string("/tmp/r.shm"));
        QCOMPARE(line->start.capture.socketPath, std::string("/tmp/s"));
        QCOMPARE(line->outputPath, std::string("run.jsonl"));
        QCOMPARE(line->summaryPath, std::string("s.json"));
        QCOMPARE(*line->durationSec, 1.5);
        const auto &target = std::get<ct::LaunchSpec>(line->start.what);
        QCOMPARE(target.argv, (std::vector<std::string>{"prog", "--batch", "-n", "x"}));
        QVERIFY(target.shellLine.empty());
    }

    void acceptsRecordings()
    {
        const auto line = parse("--batch -o run.ctr --session night-7 --listen");
        QVERIFY(line);
        QVERIFY(line->records());
        QCOMPARE(line->sessionId, std::string("night-7"));
        QVERIFY(!parse("--batch -o run.jsonl --listen")->records());
        QVERIFY(!parse("--batch -o run.jsonl --session x --listen"));
        QVERIFY(!parse("--session x run.ctr"));
    }

    void acceptsADiagnosis()
    {
        const auto line = parse("--batch --input run.ctr --report sarif --report-out r.sarif --fail-on "
                                "deadlock,lost-wakeup --confidence 0.9 --baseline known.json");
        QVERIFY(line);
        QCOMPARE(line->start.inputPath(), std::string("run.ctr"));
        QCOMPARE(line->diagnosis.report, std::string("sarif"));
        QCOMPARE(line->diagnosis.reportPath, std::string("r.sarif"));
        QCOMPARE(line->diagnosis.failOn, (std::vector<ct::Rule>{ct::Rule::Deadlock, ct::Rule::LostWakeup}));
        QCOMPARE(line->diagnosis.confidence, 0.9);
        QVERIFY(line->diagnosis.thresholds == ct::Thresholds());
        const auto adjusted = parse("--batch --fail-on any --threshold late=2s --threshold overtaken=5 --listen");
        QVERIFY(adjusted);
        QVERIFY(adjusted->diagnosis.thresholds.lateNs == 2'000'000'000);
        QVERIFY(adjusted->diagnosis.thresholds.overtaken == 5);
        const auto summarized = parse("--batch --threshold late=2s --listen");
        QVERIFY(summarized && summarized->diagnosis.thresholds.lateNs == 2'000'000'000);
        const auto shown = parse("--threshold late=2s run.ctr");
        QVERIFY(shown && shown->diagnosis.thresholds.lateNs == 2'000'000'000);
        QCOMPARE(line->diagnosis.baselinePath, std::string("known.json"));
        QCOMPARE(parse("--batch --fail-on any --listen")->diagnosis.failOn.size(), ct::kRules);
        QVERIFY(!parse("--batch --listen")->diagnosis.any());
    }

    void acceptsFoldersOfDebugFiles()
    {
        const std::vector<std::string> both{"/a", "/b"};
        QCOMPARE(parse("--debug-path /a --debug-path=/b --batch --listen")->debugFolders, both);
        QCOMPARE(parse("--debug-path /a --debug-path /b run.ctr")->debugFolders, both);
        QVERIFY(!parse("run.ctr --debug-path"));
    }

    void acceptsLimitsOfRecordings()
    {
        const auto line = parse("--batch -o run.ctr --limit 10min --limit 4GiB --listen");
        QVERIFY(line);
        QCOMPARE(*line->limit.seconds, 600.0);
        QCOMPARE(*line->limit.bytes, 4ULL << 30);
        QVERIFY(!parse("--batch -o run.ctr --limit 10min --limit 5min --listen"));
        QVERIFY(!parse("--batch -o run.ctr --limit 1MiB --listen"));
        QVERIFY(!parse("--batch -o run.jsonl --limit 1GiB --listen"));
        QVERIFY(!parse("--batch -o - --limit 1GiB --listen"));
        QVERIFY(!parse("--limit 1GiB run.ctr"));
        QVERIFY(!parse("--batch -o run.ctr --keep 10s --listen"));
        QVERIFY(!parse("--batch -o run.ctx --listen"));
        const auto opened = parse("run.ctr");
        QVERIFY(opened);
        QCOMPARE(std::get<ct::OpenRequest>(opened->start.what).path, std::string("run.ctr"));
    }

    void absentOptionsHaveDefaults()
    {
        const auto line = parse("--batch --listen");
        QVERIFY(line);
        QCOMPARE(line->start.capture.stations, 2097150U);
        QVERIFY(line->start.capture.lanes);
        QCOMPARE(line->start.capture.laneBytes, ct::kUsualLaneBytes);
        QCOMPARE(line->start.capture.lanePoolBytes, ct::kUsualLanePoolBytes);
        QCOMPARE(line->start.capture.laneRetentionMs, 0U);
        QVERIFY(!line->start.capture.stationsAtStart);
        QVERIFY(!line->keepsOnly() && !line->dumps());
        QVERIFY(!line->durationSec);
        QVERIFY(line->outputPath.empty() && line->summaryPath.empty());
        QVERIFY(std::holds_alternative<ct::ListenRequest>(line->start.what));
    }

    void acceptsLaneOptions()
    {
        const auto line = parse("--batch --lane-size 64KiB --lane-pool=1G --lane-retention 1.5 --listen");
        QVERIFY(line);
        QCOMPARE(line->start.capture.laneBytes, 64ULL << 10);
        QCOMPARE(line->start.capture.lanePoolBytes, 1ULL << 30);
        QCOMPARE(line->start.capture.laneRetentionMs, 1500U);
        QCOMPARE(parse("--batch --lane-retention 0 --listen")->start.capture.laneRetentionMs, 0U);
        QVERIFY(!parse("--batch --no-lanes --listen")->start.capture.lanes);
        QVERIFY(parse("--no-lanes -- prog"));                 // valid with a window, too
        QVERIFY(parse("--batch --lane-pool 1MiB --listen"));  // lanes adapt to the pool
    }

    void acceptsABacklog()
    {
        QVERIFY(!parse("--batch --listen")->start.backlog.bytes);
        QCOMPARE(parse("--batch --backlog 64MiB --listen")->start.backlog.bytes.value(), 64ULL << 20);
        QCOMPARE(parse("--backlog 2GiB --attach a.shm")->start.backlog.bytes.value(), 2ULL << 30);
        QVERIFY(!parse("--batch --backlog 63MiB --listen"));
        QVERIFY(!parse("--batch --listen")->start.maxOverhead);
        QCOMPARE(parse("--batch --max-overhead 2% --listen")->start.maxOverhead.value(), 0.02);
        QCOMPARE(parse("--max-overhead 0.5 --attach a.shm")->start.maxOverhead.value(), 0.005);
        QVERIFY(!parse("--batch --backlog 1025GiB --listen"));
    }

    /// The command line accepts the same sizes as Region::create() and the window.
    void lanesHaveTheLimitsOfRegions()
    {
        const auto least = parse("--batch --lane-pool 128KiB --lane-size 64KiB --listen");
        QVERIFY(least);
        QCOMPARE(least->start.capture.lanePoolBytes, ct::kLanePoolMin);
        QCOMPARE(least->start.capture.laneBytes, ct::kLaneBytesMin);
        const auto most = parse("--batch --lane-pool 1TiB --lane-size 128MiB --listen");
        QVERIFY(most);
        QCOMPARE(most->start.capture.lanePoolBytes, ct::kLanePoolMax);
        QCOMPARE(most->start.capture.laneBytes, ct::kLaneBytesMax);
        const auto tooSmall = parse("--batch --lane-pool 127KiB --lane-size 64KiB --listen");
        QVERIFY(!tooSmall);
        QVERIFY(tooSmall.error().message.find("128KiB to 1TiB") != std::string::npos);
        QVERIFY(!parse("--batch --lane-pool 1025GiB --listen"));
    }

    void regionsOfTheSmallestAndTheLargestPoolCanBeMade()
    {
        for (const std::uint64_t bytes : {ct::kLanePoolMin, ct::kLanePoolMax}) {
            ct::RegionSpec spec;
            spec.stations = 64;
            spec.laneBytes = ct::kLaneBytesMin;
            spec.lanePoolBytes = bytes;
            ct::Result<ct::Region> region = ct::Region::create(spec);
            QVERIFY2(region, region ? "" : region.error().message.c_str());
            QVERIFY(region->remove());
        }
    }

    void acceptsKeepAndDumpOptions()
    {
        const auto time = parse("--batch -o a.jsonl --keep 30s --dump-on death --dump-on finding --listen");
        QVERIFY(time);
        QCOMPARE(*time->keep.seconds, 30.0);
        QVERIFY(!time->keep.bytes && time->dumpOnDeath && time->dumpOnFinding);
        const auto both = parse("--batch -o a.jsonl --keep 2min --keep 64MiB --listen");
        QVERIFY(both);
        QCOMPARE(*both->keep.seconds, 120.0);
        QCOMPARE(*both->keep.bytes, 64ULL << 20);
        QVERIFY(both->keepsOnly() && !both->dumps());
    }

    void acceptsShellCommandsAndEqualsSigns()
    {
        const auto line = ct::parseCommandLine({"--batch", "--cmd=a | b -- c", "--stations=7"});
        QVERIFY(line);
        QCOMPARE(std::get<ct::LaunchSpec>(line->start.what).shellLine, std::string("a | b -- c"));
        QCOMPARE(line->start.capture.stations, 7U);
    }

    void acceptsWindowOptions()
    {
        QVERIFY(std::holds_alternative<std::monostate>(parse("")->start.what));
        QCOMPARE(std::get<ct::OpenRequest>(parse("run.jsonl")->start.what).path, std::string("run.jsonl"));
        QCOMPARE(std::get<ct::AttachRequest>(parse("/x/a.shm")->start.what).regionPath, std::string("/x/a.shm"));
        const auto line = parse("-platform offscreen --screenshot a.png --screenshot-after 0.5 --theme dark -- prog");
        QVERIFY(line);
        QCOMPARE(line->mode, CommandLine::Mode::Window);
        QCOMPARE(line->screenshotPath, std::string("a.png"));
        QCOMPARE(line->screenshotAfterSec, 0.5);
        QCOMPARE(line->theme, CommandLine::Theme::Dark);
        QCOMPARE(line->qtArguments, (std::vector<std::string>{"-platform", "offscreen"}));
    }

    void stationsHaveTheirLimits()
    {
        QCOMPARE(parse("--batch -n 1 --listen")->start.capture.stations, 1U);
        QCOMPARE(parse("--batch -n 2097150 --listen")->start.capture.stations, 2097150U);
    }

    /// The parser, --help and the man page have the same options.
    void helpAndManPageHaveEveryOption()
    {
        QSet<QString> all;
        for (const std::string &name : ct::optionNames())
            all.insert(QString::fromStdString(name));
        QVERIFY(all.size() > 20);
        const auto sorted = [](const QSet<QString> &options) {
            QStringList list(options.begin(), options.end());
            list.sort();
            return list;
        };
        QCOMPARE(sorted(optionsOfHelp()), sorted(all));
        QCOMPARE(sorted(optionsOfManPage()), sorted(all));
    }

    void endingsMayBeInUpperCase()
    {
        QVERIFY(parse("--batch -o O.CTR --listen")->records());
        QVERIFY(parse("--batch -o O.Ctr --limit 10min --session x --listen"));
        for (const char *line : {"--batch -o O.JSONL --listen", "--batch -o O.CSV --listen",
                                 "--batch -o O.SQLite --listen", "--batch -o O.JSONL --keep 10s --listen"}) {
            const auto parsed = parse(line);
            QVERIFY2(parsed, line);
            QVERIFY(!parsed->records());
        }
        const auto region = parse("/x/R.SHM");
        QCOMPARE(std::get<ct::AttachRequest>(region->start.what).regionPath, std::string("/x/R.SHM"));
        QVERIFY(std::holds_alternative<ct::AttachRequest>(parse("--input /x/R.SHM")->start.what));
        QVERIFY(!parse("--batch -o xctr --listen"));
    }

    void listensUntilIdle()
    {
        QVERIFY(parse("--batch --listen --until-idle")->start.capture.untilIdle);
        QVERIFY(!parse("--batch --listen")->start.capture.untilIdle);
    }

    /// The message names the correct way to do what was asked.
    void errorsExplainTheMistake_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("answer");
        const auto row = [](const char *line, const char *answer) {
            QTest::newRow(line) << QString::fromLatin1(line) << QString::fromLatin1(answer);
        };
        row("--batch --input -", "--input - shows a recording in the window, without --batch");
        row("--input - --batch -o a.ctr", "--input - shows a recording in the window, without --batch");
        row("--batch run.ctr", "run.ctr: a recording is shown in the window, without --batch");
        row("--batch RUN.JSONL", "RUN.JSONL: a recording is shown in the window, without --batch");
        row("--batch --input whatever", "--input whatever: a recording is shown in the window, without --batch");
        row("--batch run.ctr --report text", "run.ctr: a recording is shown in the window, without --batch");
        row("--batch --input a.ctr --report xml", "expected one of text, markdown, html, json, sarif, junit");
        row("--batch --input a.ctr --report text -o b.ctr", "-o cannot be used with --batch --input FILE");
        row("--batch --listen --fail-on deadlock,lost", "\"lost\" is not a rule; expected one of any, lost-wakeup, ");
        row("--batch --listen --fail-on deadlock,", "\"\" is not a rule");
        row("--batch --listen --fail-on any --confidence 2", "--confidence 2: expected a number from 0 to 1");
        row("--batch --listen --confidence 1", "--confidence needs --fail-on");
        row("--batch --listen --report-out a", "--report-out needs --report");
        row("--batch --listen --baseline a", "--baseline needs --report or --fail-on");
        row("--batch --listen --fail-on any --threshold late=1",
            "--threshold late=1: late: expected a time, such as 500ms, 2s or 1min");
        row("--batch --listen --report json -o -", "give --report-out FILE");
        row("--batch --listen --report json --summary -", "give --report-out FILE");
        row("--report json a.ctr", "--report needs --batch");
        row("--batch ./server", "./server: a program to start goes after --, as in --batch -- ./server");
        row("--batch --theme dark run.ctr", "run.ctr: a recording is shown in the window");
        row("--batch --listen --theme dark", "--theme cannot be used with --batch, which has no window");
        row("--batch --listen -platform offscreen", "-platform cannot be used with --batch, which has no window");
        row("--batch --attach a.shm --until-idle", "--until-idle needs --listen");
        row("--batch --until-idle -- prog", "--until-idle needs --listen");
        row("--listen --until-idle", "--until-idle needs --batch");
        row("--listen --shm /tmp/a\tb", "the path has a control character");
        row("--listen --sock /tmp/a\x1b[2J", "the path has a control character");
        row("-", "use --input - for a recording from standard input");
        row("--batch -", "use --input - for a recording from standard input");
        row("--listen=yes", "--listen takes no value");
        row("--batch=1 --listen", "--batch takes no value");
        row("--input - run.ctr", "run.ctr and --input - cannot be used together");
        row("--listen run.ctr", "run.ctr and --listen cannot be used together");
    }
    void errorsExplainTheMistake()
    {
        QFETCH(QString, line);
        QFETCH(QString, answer);
        const auto parsed = parse(line.toUtf8().constData());
        QVERIFY(!parsed);
        const QString message = QString::fromStdString(parsed.error().message);
        QVERIFY2(message.contains(answer), qPrintable(message));
    }

    /// Users copy the region's path from a terminal, so the terminal must show the path exactly.
    void refusesUnprintablePathsToCopy_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QString>("answer");
        const QString none;
        const QString utf8 = QStringLiteral("the path is not valid UTF-8");
        const QString control = QStringLiteral("the path has a control character");
        QTest::newRow("plain") << QByteArray("/tmp/a b") << none;
        QTest::newRow("accents") << QByteArray("/tmp/\xC3\xA4") << none;
        QTest::newRow("replacement character") << QByteArray("/tmp/\xEF\xBF\xBD") << none;
        QTest::newRow("zero-width non-joiner") << QByteArray("/tmp/a\xE2\x80\x8C"
                                                             "b")
                                               << none;
        QTest::newRow("emoji with a joiner") << QByteArray("/tmp/\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9") << none;
        QTest::newRow("line break") << QByteArray("/tmp/a\nb") << control;
        QTest::newRow("delete") << QByteArray("/tmp/a\x7F") << control;
        QTest::newRow("first of C1") << QByteArray("/tmp/a\xC2\x80") << control;
        QTest::newRow("control sequence introducer") << QByteArray("/tmp/a\xC2\x9B"
                                                                   "2J")
                                                     << control;
        QTest::newRow("last of C1") << QByteArray("/tmp/a\xC2\x9F") << control;
        QTest::newRow("right-to-left override") << QByteArray("/tmp/a\xE2\x80\xAEgnp") << control;
        QTest::newRow("Arabic letter mark") << QByteArray("/tmp/a\xD8\x9C") << control;
        QTest::newRow("single byte of C1") << QByteArray("/tmp/a\x9B"
                                                         "2J")
                                           << utf8;
        QTest::newRow("cut off") << QByteArray("/tmp/a\xC3") << utf8;
        QTest::newRow("surrogate") << QByteArray("/tmp/\xED\xA0\x80") << utf8;
    }
    void refusesUnprintablePathsToCopy()
    {
        QFETCH(QByteArray, path);
        QFETCH(QString, answer);
        for (const char *option : {"--shm", "--sock"}) {
            const auto parsed = ct::parseCommandLine({"--listen", option, path.toStdString()});
            QCOMPARE(bool(parsed), answer.isEmpty());
            if (parsed)
                continue;
            const QString message = QString::fromStdString(parsed.error().message);
            QVERIFY2(message.startsWith(QLatin1String(option) + u' '), qPrintable(message));
            QVERIFY2(message.contains(answer) && message.contains(QLatin1String("choose another")),
                     qPrintable(message));
        }
    }

    void helpAndVersionHavePriority()
    {
        QCOMPARE(parse("--batch --help")->mode, CommandLine::Mode::Help);
        QCOMPARE(parse("--version")->mode, CommandLine::Mode::Version);
        QCOMPARE(parse("--batch -- prog --help")->mode, CommandLine::Mode::Batch);
    }

    void errorsNameTheArgument_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("named");
        const auto row = [](const char *line, const char *named) {
            QTest::newRow(line) << QString::fromLatin1(line) << QString::fromLatin1(named);
        };
        row("--batch", "--batch");
        row("--batch -n 0 --listen", "-n 0");
        row("--batch -n -5 --listen", "-n -5");
        row("--batch -n 2097151 --listen",
            "-n 2097151: expected a number of stations from 1 to 2097150; programs with");
        row("--batch -n 2097152 --listen", "-n 2097152");
        row("--batch -n 99999999999999999999 --listen", "-n 9999");
        row("--batch --stations 12x --listen", "--stations 12x");
        row("--batch -n", "-n");
        row("--batch --duration 0 --listen", "--duration 0");
        row("--batch --duration -1 --listen", "--duration -1");
        row("--batch --duration nan --listen", "--duration nan");
        row("--batch --duration inf --listen", "--duration inf");
        row("--batch --duration 1s --listen", "--duration 1s");
        row("--batch -o run.txt --listen", "-o run.txt");
        row("--batch --frobnicate --listen", "--frobnicate");
        row("--batch -x --listen", "-x");
        row("--batch --", "--");
        row("--batch --listen --attach a.shm", "--attach");
        row("--batch --listen -- prog", "--listen");
        row("--batch --attach a.shm -n 4", "-n");
        row("--batch a.jsonl", "a.jsonl");
        row("--batch --listen --screenshot a.png", "--screenshot");
        row("-o a.jsonl --listen", "-o");
        row("--theme pink", "--theme pink");
        row("--screenshot-after 3", "--screenshot-after");
        row("--batch -o a.jsonl --summary a.jsonl --listen", "--summary");
        row("--batch --lane-size 63KiB --listen", "--lane-size 63KiB");
        row("--batch --lane-size 1GiB --listen", "--lane-size 1GiB");
        row("--batch --lane-size 16XB --listen", "--lane-size 16XB");
        row("--batch --lane-size -1 --listen", "--lane-size -1");
        row("--batch --lane-pool 1MiB --lane-size 2MiB --listen", "--lane-size");
        row("--batch --backlog 1 --listen", "--backlog 1");
        row("--backlog 1GiB a.ctr", "--backlog");
        for (const char *value : {"0%", "-1%", "101%", "2x", "%", "nan"})
            row(QByteArray("--batch --listen --max-overhead ") + value, "--max-overhead");
        row("--max-overhead 2% a.ctr", "--max-overhead needs a program");
        row("--batch --lane-retention -1 --listen", "--lane-retention -1");
        row("--batch --no-lanes --lane-size 1MiB --listen", "--lane-size");
        row("--batch --lane-pool 1GiB --no-lanes --listen", "--lane-pool");
        row("--batch --lane-retention 1 --no-lanes -- prog", "--lane-retention");
        row("--batch -o a.csv --keep 1s --keep 2s --listen", "--keep 2s");
        row("--batch -o a.csv -o b.csv --listen", "-o b.csv");
        row("--batch -o a.csv --output b.csv --listen", "--output b.csv");
        row("--batch -n 5 --stations=6 --listen", "--stations 6");
        row("--batch --summary a --summary a --listen", "--summary a");
        row("--batch --duration 1 --duration 1 --listen", "--duration 1");
        row("--theme dark --theme light", "--theme light");
        row("-platform offscreen -platform xcb", "-platform");
        row("--batch --attach a.shm --attach b.shm", "--attach b.shm");
        row("--batch -o a.csv --keep 32MiB --keep 1s --keep 64MiB --listen", "--keep 64MiB");
        row("--batch --attach a.shm --no-lanes", "--no-lanes");
        row("--batch --attach a.shm --lane-size 1MiB", "--lane-size");
        row("--batch --keep 30s --listen", "-o");
        row("--batch -o - --keep 30s --listen", "-o");
        row("--batch -o a.csv --keep 30 --listen", "--keep 30");
        row("--batch -o a.csv --keep 0s --listen", "--keep 0s");
        row("--batch -o a.csv --keep lots --listen", "--keep lots");
        row("--batch -o a.csv --dump-on death --listen", "--keep");
        row("--batch -o a.csv --keep 1s --dump-on birth --listen", "--dump-on birth");
        row("--keep 30s -- prog", "--keep");
        row("--csv-for-spreadsheets -- prog", "--csv-for-spreadsheets");
        row("--batch --csv-for-spreadsheets -- prog", "--csv-for-spreadsheets");
        row("--batch --csv-for-spreadsheets -o a.ctr -- prog", "--csv-for-spreadsheets");
        row("--batch --csv-for-spreadsheets -o a.sqlite -- prog", "--csv-for-spreadsheets");
        row("-platform", "-platform");
    }
    void errorsNameTheArgument()
    {
        QFETCH(QString, line);
        QFETCH(QString, named);
        const auto parsed = parse(line.toUtf8().constData());
        QVERIFY(!parsed);
        const QString message = QString::fromStdString(parsed.error().message);
        QVERIFY2(message.contains(named), qPrintable(message));
    }

    void longSocketPathsAreRefused()
    {
        const std::string path = "/tmp/" + std::string(96, 'x');
        const auto given = ct::parseCommandLine({"--batch", "--listen", "--sock", path});
        QVERIFY(!given);
        QVERIFY(given.error().message.find("--sock") != std::string::npos);
        const auto derived = ct::parseCommandLine({"--batch", "--listen", "--shm", path});
        QVERIFY(!derived);
        QVERIFY(derived.error().message.find("--shm") != std::string::npos);
        QVERIFY(ct::parseCommandLine({"--batch", "--listen", "--shm", path, "--sock", "/tmp/s"}));
    }
};

CT_QT_SUITE(CommandLineTest)
#include "tst_commandline.moc"
