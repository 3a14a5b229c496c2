// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The panel of findings, driven by clicks and keys: the list, the evidence card, mutes, and notifications.
#include "tests/support/findings.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/findingsdock.h"
#include "ui/format/theme.h"
#include "ui/widgets/waithistogram.h"

#include <QComboBox>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSplitter>
#include <QTextBrowser>
#include <QTreeView>

using namespace ct;
using Model = FindingsModel;
using test::findingOf;
using test::judgementOf;
using test::NotedTarget;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLock = 0x7f4711001000;

/// A server of which some readers wait for a signal that came: reader 2 has waited longest.
struct Panel {
    NotedTarget target;
    SiteId read = target.site("net::async_read(int)", "/src/net.cpp", 88);
    SiteId lock = target.site("cache::lock()", "/src/cache.cpp", 12);
    FindingsDock dock;
    QTreeView *tree = dock.findChild<QTreeView *>(QStringLiteral("findingsTree"));
    QTextBrowser *evidence = dock.findChild<QTextBrowser *>(QStringLiteral("findingEvidence"));
    QSignalSpy selected{&dock, &FindingsDock::coroutineSelected};
    QSignalSpy appeared{&dock, &FindingsDock::appeared};

    explicit Panel(bool isLive = true, int width = 560, int height = 720)
    {
        target.process(NotedTarget::kPid, "server");
        target.thread(101, "worker-1");
        const CoroutineId handler = target.born(kNoCoroutine, "handler");
        for (CoroutineId id = 1; id < 6; ++id)
            target.born(handler, "reader-" + std::to_string(id));
        for (int round = 0; round < 200; ++round) {
            target.suspend(1, read);
            target.commit((round % 3 + 1) * NotedTarget::kMs);
            target.resume(1);
            target.commit(NotedTarget::kMs / 4);
        }
        for (CoroutineId id = 2; id < 6; ++id) {
            target.suspend(id, read);
            target.waits(id, WaitKind::Channel, kLock);
            target.commit(kSecond);
        }
        target.suspend(handler, lock);
        target.waits(handler, WaitKind::Coroutine, 0, 2);
        target.batch.notes.uses = {{1, 1, UseKind::Signalled, kLock, read, target.now, NotedTarget::kPid, 101}};
        target.commit(8 * kSecond);
        dock.resize(width, height);
        dock.setTrace({target.population, target.data, target.history, nullptr, QStringLiteral("run"), isLive, true});
        dock.setOrigin(5'000'000'000'000, 0);
        dock.setInstant(QStringLiteral("at present"));
        dock.show();
    }
    ReportedFinding lost(std::vector<CoroutineId> coroutines = {2, 3, 4, 5}) const
    {
        return findingOf(target, Rule::LostWakeup, Severity::Warning, read, std::move(coroutines));
    }
    ReportedFinding deadlock() const { return findingOf(target, Rule::Deadlock, Severity::Error, lock, {0}); }
    ReportedFinding unusual() const { return findingOf(target, Rule::NeverStarted, Severity::Info, lock, {1}); }
    void judge(std::vector<ReportedFinding> findings) { dock.setJudgement(judgementOf(target, std::move(findings))); }
    QString text(int row, int column) const { return tree->model()->index(row, column).data().toString(); }
    void click(const QModelIndex &index)
    {
        tree->scrollTo(index);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(index).center());
    }
    QString label(const char *name) const { return dock.findChild<QLabel *>(QLatin1String(name))->text(); }
    QString card() const
    {
        QString all = label("findingTitle") + u'\n' + label("findingRule") + u'\n' + evidence->toPlainText();
        return all.replace(QChar(0xA0), u' ').replace(QChar(0x202F), u' ');
    }
    void mute(const QString &reason)
    {
        QVERIFY(gui::click(&dock, "findingMute"));
        auto *dialog = gui::topLevel<QInputDialog>("muteDialog");
        QVERIFY(dialog);
        auto *edit = dialog->findChild<QLineEdit *>();
        QTest::keyClicks(edit, reason);
        QTest::keyClick(edit, Qt::Key_Return);
    }
    void takePictures(const char *name)
    {
        gui::takePicture(&dock, name);
        applyTheme(Theme::Dark);
        QCoreApplication::processEvents();
        gui::takePicture(&dock, (std::string(name) + "-dark").c_str());
        applyTheme(Theme::Light);
    }
};

}  // namespace

