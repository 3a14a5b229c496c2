// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reports of the diagnosis: every format is well-formed whatever the target wrote, and says the same.
#include "core/analysis/ruledescriptions.h"
#include "core/reporting/knownfindings.h"
#include "core/reporting/reportformats.h"
#include "tests/core/reporting/sarifshape.h"
#include "tests/support/qtsuite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QXmlStreamReader>

using namespace ct;

namespace {

const std::string kHostile = "<b>&\"'\\|`*_[x](y)\n\x1b[31m\xff\xe2\x80\xae%";

/// Three coroutines; the first one has a hostile name.
struct Run {
    Population population;
    Verdict verdict;

    Run()
    {
        Batch batch;
        batch.sites = {{1, 88, 1, "/src/my net.cpp", "net::read(int)"}, {2, 9, 1, "/src/" + kHostile, kHostile}};
        for (CoroutineId id = 0; id < 3; ++id) {
            Birth birth;
            birth.coroutine = id;
            birth.pid = 5;
            birth.dialect = Dialect::Lane;
            batch.births.push_back(birth);
        }
        batch.notes.names = {{0, kHostile}};
        static_cast<void>(population.consume(batch));
        verdict.judgedAt = 5'000'000'000;
        Finding lost;
        lost.rule = Rule::LostWakeup;
        lost.severity = Severity::Error;
        lost.confidence = 0.95;
        lost.coroutines = {0, 2};
        lost.site = 1;
        lost.since = 1'000'000'000;
        lost.message = "channel 0x10 was signalled 1.20 s ago, and no waiter was woken";
        lost.evidence = {"coroutine 1 signalled it", kHostile};
        Finding late;
        late.coroutines = {1};
        late.site = 2;
        late.message = kHostile;
        verdict.findings = {lost, late};
        verdict.abstained = {{Rule::Stall, "the threads of the target are not known", 1}};
    }
    Report report() const { return makeReport(verdict, chainGroupsOf(population), population, nullptr, kHostile); }
    std::string written(const char *format) const { return reportFormat(format)->write(report()); }
    QJsonObject json(const char *format) const
    {
        QJsonParseError error;
        const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(written(format)), &error);
        return error.error == QJsonParseError::NoError ? document.object() : QJsonObject();
    }
};

}  // namespace

class ReportsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textSaysWhatWhereAndWhy()
    {
        const QString text = QString::fromStdString(Run().written("text"));
        QVERIFY(text.contains(QLatin1String(
            "\nerror: lost-wakeup: 2 coroutines suspended in net::read(int) (my net.cpp:88): channel 0x10 "
            "was signalled 1.20 s ago, and no waiter was woken\n  - coroutine 1 signalled it\n")));
        QVERIFY(text.contains(QLatin1String("  confidence 95 %, fingerprint ")));
        QVERIFY(text.contains(QLatin1String("\nnot judged:\n  stall, 1: the threads of the target are not known\n")));
        QVERIFY(text.contains(QLatin1String("\n3 x not started, the longest for ")));
        for (const QChar c : text)
            QVERIFY(c == u'\n' || c.isPrint());
    }

    void jsonHasAllFields()
    {
        const Run run;
        const QJsonObject json = run.json("json");
        QCOMPARE(json.value(QLatin1String("judged_at_ns")).toDouble(), 5e9);
        const QJsonArray findings = json.value(QLatin1String("findings")).toArray();
        QCOMPARE(findings.size(), 2);
        const QJsonObject lost = findings.at(0).toObject();
        QCOMPARE(lost.value(QLatin1String("rule")).toString(), QStringLiteral("lost-wakeup"));
        QCOMPARE(lost.value(QLatin1String("severity")).toString(), QStringLiteral("error"));
        QCOMPARE(lost.value(QLatin1String("confidence")).toDouble(), 0.95);
        QCOMPARE(lost.value(QLatin1String("count")).toInt(), 2);
        QCOMPARE(lost.value(QLatin1String("coroutines")).toArray(), QJsonArray({0, 2}));
        const QJsonObject site = lost.value(QLatin1String("site")).toObject();
        QCOMPARE(site.value(QLatin1String("file")).toString(), QStringLiteral("/src/my net.cpp"));
        QCOMPARE(site.value(QLatin1String("line")).toInt(), 88);
        QCOMPARE(site.value(QLatin1String("function")).toString(), QStringLiteral("net::read(int)"));
        QCOMPARE(lost.value(QLatin1String("since_ns")).toDouble(), 1e9);
        QCOMPARE(lost.value(QLatin1String("judged_at_ns")).toDouble(), 5e9);
        QCOMPARE(lost.value(QLatin1String("fingerprint")).toString().size(), 16);
        QVERIFY(!lost.value(QLatin1String("message")).toString().isEmpty());
        const QJsonObject abstained = json.value(QLatin1String("abstained")).toArray().at(0).toObject();
        QCOMPARE(abstained.value(QLatin1String("rule")).toString(), QStringLiteral("stall"));
        QCOMPARE(abstained.value(QLatin1String("count")).toInt(), 1);
    }

    void aFingerprintSurvivesAShiftedLine()
    {
        Run run;
        const std::string before = run.report().findings.front().fingerprint;
        Batch batch;
        batch.sites = {{3, 90, 7, "/other/folder/my net.cpp", "net::read(int)"},
                       {4, 88, 1, "/src/my net.cpp", "net::write(int)"}};
        static_cast<void>(run.population.consume(batch));
        run.verdict.findings.front().site = 3;
        QCOMPARE(run.report().findings.front().fingerprint, before);
        run.verdict.findings.front().site = 4;
        QVERIFY(run.report().findings.front().fingerprint != before);
        run.verdict.findings.front().site = 1;
        run.verdict.findings.front().rule = Rule::NeverRun;
        QVERIFY(run.report().findings.front().fingerprint != before);
    }

    void findingsAtUnknownLocationsHaveTheirOwnFingerprints()
    {
        Run run;
        Finding &finding = run.verdict.findings.front();
        finding.site = kUnknownSite;
        finding.addr = 0x10;
        const std::string before = run.report().findings.front().fingerprint;
        finding.addr = 0x20;
        QVERIFY(run.report().findings.front().fingerprint != before);
    }

    void sarifFollowsItsSchema()
    {
        Run hostile;
        hostile.verdict.abstained.push_back({Rule::LostWakeup, kHostile, 2});
        Run empty;
        empty.verdict.findings.clear();
        empty.verdict.abstained.clear();
        Run unknown;  // no location, no coroutines
        unknown.verdict.findings.front().site = kUnknownSite;
        unknown.verdict.findings.back().coroutines.clear();
        for (const Run *run : {&hostile, &empty, &unknown})
            QCOMPARE(test::SarifShape().errorsOf(run->written("sarif")), QStringList());
    }

    void sarifHasFindingsAndAbstentions()
    {
        const QJsonObject sarif = Run().json("sarif");
        const QJsonObject run = sarif.value(QLatin1String("runs")).toArray().at(0).toObject();
        QCOMPARE(run[QLatin1String("tool")][QLatin1String("driver")][QLatin1String("rules")].toArray().size(),
                 int{kRules});
        QStringList levels;
        for (const QJsonValue result : run.value(QLatin1String("results")).toArray()) {
            levels << result[QLatin1String("level")].toString();
            const QJsonValue location =
                result[QLatin1String("locations")].toArray().at(0)[QLatin1String("physicalLocation")];
            QVERIFY(location[QLatin1String("artifactLocation")][QLatin1String("uri")].toString().startsWith(
                QLatin1String("file:///src/")));
        }
        QCOMPARE(levels, (QStringList{QStringLiteral("error"), QStringLiteral("note")}));
        const QJsonObject invocation = run.value(QLatin1String("invocations")).toArray().at(0).toObject();
        QVERIFY(invocation.value(QLatin1String("executionSuccessful")).toBool());
        const QJsonArray notes = invocation.value(QLatin1String("toolExecutionNotifications")).toArray();
        QCOMPARE(notes.size(), 1);
        QCOMPARE(notes.at(0)[QLatin1String("message")][QLatin1String("text")].toString(),
                 QStringLiteral("not judged, 1: the threads of the target are not known"));
    }

    /// Names of C++ have braces and brackets, which stand for arguments and links in a message.
    void sarifMessagesShowNamesAsTheyAre()
    {
        Run run;
        run.verdict.findings.front().message = "{anonymous}::operator[] [x](javascript:y) a\\b";
        QVERIFY(run.written("sarif").find(R"({{anonymous}}::operator\\[\\] \\[x\\](javascript:y) a\\\\b)") !=
                std::string::npos);
    }

    void findingsNameTheirProcessWhereThereAreSeveral()
    {
        Run run;
        QVERIFY(run.written("text").find("process") == std::string::npos);
        const QString before = QString::fromStdString(run.report().findings.front().fingerprint);
        Batch batch;
        batch.births.push_back({3, kFirstLaneStation + 3, 0, 6, Dialect::Lane, 3, 1});
        batch.notes.processes = {{5, 1, "server"}, {6, 1, kHostile}};
        static_cast<void>(run.population.consume(batch));
        Finding other = run.verdict.findings.front();
        other.coroutines = {3};
        Finding both = other;
        both.coroutines = {0, 3};
        run.verdict.findings = {run.verdict.findings.front(), other, both};
        const Report report = run.report();
        QVERIFY(
            sentenceOf(report.findings[0]).starts_with("2 coroutines of process server (5) suspended in net::read"));
        QCOMPARE(report.findings[1].pid, 6U);
        QCOMPARE(report.findings[2].pid, 0U);
        QVERIFY(sentenceOf(report.findings[2]).starts_with("2 coroutines suspended in net::read"));
        // A baseline is of the program, whatever processes a run has.
        for (const ReportedFinding &reported : report.findings)
            QCOMPARE(QString::fromStdString(reported.fingerprint), before);
        const QJsonArray findings = run.json("json").value(QLatin1String("findings")).toArray();
        QCOMPARE(findings.at(0)[QLatin1String("pid")].toInt(), 5);
        QCOMPARE(findings.at(1)[QLatin1String("pid")].toInt(), 6);
        const QJsonArray results =
            run.json("sarif").value(QLatin1String("runs")).toArray().at(0)[QLatin1String("results")].toArray();
        QCOMPARE(results.at(1)[QLatin1String("properties")][QLatin1String("pid")].toInt(), 6);
        QCOMPARE(test::SarifShape().errorsOf(run.written("sarif")), QStringList());
        for (const char *format : {"text", "junit", "html"})
            QVERIFY2(run.written(format).find("of process server (5)") != std::string::npos, format);
        QVERIFY(run.written("markdown").find(", process server (5) |") != std::string::npos);
    }

    /// A known information must not hide the error that comes later.
    void aKnownFindingCoversNoMoreSevereOne()
    {
        KnownFindings known;
        known.add("a", Severity::Info);
        known.add("b", Severity::Error);
        known.add("b", Severity::Info);
        known.add("c", severityNamed("warning"));
        known.add("d", severityNamed(""));
        QVERIFY(known.cover("a", Severity::Info) && !known.cover("a", Severity::Warning));
        QVERIFY(known.cover("b", Severity::Error) && known.cover("b", Severity::Info));
        QVERIFY(known.cover("c", Severity::Warning) && !known.cover("c", Severity::Error));
        QVERIFY(known.cover("d", Severity::Info) && !known.cover("d", Severity::Warning));
        QVERIFY(!known.cover("e", Severity::Info));
        QCOMPARE(severityNamed("error"), Severity::Error);
    }

    void stacksCountNoStoppedTimes()
    {
        Population population;
        Batch batch;
        batch.births.push_back({0, 0, 0, 5, Dialect::Lane, 0, 1});
        batch.transitions.push_back({1'000'000'000, 0, 0, 0, 0, 7, kUnknownSite, PointKind::Await, false});
        batch.notes.processSamples = {{5, 2'000'000'000, 0, 1, 2'000'000'000}};
        static_cast<void>(population.consume(batch));
        const std::vector<ReportedStack> stacks =
            reportedStacks(chainGroupsOf(population), 9'000'000'000, population, nullptr);
        QCOMPARE(stacks.size(), std::size_t{1});
        QCOMPARE(stacks[0].longestNs, std::uint64_t{1'000'000'000});
    }

    void aRelativeFileInSarifIsNoScheme()
    {
        Run run;
        Batch batch;
        batch.sites = {{3, 1, 1, "c:net.cpp", "f()"}, {4, 1, 1, "src/c:net.cpp", "f()"}};
        static_cast<void>(run.population.consume(batch));
        run.verdict.findings.front().site = 3;
        QVERIFY(run.written("sarif").find("\"uri\": \"./c:net.cpp\"") != std::string::npos);
        run.verdict.findings.front().site = 4;
        QVERIFY(run.written("sarif").find("\"uri\": \"src/c:net.cpp\"") != std::string::npos);
    }

    void junitHasOneCaseForEachRuleAndFinding()
    {
        QXmlStreamReader xml(QString::fromStdString(Run().written("junit")));
        int cases = 0;
        int failures = 0;
        int skipped = 0;
        int declared = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement)
                continue;
            if (xml.name() == QLatin1String("testsuite"))
                declared = xml.attributes().value(QLatin1String("tests")).toInt();
            cases += xml.name() == QLatin1String("testcase") ? 1 : 0;
            failures += xml.name() == QLatin1String("failure") ? 1 : 0;
            skipped += xml.name() == QLatin1String("skipped") ? 1 : 0;
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(cases, int{kRules});  // information is no failure
        QCOMPARE(declared, cases);
        QCOMPARE(failures, 1);
        QCOMPARE(skipped, 1);
    }

    /// Services follow a test case by its name.
    void junitNamesDoNotChangeFromRunToRun()
    {
        Run run;
        run.verdict.findings.push_back(run.verdict.findings.front());
        run.verdict.abstained.push_back({Rule::Stall, "another reason", 3});
        const auto names = [&run] {
            QStringList all;
            QXmlStreamReader xml(QString::fromStdString(run.written("junit")));
            while (!xml.atEnd())
                if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("testcase"))
                    all << xml.attributes().value(QLatin1String("name")).toString();
            return all;
        };
        const QStringList before = names();
        QVERIFY(before.contains(QLatin1String("net::read(int) (my net.cpp)")));
        QVERIFY(before.contains(QLatin1String("net::read(int) (my net.cpp), 2")));
        QVERIFY(before.contains(QLatin1String("not judged")) && before.contains(QLatin1String("not judged, 2")));
        Batch batch;
        batch.sites = {{3, 90, 7, "/src/my net.cpp", "net::read(int)"}};
        static_cast<void>(run.population.consume(batch));
        run.verdict.findings.front().site = 3;
        run.verdict.findings.front().coroutines.pop_back();
        run.verdict.abstained.front().count = 168;
        QCOMPARE(names(), before);
    }

    void markdownEscapesItsMarkup()
    {
        const QString text = QString::fromStdString(Run().written("markdown"));
        QVERIFY(text.contains(QLatin1String("| error | lost-wakeup | 2 | net::read(int) (my net.cpp:88) | ")));
        QVERIFY(!text.contains(QLatin1String("<b>")));
        for (const QString &line : text.split(u'\n')) {
            if (line.startsWith(QLatin1String("| ")))
                QCOMPARE(QString(line).remove(QLatin1String("\\|")).count(u'|'), 8);
        }
    }

    void findingsOfOneResolvedLocationAreOne()
    {
        auto population = std::make_shared<Population>();
        Batch batch;
        std::vector<FrameLocation> frames;
        Verdict verdict;
        for (CoroutineId id = 0; id < 3; ++id) {
            const std::uint64_t frame = 0x1000 + 64 * id;
            batch.births.push_back({id, id, 1, 0, Dialect::Seqlock, id, 1});
            batch.transitions.push_back({100, frame, 0, 2, id, 7, kUnknownSite, PointKind::Await, false});
            frames.push_back({id, frame, 100, 0, id == 2 ? 20U : 12U, 3, "/src/server.cpp", "serve(int)"});
            Finding finding;
            finding.coroutines = {id};
            finding.addr = frame;
            finding.since = 100;
            verdict.findings.push_back(finding);
        }
        static_cast<void>(population->consume(batch));
        AddressResolver resolver(std::make_shared<SymbolWorker>(), population);
        resolver.addFrames(frames);
        const Report report = makeReport(verdict, chainGroupsOf(*population), *population, &resolver, "x");
        QCOMPARE(report.findings.size(), std::size_t{2});
        QCOMPARE(report.findings[0].finding.coroutines, (std::vector<CoroutineId>{0, 1}));
        QCOMPARE(report.findings[0].line, 12U);
        QCOMPARE(report.findings[1].line, 20U);
        QCOMPARE(report.stacks.size(), std::size_t{2});
        QCOMPARE(report.stacks[0].count, std::uint64_t{2});
        QCOMPARE(report.stacks[0].links, std::vector<std::string>{"serve(int) (server.cpp:12)"});
        QCOMPARE(report.stacks[0].coroutines, (std::vector<CoroutineId>{0, 1}));
        QVERIFY(QString::fromStdString(textReport(report)).endsWith(QString::fromStdString(stacksText(report.stacks))));
        QVERIFY(stacksText(report.stacks).find("\n2 x waits, the longest for") != std::string::npos);
        QCOMPARE(stacksText({}), std::string());
        ReportedStack recursion;
        recursion.links = {"read (a.cpp:1)", "walk (a.cpp:2)", "walk (a.cpp:2)", "walk (a.cpp:2)", "run (a.cpp:3)"};
        QCOMPARE(foldedLinks(recursion),
                 (std::vector<std::string>{"read (a.cpp:1)", "walk (a.cpp:2), 3 times", "run (a.cpp:3)"}));
    }
};

CT_QT_SUITE(ReportsTest)
#include "tst_reports.moc"
