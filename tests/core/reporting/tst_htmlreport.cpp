// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// HTML reports: the file is whole and safe whatever the target wrote, its data are those of the run, and it says what
// it leaves out. tst_htmlbrowser opens it.
#include "core/reporting/base64.h"
#include "core/reporting/htmldata.h"
#include "tests/core/reporting/reportscene.h"
#include "tests/support/qtsuite.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace ct;
using ct::test::kHostile;
using ct::test::ReportScene;

namespace {

/// The text between the first `begin` and the next `end`.
QByteArray between(const QByteArray &text, const char *begin, const char *end)
{
    const int from = text.indexOf(begin);
    const int to = from < 0 ? -1 : text.indexOf(end, from + int(qstrlen(begin)));
    return to < 0 ? QByteArray() : text.mid(from + int(qstrlen(begin)), to - from - int(qstrlen(begin)));
}

QByteArray hashOf(const QByteArray &text)
{
    return QCryptographicHash::hash(text, QCryptographicHash::Sha256).toBase64();
}

/// Reads the numbers of htmldata.h.
class Numbers {
public:
    explicit Numbers(const std::string &bytes) : m_bytes(bytes) {}
    std::uint64_t next()
    {
        std::uint64_t number = 0;
        for (int shift = 0; m_at < m_bytes.size(); shift += 7) {
            const auto byte = static_cast<unsigned char>(m_bytes[m_at++]);
            number |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80)
                break;
        }
        return number;
    }
    std::int64_t nextSigned()
    {
        const std::uint64_t number = next();
        const auto magnitude = static_cast<std::int64_t>(number / 2);
        return number % 2 != 0 ? -magnitude : magnitude;
    }
    bool atEnd() const { return m_at == m_bytes.size(); }

private:
    const std::string &m_bytes;
    std::size_t m_at = 0;
};

}  // namespace

class HtmlReportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void base64FollowsTheStandard()
    {
        for (const char *text : {"", "a", "ab", "abc", "abcd", "\xff\xfe\xfd\x3e"})
            QCOMPARE(QByteArray::fromStdString(base64(text)), QByteArray(text).toBase64());
    }

    void thePolicyAllowsThisScriptAndStyleOnly()
    {
        ReportScene scene;
        scene.addCoroutines(3, 3);
        const QByteArray html = QByteArray::fromStdString(htmlReport(scene.report()));
        const QByteArray policy = between(html, "http-equiv=\"Content-Security-Policy\" content=\"", "\">");
        QVERIFY(policy.startsWith("default-src 'none'; "));
        QVERIFY(policy.contains("script-src 'sha256-" + hashOf(between(html, "\n<script>", "</script>")) + "';"));
        QVERIFY(policy.contains("style-src 'sha256-" + hashOf(between(html, "<style>", "</style>")) + "';"));
        QVERIFY(!between(html, "\n<script>", "</script>").isEmpty());
        QVERIFY(!html.contains("{{"));
        QCOMPARE(html.count("http:"), 1);  // the namespace of SVG, which is no address
        for (const char *remote : {"https:", "src=\"", "@import", "url("})
            QVERIFY2(!html.contains(remote), remote);
    }

    void textsOfTheTargetAreNoMarkup()
    {
        ReportScene scene;
        scene.addCoroutines(2, 3);
        scene.name(0, kHostile);
        scene.addFinding({0}, Severity::Error, kHostile, 2);
        scene.verdict.abstained = {{Rule::Stall, kHostile, 1}};
        const QByteArray html = QByteArray::fromStdString(htmlReport(scene.report({}, CoroutineList::kMost, kHostile)));
        QVERIFY(html.contains("&lt;/script&gt;"));
        QCOMPARE(html.count("<script"), 4);
        QCOMPARE(html.count("</script>"), 4);
        QVERIFY(!html.contains("<img"));
        QVERIFY(!html.contains('\x1b'));
        QCOMPARE(QString::fromUtf8(html).toUtf8(), html);
        const QByteArray tables = between(html, "id=\"data-tables\">", "</script>");
        QVERIFY(!tables.contains('<') && !tables.contains('&'));
        const QJsonArray texts = QJsonDocument::fromJson(tables).object().value(QLatin1String("texts")).toArray();
        QVERIFY(texts.contains(QString::fromStdString(printableText(kHostile))));
    }

    void theDataAreThoseOfTheRun()
    {
        ReportScene scene;
        scene.addCoroutines(3, 5);
        scene.name(1, "reader");
        scene.addFinding({2}, Severity::Error, "is lost");
        const Report report = scene.report();
        const HtmlData data = htmlData(report);
        const QJsonObject tables = QJsonDocument::fromJson(QByteArray::fromStdString(data.tables)).object();
        const QJsonArray texts = tables.value(QLatin1String("texts")).toArray();
        QCOMPARE(tables.value(QLatin1String("count")).toInt(), 3);
        QCOMPARE(tables.value(QLatin1String("findings")).toArray(), QJsonArray{QJsonArray{2}});
        Numbers numbers(data.coroutines);
        std::size_t bytes = 0;
        for (int id = 0; id < 3; ++id) {
            QCOMPARE(numbers.next(), std::uint64_t(id == 0 ? 0 : 1));
            QCOMPARE(tables.value(QLatin1String("states")).toArray().at(int(numbers.next())).toString(),
                     QStringLiteral("suspended"));
            QCOMPARE(texts.at(int(numbers.next())).toString(), QStringLiteral("net::read(int)"));
            QCOMPARE(texts.at(int(numbers.next())).toString(), QStringLiteral("net::read(int) (net.cpp:88)"));
            QCOMPARE(texts.at(int(numbers.next())).toString(), QLatin1String(id == 1 ? "reader" : ""));
            QCOMPARE(tables.value(QLatin1String("threads")).toArray().at(int(numbers.next())).toString(),
                     QStringLiteral("11"));
            QCOMPARE(numbers.nextSigned(), std::int64_t(id * 1000 + 5 * ReportScene::kStep));
            QCOMPARE(numbers.next(), std::uint64_t{1});
            QCOMPARE(numbers.nextSigned(), std::int64_t(id * 1000));
            QCOMPARE(numbers.next(), std::uint64_t{5});
            QCOMPARE(numbers.next(), std::uint64_t{0});
            QCOMPARE(numbers.next(), std::uint64_t{5});
            bytes += numbers.next();
        }
        QVERIFY(numbers.atEnd());
        QCOMPARE(bytes, data.steps.size());
        Numbers steps(data.steps);
        for (int id = 0; id < 3; ++id) {
            for (std::uint64_t n = 0; n < 5; ++n) {
                QCOMPARE(steps.nextSigned(), std::int64_t(ReportScene::kStep + (n == 0 ? id * 1000 : 0)));
                const std::uint64_t tag = steps.next();
                QCOMPARE(tag % 8, std::uint64_t{n % 2});  // suspended, resumed, ...
                const QString thread = tables.value(QLatin1String("threads")).toArray().at(int(tag / 8)).toString();
                QCOMPARE(thread, QString::number(11 + (n + 1) / 2 % 2));
                if (n % 2 == 0)
                    QCOMPARE(texts.at(int(steps.next())).toString(), QStringLiteral("net::read(int) (net.cpp:88)"));
            }
        }
        QVERIFY(steps.atEnd());
    }

    void threadsHaveNamesAndProcesses()
    {
        ReportScene scene;
        scene.addCoroutines(1, 1);
        Batch batch;
        batch.notes.threadNames = {{5, 11, "worker"}};
        scene.consume(batch);
        QCOMPARE(scene.report().run.threads, std::vector<std::string>{"worker (11)"});
        batch.clear();
        batch.births = {{1, kFirstLaneStation + 1, 0, 6, Dialect::Lane, 1, ReportScene::kStart}};
        scene.consume(batch);
        QCOMPARE(scene.report().run.threads, (std::vector<std::string>{"worker (5/11)", ""}));
    }

    void extremeTimesAreBounded()
    {
        ReportScene scene;
        Batch batch;
        batch.births = {{0, kFirstLaneStation, 0, 5, Dialect::Lane, 0, 1}};
        batch.transitions = {{~std::uint64_t{0}, 0, 0, 0, 0, 11, SiteId{1}, PointKind::Await, false}};
        scene.consume(batch);
        scene.verdict.judgedAt = ~std::uint64_t{0};
        const HtmlData data = htmlData(scene.report());
        Numbers steps(data.steps);
        QCOMPARE(steps.nextSigned(), std::int64_t{1} << 51);
        const QJsonObject tables = QJsonDocument::fromJson(QByteArray::fromStdString(data.tables)).object();
        QCOMPARE(tables.value(QLatin1String("judged")).toDouble(), double(std::int64_t{1} << 51));
    }

    void theLatestStepsUpToTheVerdictAreListed()
    {
        ReportScene scene;
        scene.addCoroutines(2, 101);
        scene.verdict.judgedAt = ReportScene::kStart + 50 * ReportScene::kStep + 500;  // event 50 of coroutine 0
        scene.addFinding({1}, Severity::Error, "is lost");
        Report report = scene.report({10, 1000});
        QCOMPARE(report.run.coroutines.front().steps, std::size_t{10});
        QCOMPARE(report.run.steps[9].ts, ReportScene::kStart + 50 * ReportScene::kStep);
        QCOMPARE(report.run.coroutines.front().stepsCut, std::uint64_t{91});
        QCOMPARE(report.run.stepsCut, std::uint64_t{182});
        QVERIFY(QByteArray::fromStdString(htmlReport(report)).contains("182 earlier events are not in the timelines"));

        scene.verdict.judgedAt = ReportScene::kStart + 1000 * ReportScene::kStep;
        report = scene.report({100, 120});  // coroutines of findings first
        QCOMPARE(report.run.coroutines.at(1).steps, std::size_t{100});
        QCOMPARE(report.run.coroutines.at(0).steps, std::size_t{20});
        report = scene.report({1000, 0});
        QCOMPARE(report.run.steps.size(), std::size_t{0});
        QCOMPARE(report.run.stepsCut, std::uint64_t{202});
    }

    void coroutinesWithFewStepsLeaveRoomForOthers()
    {
        ReportScene scene;
        scene.addCoroutines(1, 3);
        scene.addCoroutines(2, 200);
        const Report report = scene.report({1000, 103});
        QCOMPARE(report.run.coroutines.at(0).steps, std::size_t{3});
        QCOMPARE(report.run.coroutines.at(1).steps, std::size_t{50});
        QCOMPARE(report.run.coroutines.at(2).steps, std::size_t{50});
    }

    void coroutinesOfFindingsAreListedFirst()
    {
        ReportScene scene;
        scene.addCoroutines(4, 1);
        Batch batch;
        batch.deaths = {{0, ReportScene::kStart + 9'000'000}, {1, ReportScene::kStart + 9'000'000}};
        scene.consume(batch);
        scene.addFinding({0}, Severity::Error, "is lost");
        const Report report = scene.report({}, 2);
        QCOMPARE(report.run.coroutines.size(), std::size_t{2});
        QCOMPARE(report.run.coroutines[0].id, CoroutineId{0});
        QCOMPARE(report.run.coroutines[1].id, CoroutineId{2});  // alive
        QCOMPARE(report.run.notListed, std::uint64_t{2});
        QCOMPARE(report.run.alive, std::uint64_t{2});
        QVERIFY(QByteArray::fromStdString(htmlReport(report)).contains("2 coroutines are not listed"));
        QCOMPARE(scene.report({}, 4).run.notListed, std::uint64_t{0});
    }

    void anEmptyRunIsAPage()
    {
        const Report report;
        const QByteArray html = QByteArray::fromStdString(htmlReport(report));
        QVERIFY(html.contains("No rule found anything."));
        QVERIFY(html.contains("No coroutine is alive."));
        QVERIFY(html.endsWith("</html>\n"));
    }
};

CT_QT_SUITE(HtmlReportTest)
#include "tst_htmlreport.moc"