class TestFindingsDock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        applyTheme(Theme::Light);
    }

    void nothingFoundIsSaid()
    {
        Panel panel;
        QCOMPARE(panel.label("findingsEmpty"), QStringLiteral("Not judged yet"));
        auto judgement = judgementOf(panel.target, {});
        judgement->abstained = {{Rule::LostWakeup, "no report tells whether what they wait for has come", 15},
                                {Rule::Stall, "what the threads of the process do is not known", 1}};
        panel.dock.setJudgement(judgement);
        QCOMPARE(panel.label("findingsEmpty"), QStringLiteral("Nothing was found at present"));
        QCOMPARE(panel.dock.windowTitle(), QStringLiteral("Lost wake-ups"));
        const QString abstained = panel.label("findingsAbstained");
        QVERIFY2(abstained.contains(QLatin1String("Lost wake-up (15): no report tells")) &&
                     abstained.contains(QLatin1String("Stall (1): what the threads")),
                 qPrintable(abstained));
        panel.takePictures("findings-empty");
    }

    void retractedReportsAreCounted()
    {
        Panel panel;
        const auto *retracted = panel.dock.findChild<QLabel *>(QStringLiteral("findingsRetracted"));
        panel.judge({});
        QVERIFY(retracted->isHidden());
        auto judgement = judgementOf(panel.target, {panel.lost()});
        judgement->retractions = {1250, 3};
        panel.dock.setJudgement(judgement);
        QVERIFY(retracted->isVisible());
        QCOMPARE(panel.label("findingsRetracted").replace(QChar(0x202F), u' '),
                 QStringLiteral("Retracted: 3 of 1 250 coroutines reported as lost ran later"));
        panel.takePictures("findings-retracted");
        panel.dock.setTrace({});
        QVERIFY(retracted->isHidden());
    }

    void oneFindingHasACard()
    {
        Panel panel;
        panel.judge({panel.lost()});
        QCOMPARE(panel.dock.windowTitle(), QStringLiteral("Lost wake-ups (1)"));
        QCOMPARE(panel.text(0, Model::SeverityColumn), QStringLiteral("Warning"));
        QCOMPARE(panel.text(0, Model::RuleColumn), QStringLiteral("Lost wake-up"));
        QCOMPARE(panel.text(0, Model::WhereColumn), QStringLiteral("async_read net.cpp:88"));
        QCOMPARE(panel.text(0, Model::CountColumn), QStringLiteral("4"));
        QCOMPARE(panel.text(0, Model::GrowthColumn), QStringLiteral("+1"));
        const QString card = panel.card();
        for (const char *part :
             {"4 coroutines suspended at async_read net.cpp:88, the first since +",
              "; before that, 99 % came back within", "Lost wake-up, warning, 75 % sure",
              "suspended for 12 s, and earlier waits there took at most 3 ms", "Last transitions of reader-2 #2",
              "suspended at async_read net.cpp:88", "channel 0x7f4711001000", "signalled 8.0", "by reader-1 #1",
              "handler #0 at lock cache.cpp:12 awaits", "which waits for channel", "What would change the verdict"})
            QVERIFY2(card.contains(QLatin1String(part)),
                     qPrintable(QLatin1String(part) + QStringLiteral(" in ") + card));
        QVERIFY(panel.dock.findChild<WaitHistogram *>()->isVisible());
        QVERIFY(panel.selected.isEmpty());  // the first row was not chosen by the user
        panel.takePictures("findings-one");
        for (const int width : {300, 560, 1200, 1800}) {
            panel.dock.resize(width, 420);
            QCoreApplication::processEvents();
            const int columns = panel.tree->header()->length();
            const int room = panel.tree->viewport()->width();
            QVERIFY2(width < 560 || columns <= room,
                     qPrintable(QStringLiteral("%1 in %2 of %3").arg(columns).arg(room).arg(width)));
            QCOMPARE(panel.tree->isColumnHidden(Model::SinceColumn), width < 1800);
            gui::takePicture(&panel.dock, ("findings-" + std::to_string(width)).c_str());
        }
    }

    void aCoroutineOfTwoFindingsCountsOnce()
    {
        Panel panel;
        panel.judge({panel.lost(), findingOf(panel.target, Rule::Starvation, Severity::Warning, panel.read, {2, 3})});
        QCOMPARE(panel.tree->model()->rowCount(), 2);
        QVERIFY(panel.label("findingsSummary").contains(QLatin1String("2 findings</b> about 4 coroutines at present")));
        panel.judge({findingOf(panel.target, Rule::Stall, Severity::Error, kUnknownSite, {})});
        QVERIFY(panel.label("findingsSummary").contains(QLatin1String("1 finding</b> at present")));
    }

    void theNameFollowsTheRules()
    {
        Panel panel;
        panel.judge({panel.deadlock(), panel.lost(), panel.unusual()});
        QCOMPARE(panel.dock.windowTitle(), QStringLiteral("Findings (3)"));
        QVERIFY(panel.label("findingsSummary").contains(QLatin1String("3 findings")));
        auto *rules = panel.dock.findChild<QComboBox *>(QStringLiteral("findingsRules"));
        rules->setFocus();
        QTest::keyClick(rules, Qt::Key_Down);
        QCOMPARE(rules->currentText(), QStringLiteral("Lost wake-ups"));
        QCOMPARE(panel.dock.windowTitle(), QStringLiteral("Lost wake-ups (1)"));
        QTest::keyClick(rules, Qt::Key_Up);
        QVERIFY(gui::click(&panel.dock, "findingsInformation"));
        QCOMPARE(panel.dock.windowTitle(), QStringLiteral("Findings (2)"));
        QVERIFY(panel.label("findingsSummary").contains(QLatin1String("1 hidden")));
        QCOMPARE(panel.text(0, Model::SeverityColumn), QStringLiteral("Error"));
    }

    void coroutinesAreSelectedEverywhere()
    {
        Panel panel;
        panel.judge({panel.lost()});
        panel.tree->expandAll();
        const QModelIndex group = panel.tree->model()->index(0, Model::WhereColumn);
        panel.click(panel.tree->model()->index(2, Model::WhereColumn, group.siblingAtColumn(0)));
        QCOMPARE(panel.selected.count(), 1);
        QCOMPARE(panel.selected.takeFirst().at(0).toUInt(), 4U);
        QVERIFY(panel.card().contains(QLatin1String("Last transitions of reader-4 #4")));
        QVERIFY(panel.card().contains(QLatin1String("This evidence is about\nreader-2 #2")));
        QTest::keyClick(panel.tree, Qt::Key_Down);
        QCOMPARE(panel.selected.takeFirst().at(0).toUInt(), 5U);
        panel.judge({panel.deadlock(), panel.lost()});  // the selection survives
        QCOMPARE(panel.tree->currentIndex().data(Model::CoroutineIdRole).toUInt(), 5U);
        panel.dock.select(1);
        QVERIFY(panel.tree->currentIndex().data(Model::IsFindingRole).toBool());
        QVERIFY(panel.selected.isEmpty());
        QSignalSpy sites(&panel.dock, &FindingsDock::siteActivated);
        QVERIFY(gui::click(&panel.dock, "findingTable"));
        QCOMPARE(sites.takeFirst().at(0).toString(), QStringLiteral("net.cpp:88"));
        QSignalSpy times(&panel.dock, &FindingsDock::timelineRequested);
        QVERIFY(gui::click(&panel.dock, "findingTimeline"));
        QCOMPARE(times.count(), 1);
        QCOMPARE(times.first().at(0).toUInt(), 2U);
        QCOMPARE(times.first().at(1).toULongLong(), panel.target.population->at(2).since);
        QCOMPARE(times.first().at(2).toULongLong(), panel.target.now);
        QSignalSpy failed(&panel.dock, &FindingsDock::failed);
        QVERIFY(gui::click(&panel.dock, "findingSource"));
        QVERIFY(failed.takeFirst().at(1).toString().contains(QLatin1String("/src/net.cpp")));
    }

    void whatHasChangedSinceIsSaid()
    {
        Panel panel;
        const auto judgement = judgementOf(panel.target, {panel.lost()});
        panel.target.commit(kSecond);
        panel.target.resume(2);
        panel.target.commit(kSecond);
        panel.dock.setJudgement(judgement);
        QVERIFY(panel.card().contains(QLatin1String("It has changed since")));
        QVERIFY(!panel.card().contains(QLatin1String("which waits for")));
    }

    /// The list has the height of its rows, at most half, until the user moves the border.
    void listAndCardShareTheHeight()
    {
        Panel panel;
        const auto *splitter = panel.dock.findChild<QSplitter *>();
        panel.judge({panel.lost()});
        QTRY_VERIFY(splitter->height() > 0);
        panel.judge({panel.lost()});
        QVERIFY(panel.tree->height() < splitter->height() / 3);
        std::vector<ReportedFinding> many(1000, panel.lost());
        for (std::size_t i = 0; i < many.size(); ++i)
            many[i].fingerprint = std::to_string(i);
        panel.judge(many);
        QTRY_VERIFY(std::abs(panel.tree->height() - splitter->height() / 2) < 10);
        const int before = panel.tree->height();
        QSplitterHandle *border = splitter->handle(1);
        const QPoint at = border->rect().center();
        QTest::mousePress(border, Qt::LeftButton, {}, at);
        QTest::mouseMove(border, at - QPoint(0, 100));
        QTest::mouseRelease(border, Qt::LeftButton, {}, at - QPoint(0, 100));
        QTRY_VERIFY(panel.tree->height() < before - 50);
        const int chosen = panel.tree->height();
        panel.judge({panel.lost()});
        QCOMPARE(panel.tree->height(), chosen);
    }

    void mutesAreKeptForTheProgram()
    {
        {
            Panel panel;
            panel.judge({panel.deadlock(), panel.lost()});
            panel.click(panel.tree->model()->index(1, Model::WhereColumn));
            panel.mute(QStringLiteral("clients are slow"));
            QCOMPARE(panel.tree->model()->rowCount(), 1);
            QCOMPARE(panel.dock.windowTitle(), QStringLiteral("Findings (1)"));
        }
        Panel again;
        again.judge({again.deadlock(), again.lost({2, 3})});
        QCOMPARE(again.tree->model()->rowCount(), 1);
        QCOMPARE(again.appeared.count(), 1);
        QVERIFY(!again.appeared.first().at(0).toString().contains(QLatin1String("net.cpp")));
        QVERIFY(gui::click(&again.dock, "findingsMuted"));
        QCOMPARE(again.tree->model()->rowCount(), 2);
        again.click(again.tree->model()->index(1, Model::WhereColumn));
        QVERIFY(again.card().contains(QLatin1String("Muted: clients are slow")));
        gui::takePicture(&again.dock, "findings-muted");
        QVERIFY(gui::click(&again.dock, "findingMute"));  // unmutes
        QVERIFY(gui::click(&again.dock, "findingsMuted"));
        QCOMPARE(again.tree->model()->rowCount(), 2);
    }

    void aMutedInformationDoesNotHideALaterError()
    {
        {
            Panel panel;
            ReportedFinding information = panel.lost();
            information.finding.severity = Severity::Info;
            panel.judge({information});
            panel.click(panel.tree->model()->index(0, Model::WhereColumn));
            panel.mute(QStringLiteral("these connections are idle, often"));
            QCOMPARE(panel.tree->model()->rowCount(), 0);
            panel.judge({panel.lost()});
            QCOMPARE(panel.tree->model()->rowCount(), 1);
            QCOMPARE(panel.appeared.count(), 1);
        }
        Panel again;
        again.judge({again.lost()});
        QCOMPARE(again.tree->model()->rowCount(), 1);
        again.click(again.tree->model()->index(0, Model::WhereColumn));
        QVERIFY(!again.card().contains(QLatin1String("Muted")));
        again.mute(QStringLiteral("a known defect"));
        QCOMPARE(again.tree->model()->rowCount(), 0);
        QVERIFY(gui::click(&again.dock, "findingsMuted"));
        again.click(again.tree->model()->index(0, Model::WhereColumn));
        QVERIFY(gui::click(&again.dock, "findingMute"));  // unmutes
    }

    void newFindingsOfALiveRunAreAnnouncedOnce()
    {
        Panel panel;
        panel.judge({panel.unusual()});
        QVERIFY(panel.appeared.isEmpty());
        panel.judge({panel.lost(), panel.unusual()});
        QCOMPARE(panel.appeared.count(), 1);
        QVERIFY(
            panel.appeared.first().at(0).toString().startsWith(QLatin1String("New finding: 4 coroutines suspended")));
        panel.judge({panel.lost({2, 3})});
        QCOMPARE(panel.appeared.count(), 1);
        panel.judge({});
        panel.judge({panel.deadlock(), panel.lost()});
        QCOMPARE(panel.appeared.count(), 2);
        Panel past(false);
        past.judge({past.lost()});
        QVERIFY(past.appeared.isEmpty());
    }

    void aWarningThatBecomesAnErrorIsAnnouncedOnce()
    {
        Panel panel;
        const auto announced = [&panel] { return panel.appeared.takeLast().at(0).toString(); };
        ReportedFinding error = panel.lost();
        error.finding.severity = Severity::Error;
        panel.judge({panel.lost()});
        QVERIFY(announced().startsWith(QLatin1String("New finding: ")));
        panel.judge({error});
        QVERIFY(announced().startsWith(QLatin1String("Now an error: 4 coroutines suspended")));
        panel.judge({error});
        panel.judge({panel.lost()});
        panel.judge({error, panel.lost()});
        QVERIFY(panel.appeared.isEmpty());
        // With a new one at the same time, both are in one line.
        Panel both;
        ReportedFinding other = both.lost();
        other.fingerprint = "other";
        ReportedFinding otherError = other;
        otherError.finding.severity = Severity::Error;
        both.judge({both.lost(), other});
        both.judge({both.deadlock(), error, otherError});
        QCOMPARE(both.appeared.count(), 2);
        const QString text = both.appeared.last().at(0).toString();
        QVERIFY2(text.startsWith(QLatin1String("New finding: ")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("; 2 warnings are errors now, the first: 4 coroutines")),
                 qPrintable(text));
        // An error from the start on.
        Panel first;
        first.judge({error, first.lost()});
        QCOMPARE(first.appeared.count(), 1);
        QVERIFY(first.appeared.last().at(0).toString().startsWith(QLatin1String("New finding: ")));
    }

    void tenThousandFindingsAndLongNames()
    {
        Panel panel;
        std::vector<ReportedFinding> findings;
        const std::string longName(300, 'x');
        for (std::uint32_t i = 0; i < 10'000; ++i) {
            const std::string function = i == 0 ? "ns::" + longName + "(int)" : "f" + std::to_string(i) + "()";
            const SiteId site = panel.target.site(function, "/src/" + longName + "/a.cpp", i + 1);
            const CoroutineId id = panel.target.born(kNoCoroutine, i == 0 ? longName : std::string());
            panel.target.suspend(id, site);
        }
        panel.target.commit(kSecond);
        for (CoroutineId id = 6; id < 10'006; ++id)
            findings.push_back(findingOf(panel.target, Rule::LostWakeup, Severity::Warning,
                                         panel.target.population->at(id).site, {id}));
        panel.judge(findings);
        QCOMPARE(panel.tree->model()->rowCount(), 10'000);
        QVERIFY(panel.dock.windowTitle().startsWith(QLatin1String("Lost wake-ups (10")));
        panel.takePictures("findings-many");
        QTest::keyClick(panel.tree, Qt::Key_End);
        panel.judge(findings);
        QVERIFY(panel.tree->currentIndex().row() > 9'000);
        QVERIFY(panel.dock.width() <= 600);  // long names do not widen it
    }
};

CT_QT_SUITE(TestFindingsDock)
#include "tst_findingsdock.moc"
