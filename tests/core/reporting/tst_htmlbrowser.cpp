// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// HTML reports in a headless Chromium: lists, filters and timelines work with mouse and keyboard, at any size, and
// nothing that the target wrote becomes more than text. CT_PICTURES=FOLDER saves pictures of the pages.
#include "tests/core/reporting/reportscene.h"
#include "tests/support/browser.h"

#include <QFile>

using namespace ct;
using ct::test::Browser;
using ct::test::kHostile;
using ct::test::ReportScene;

namespace {

const char *const kRowCount = "document.querySelectorAll('#rows > div').length";
const char *const kCount = "document.getElementById('count').textContent";
const char *const kRange = "document.getElementById('range').textContent";
const char *const kRuns = "document.querySelectorAll('#timeline rect.run').length";

/// Twenty coroutines that changed threads, with a finding about two of them.
void fill(ReportScene &scene)
{
    scene.addCoroutines(20, 41);
    scene.name(7, "reader of requests");
    scene.addFinding({7, 9}, Severity::Error, "channel 0x10 was signalled 1.20 s ago, and no waiter was woken");
    scene.verdict.abstained = {{Rule::Stall, "the threads of the target are not known", 1}};
}

}  // namespace

class HtmlBrowserTest : public QObject {
    Q_OBJECT

    /// Opens a report. Returns false if the page did not start, or complained.
    bool open(const Report &report, const char *picture = nullptr)
    {
        const QString path = m_folder.filePath(QStringLiteral("report.html"));
        QFile file(path);
        const std::string html = htmlReport(report);
        if (!file.open(QIODevice::WriteOnly) || file.write(html.data(), qint64(html.size())) != qint64(html.size()))
            return false;
        file.close();
        m_browser->open(path);
        if (picture)
            take(picture);
        if (!m_browser->problems().isEmpty())
            qWarning("%s", qPrintable(m_browser->problems().join(u'\n')));
        return m_browser->text("document.documentElement.dataset.ready") == QLatin1String("true") &&
               m_browser->problems().isEmpty() && m_browser->requests().size() == 1;
    }
    void take(const char *name)
    {
        const QString folder = qEnvironmentVariable("CT_PICTURES");
        for (const bool dark : {false, true}) {
            if (folder.isEmpty())
                return;
            m_browser->setDark(dark);
            m_browser->savePicture(folder + u'/' + QLatin1String(name) + QLatin1String(dark ? "-dark.png" : ".png"));
        }
        m_browser->setDark(false);
    }
    /// Sets a control as a user does, by its id.
    void set(const char *id, const QString &value)
    {
        m_browser->evaluate(QStringLiteral("{ const control = document.getElementById('%1'); control.value = %2;"
                                           "control.dispatchEvent(new Event('input', { bubbles: true })); }")
                                .arg(QLatin1String(id), QLatin1Char('"') + value + QLatin1Char('"')));
    }
    void press(const char *id, const char *key)
    {
        m_browser->evaluate(QStringLiteral("document.getElementById('%1').dispatchEvent("
                                           "new KeyboardEvent('keydown', { key: '%2', cancelable: true }))")
                                .arg(QLatin1String(id), QLatin1String(key)));
    }
    void click(const char *selector)
    {
        m_browser->evaluate(QStringLiteral("document.querySelector('%1').click()").arg(QLatin1String(selector)));
    }

    const QTemporaryDir m_folder;
    std::unique_ptr<Browser> m_browser;

private Q_SLOTS:
    void initTestCase()
    {
        if (Browser::program().isEmpty())
            CT_QSKIP("there is no chromium; packaging/bootstrap.sh test-all installs it");
        m_browser = std::make_unique<Browser>();
        QVERIFY(m_browser->isStarted());
    }

