// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reports of the diagnosis: every format is well-formed whatever the target wrote, and says the same.
#include "core/analysis/ruledescriptions.h"
#include "core/reporting/reportformats.h"
#include "tests/support/qtsuite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QXmlStreamReader>

#include <functional>

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
        const QJsonObject sarif = Run().json("sarif");
        QCOMPARE(sarif.value(QLatin1String("version")).toString(), QStringLiteral("2.1.0"));
        const QJsonObject run = sarif.value(QLatin1String("runs")).toArray().at(0).toObject();
        const QJsonObject driver =
            run.value(QLatin1String("tool")).toObject().value(QLatin1String("driver")).toObject();
        QCOMPARE(driver.value(QLatin1String("name")).toString(), QStringLiteral("corotracer-gui"));
        const QJsonArray rules = driver.value(QLatin1String("rules")).toArray();
        QCOMPARE(rules.size(), int{kRules});
        const QJsonArray results = run.value(QLatin1String("results")).toArray();
        QCOMPARE(results.size(), 2);
        QStringList levels;
        for (const QJsonValue value : results) {
            const QJsonObject result = value.toObject();
            const int rule = result.value(QLatin1String("ruleIndex")).toInt(-1);
            QCOMPARE(rules.at(rule).toObject().value(QLatin1String("id")), result.value(QLatin1String("ruleId")));
            levels << result.value(QLatin1String("level")).toString();
            QVERIFY(
                !result.value(QLatin1String("message")).toObject().value(QLatin1String("text")).toString().isEmpty());
            const QJsonObject location = result.value(QLatin1String("locations"))
                                             .toArray()
                                             .at(0)
                                             .toObject()
                                             .value(QLatin1String("physicalLocation"))
                                             .toObject();
            const QString uri =
                location.value(QLatin1String("artifactLocation")).toObject().value(QLatin1String("uri")).toString();
            QVERIFY2(QUrl(uri, QUrl::StrictMode).isValid() && uri.startsWith(QLatin1String("file:///src/")),
                     qPrintable(uri));
            QVERIFY(location.value(QLatin1String("region")).toObject().value(QLatin1String("startLine")).toInt() > 0);
        }
        QCOMPARE(levels, (QStringList{QStringLiteral("error"), QStringLiteral("note")}));
        const QJsonObject invocation = run.value(QLatin1String("invocations")).toArray().at(0).toObject();
        QVERIFY(invocation.value(QLatin1String("executionSuccessful")).toBool());
        const QJsonArray notes = invocation.value(QLatin1String("toolExecutionNotifications")).toArray();
        QCOMPARE(notes.size(), 1);
        QCOMPARE(notes.at(0)[QLatin1String("message")][QLatin1String("text")].toString(),
                 QStringLiteral("not judged, 1: the threads of the target are not known"));
        const QJsonValue rule = notes.at(0)[QLatin1String("associatedRule")];
        QCOMPARE(rules.at(rule[QLatin1String("index")].toInt(-1))[QLatin1String("id")], rule[QLatin1String("id")]);
    }

    /// The schema allows no other members, which services would refuse.
    void sarifHasOnlyMembersOfItsSchema()
    {
        const QHash<QString, QStringList> allowed{
            {QStringLiteral(""), {QStringLiteral("$schema"), QStringLiteral("version"), QStringLiteral("runs")}},
            {QStringLiteral("runs"),
             {QStringLiteral("tool"), QStringLiteral("invocations"), QStringLiteral("results")}},
            {QStringLiteral("invocations"),
             {QStringLiteral("executionSuccessful"), QStringLiteral("toolExecutionNotifications")}},
            {QStringLiteral("toolExecutionNotifications"),
             {QStringLiteral("level"), QStringLiteral("associatedRule"), QStringLiteral("message")}},
            {QStringLiteral("associatedRule"), {QStringLiteral("id"), QStringLiteral("index")}},
            {QStringLiteral("tool"), {QStringLiteral("driver")}},
            {QStringLiteral("driver"), {QStringLiteral("name"), QStringLiteral("rules")}},
            {QStringLiteral("rules"), {QStringLiteral("id"), QStringLiteral("shortDescription")}},
            {QStringLiteral("shortDescription"), {QStringLiteral("text")}},
            {QStringLiteral("results"),
             {QStringLiteral("ruleId"), QStringLiteral("ruleIndex"), QStringLiteral("level"), QStringLiteral("message"),
              QStringLiteral("locations"), QStringLiteral("partialFingerprints"), QStringLiteral("occurrenceCount"),
              QStringLiteral("rank")}},
            {QStringLiteral("message"), {QStringLiteral("text")}},
            {QStringLiteral("locations"), {QStringLiteral("physicalLocation")}},
            {QStringLiteral("physicalLocation"), {QStringLiteral("artifactLocation"), QStringLiteral("region")}},
            {QStringLiteral("artifactLocation"), {QStringLiteral("uri")}},
            {QStringLiteral("region"), {QStringLiteral("startLine")}},
            {QStringLiteral("partialFingerprints"), {QStringLiteral("corotracer/v1")}}};
        std::function<void(const QString &, const QJsonValue &)> check = [&](const QString &name,
                                                                             const QJsonValue &value) {
            if (value.isArray()) {
                for (const QJsonValue element : value.toArray())
                    check(name, element);
            }
            const QJsonObject object = value.toObject();
            for (auto member = object.begin(); member != object.end(); ++member) {
                QVERIFY2(allowed.value(name).contains(member.key()), qPrintable(name + u'.' + member.key()));
                check(member.key(), member.value());
            }
        };
        const QJsonObject sarif = Run().json("sarif");
        check(QString(), sarif);
        for (const QJsonValue value :
             sarif.value(QLatin1String("runs")).toArray().at(0)[QLatin1String("results")].toArray()) {
            const QJsonObject result = value.toObject();
            const double rank = result.value(QLatin1String("rank")).toDouble(-2);
            QVERIFY(rank >= 0 && rank <= 100);
            QVERIFY(result.value(QLatin1String("occurrenceCount")).toInt() >= 1);
        }
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

    void markdownEscapesItsMarkup()
    {
        const QString text = QString::fromStdString(Run().written("markdown"));
        QVERIFY(text.contains(QLatin1String("| error | lost-wakeup | 2 | net::read(int) (my net.cpp:88) | ")));
        QVERIFY(!text.contains(QLatin1String("<b>")));
        for (const QString &line : text.split(u'\n')) {
            if (line.startsWith(QLatin1String("| ")))
                QCOMPARE(QString(line).remove(QLatin1String("\\|")).count(u'|'), 7);
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