    void theListIsFilteredByTextStateAndFinding()
    {
        ReportScene scene;
        fill(scene);
        QVERIFY(open(scene.report(), "one"));
        QCOMPARE(m_browser->text(kCount), QStringLiteral("20 coroutines"));
        set("text", QStringLiteral("READER"));
        QCOMPARE(m_browser->text(kCount), QStringLiteral("1 of 20 coroutines"));
        QCOMPARE(m_browser->text("document.querySelector('#rows span').textContent"), QStringLiteral("7"));
        set("text", QStringLiteral("12"));
        QCOMPARE(m_browser->text(kCount), QStringLiteral("1 of 20 coroutines"));
        set("text", QStringLiteral("no such text"));
        QCOMPARE(m_browser->number(kRowCount), 0);
        set("text", QString());
        set("finding", QStringLiteral("0"));
        QCOMPARE(m_browser->text(kCount), QStringLiteral("2 of 20 coroutines"));
        set("state", QStringLiteral("2"));  // running
        QCOMPARE(m_browser->text(kCount), QStringLiteral("0 of 20 coroutines"));
        set("finding", QString());
        set("state", QStringLiteral("3"));  // suspended
        QCOMPARE(m_browser->text(kCount), QStringLiteral("20 of 20 coroutines").mid(6));
        QVERIFY(m_browser->problems().isEmpty());
    }

    void aHeadSortsTheList()
    {
        ReportScene scene;
        fill(scene);
        scene.addCoroutines(1, 1);
        QVERIFY(open(scene.report()));
        const char *const first = "document.querySelector('#rows span').textContent";
        click("#head button:nth-child(1)");
        QCOMPARE(m_browser->text(first), QStringLiteral("20"));
        click("#head button:nth-child(8)");
        QCOMPARE(m_browser->text(first), QStringLiteral("20"));  // the fewest events
        click("#head button:nth-child(8)");
        QCOMPARE(m_browser->text(first), QStringLiteral("0"));
        click("#head button:nth-child(6)");
        click("#head button:nth-child(6)");
        QCOMPARE(m_browser->text(first), QStringLiteral("7"));  // the only one with a name
    }

    void aTimelineShowsThreadChangesAndZooms()
    {
        ReportScene scene;
        fill(scene);
        QVERIFY(open(scene.report()));
        click("#rows > div:nth-child(3)");
        QCOMPARE(m_browser->text("document.getElementById('details-title').textContent"),
                 QStringLiteral("Coroutine 2"));
        QCOMPARE(m_browser->text("location.hash"), QStringLiteral("#coroutine-2"));
        QCOMPARE(m_browser->number("document.querySelectorAll('#steps tbody tr').length"), 41);
        QCOMPARE(m_browser->number("document.querySelectorAll('#steps tr.move').length"), 19);
        QCOMPARE(m_browser->number("document.querySelectorAll('#timeline text.lane').length"), 2);
        QCOMPARE(m_browser->number(kRuns), 20);
        QCOMPARE(m_browser->number("document.querySelectorAll('#timeline line.move').length"), 19);
        click("[data-zoom=steps]");
        m_browser->evaluate(QStringLiteral("document.getElementById('details').scrollIntoView()"));
        take("timeline");
        const QString steps = m_browser->text(kRange);
        QVERIFY2(steps.endsWith(QLatin1String("40.0 ms")), qPrintable(steps));
        click("[data-zoom=in]");
        click("[data-zoom=in]");
        QVERIFY(m_browser->text(kRange).endsWith(QLatin1String("10.0 ms")));
        QVERIFY(m_browser->number(kRuns) < 8);
        const QString zoomed = m_browser->text(kRange);
        press("timeline", "ArrowRight");
        QVERIFY(m_browser->text(kRange) != zoomed);
        press("timeline", "ArrowLeft");
        QCOMPARE(m_browser->text(kRange), zoomed);
        m_browser->evaluate(QStringLiteral(
            "document.getElementById('timeline').dispatchEvent(new WheelEvent('wheel', { deltaY: -100, ctrlKey: true,"
            "clientX: 700, cancelable: true }))"));
        QVERIFY(m_browser->text(kRange).endsWith(QLatin1String("7.69 ms")));
        for (int i = 0; i < 60; ++i)
            press("timeline", "+");
        QVERIFY(m_browser->text(kRange).endsWith(QLatin1String("100 ns")));
        press("timeline", "0");
        QCOMPARE(m_browser->number(kRuns), 20);
        QVERIFY(m_browser->problems().isEmpty());
    }

    void aWakeEndsTheWaitInTheTimeline()
    {
        ReportScene scene;
        scene.addCoroutines(2, 3);
        Batch batch;
        batch.notes.wakes = {{1, 0, 3, ReportScene::kStart + 30'000 * ReportScene::kStep, 5, 11}};
        scene.consume(batch);
        QVERIFY(open(scene.report()));
        QCOMPARE(m_browser->text("document.querySelector('#rows > div:nth-child(2)').textContent").left(9),
                 QStringLiteral("1runnable"));
        click("#rows > div:nth-child(2)");
        QCOMPARE(m_browser->number("document.querySelectorAll('#timeline rect.runnable').length"), 1);
        QCOMPARE(m_browser->text("document.querySelector('#timeline rect.runnable title').textContent"),
                 QStringLiteral("runnable, 30.0 s"));
        click("#rows > div:nth-child(1)");
        QCOMPARE(m_browser->number("document.querySelectorAll('#timeline rect.runnable').length"), 0);
    }

    void draggingMovesTheTimeline()
    {
        ReportScene scene;
        fill(scene);
        QVERIFY(open(scene.report()));
        click("#rows > div:nth-child(3)");
        click("[data-zoom=steps]");
        for (int i = 0; i < 3; ++i)
            click("[data-zoom=in]");
        m_browser->evaluate(QStringLiteral("document.getElementById('timeline').scrollIntoView()"));
        const int y =
            m_browser->number("Math.round(document.getElementById('timeline').getBoundingClientRect().top) + 30");
        const QString before = m_browser->text(kRange);
        m_browser->moveMouse(600, 700, y, true);
        const QString moved = m_browser->text(kRange);
        QVERIFY(moved != before);
        QVERIFY2(moved.endsWith(QLatin1String("5.00 ms")), qPrintable(moved));
        m_browser->moveMouse(600, 700, y, false);
        QCOMPARE(m_browser->text(kRange), moved);
        m_browser->moveMouse(700, 600, y, true);
        QCOMPARE(m_browser->text(kRange), before);
    }

    void theKeyboardMovesThroughTheList()
    {
        ReportScene scene;
        fill(scene);
        scene.addCoroutines(500, 3);
        QVERIFY(open(scene.report()));
        const char *const title = "document.getElementById('details-title').textContent";
        press("list", "ArrowDown");
        QCOMPARE(m_browser->text(title), QStringLiteral("Coroutine 0"));
        press("list", "End");
        QCOMPARE(m_browser->text(title), QStringLiteral("Coroutine 519"));
        QCOMPARE(m_browser->number("document.querySelectorAll('#rows > div.selected').length"), 1);
        press("list", "ArrowUp");
        QCOMPARE(m_browser->text(title), QStringLiteral("Coroutine 518"));
    }

    void linksOfFindingsLeadToTheirCoroutines()
    {
        ReportScene scene;
        fill(scene);
        QVERIFY(open(scene.report()));
        set("text", QStringLiteral("no such text"));
        click(".members a:nth-child(2)");
        QTRY_COMPARE(m_browser->text("document.getElementById('details-title').textContent"),
                     QStringLiteral("Coroutine 9"));
        QCOMPARE(m_browser->text(kCount), QStringLiteral("20 coroutines"));
        m_browser->evaluate(QStringLiteral("location.hash = '#finding-0'"));
        QTRY_COMPARE(m_browser->text(kCount), QStringLiteral("2 of 20 coroutines"));
    }

    void textsOfTheTargetStayTexts()
    {
        ReportScene scene;
        scene.addCoroutines(2, 3);
        scene.name(0, kHostile);
        Batch batch;
        batch.notes.threadNames = {{5, 11, kHostile}};
        batch.transitions = {
            {ReportScene::kStart + 9 * ReportScene::kStep, 0, 3, 0, 0, 11, SiteId{2}, PointKind::Await, true},
            {ReportScene::kStart + 10 * ReportScene::kStep, 0, 4, 0, 0, 11, SiteId{2}, PointKind::Await, false}};
        scene.consume(batch);
        scene.addFinding({0}, Severity::Error, kHostile, 2);
        scene.verdict.abstained = {{Rule::Stall, kHostile, 1}};
        QVERIFY(open(scene.report({}, CoroutineList::kMost, kHostile), "hostile"));
        click("#rows > div");
        QVERIFY(m_browser->text("document.title") != QLatin1String("owned"));
        QCOMPARE(m_browser->number("document.scripts.length"), 2);  // the tables are still there, and the script
        QCOMPARE(m_browser->number("document.images.length"), 0);
        QCOMPARE(m_browser->text("document.querySelector('#rows span:nth-child(6)').textContent"),
                 QString::fromStdString(printableText(kHostile)));
        QVERIFY(m_browser->problems().isEmpty());
        QCOMPARE(m_browser->requests().size(), 1);
    }

    void thePageCannotReachANetwork()
    {
        ReportScene scene;
        fill(scene);
        QVERIFY(open(scene.report()));
        const QString refused = QStringLiteral(
            "new Promise(done => { const refused = [];"
            "document.addEventListener('securitypolicyviolation', event => { refused.push(event.effectiveDirective);"
            "if (refused.length === 4) done(refused.sort().join()); });"
            "fetch('http://127.0.0.1:9/').catch(() => {});"
            "new Image().src = 'http://127.0.0.1:9/image';"
            "const script = document.createElement('script'); script.text = 'document.title = 1';"
            "document.body.append(script);"
            "const style = document.createElement('style'); style.textContent = 'body { color: red }';"
            "document.body.append(style); })");
        QCOMPARE(m_browser->evaluate(refused).toString(),
                 QStringLiteral("connect-src,img-src,script-src-elem,style-src-elem"));
        QCOMPARE(m_browser->text("document.title"), QStringLiteral("server: coroutine report"));
        m_browser->clearProblems();
    }

    void aHundredThousandCoroutinesAreFiltered()
    {
        ReportScene scene;
        scene.addCoroutines(100'000, 11);
        scene.name(99'999, "the last one");
        QVERIFY(open(scene.report(), "many"));
        qInfo("opened within %d ms",
              m_browser->number("Math.round(performance.getEntriesByType('navigation')[0].loadEventEnd)"));
        QVERIFY(m_browser->number(kRowCount) < 100);
        QVERIFY(m_browser->text(kCount).startsWith(QStringLiteral("100\u202f000 ")));
        m_browser->evaluate(QStringLiteral("begin = performance.now()"));
        set("text", QStringLiteral("the last"));
        qInfo("filtered within %d ms", m_browser->number("Math.round(performance.now() - begin)"));
        QCOMPARE(m_browser->number(kRowCount), 1);
        click("#rows > div");
        QCOMPARE(m_browser->number("document.querySelectorAll('#steps tbody tr').length"), 10);  // a million in all
        QVERIFY(m_browser->text("document.getElementById('cut').textContent").startsWith(QLatin1String("1 earlier")));
        set("text", QString());
        press("list", "End");
        QCOMPARE(m_browser->text("document.querySelector('#rows > div.selected span').textContent"),
                 QStringLiteral("99999"));
        QVERIFY(m_browser->problems().isEmpty());
    }

    void tenThousandFindingsAreFiltered()
    {
        ReportScene scene;
        scene.addCoroutines(10'000, 3);
        for (CoroutineId id = 0; id < 10'000; ++id)
            scene.addFinding({id}, id % 10 == 0 ? Severity::Error : Severity::Warning,
                             "object " + std::to_string(id) + " was signalled");
        QVERIFY(open(scene.report(), "findings"));
        const char *const count = "document.getElementById('finding-count').textContent";
        set("finding-text", QStringLiteral("OBJECT 123"));
        QCOMPARE(m_browser->text(count), QStringLiteral("11 of 10\u202f000"));  // 123 and 1230 to 1239
        set("finding-text", QString());
        m_browser->evaluate(QStringLiteral("document.querySelector('#finding-filter [value=error]').click()"));
        QCOMPARE(m_browser->text(count), QStringLiteral("9\u202f000 of 10\u202f000"));
    }

    void anEmptyRunSaysSo()
    {
        Report report;
        report.target = "server";
        QVERIFY(open(report, "empty"));
        QVERIFY(m_browser->text("document.getElementById('coroutines').innerText")
                    .contains(QLatin1String("The run has no coroutine.")));
    }

    void coloursFollowTheSystem()
    {
        QVERIFY(open(Report()));
        const char *const colour = "getComputedStyle(document.body).backgroundColor";
        const QString light = m_browser->text(colour);
        m_browser->setDark(true);
        const QString dark = m_browser->text(colour);
        m_browser->setDark(false);
        QVERIFY(light != dark);
    }
};

CT_QT_SUITE(HtmlBrowserTest)
#include "tst_htmlbrowser.moc"
