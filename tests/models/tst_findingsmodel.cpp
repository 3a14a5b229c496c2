// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/findingsfilter.h"
#include "models/findingsmodel.h"
#include "tests/support/findings.h"
#include "tests/support/qtsuite.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <random>

using namespace ct;
using Model = FindingsModel;
using test::findingOf;
using test::judgementOf;
using test::NotedTarget;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

/// A target whose coroutines are suspended one second apart, and a model of its findings.
struct Findings {
    NotedTarget target;
    SiteId read = target.site("async_read()", "/src/net.cpp", 88);
    SiteId lock = target.site("lock()", "/src/cache.cpp", 12);
    Model model;
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};

    explicit Findings(int coroutines)
    {
        for (int i = 0; i < coroutines; ++i) {
            const CoroutineId id = target.born();
            target.suspend(id, i % 2 == 0 ? read : lock);
            target.commit(kSecond);
        }
        model.setPopulation(target.population.get());
    }
    ReportedFinding lost(std::vector<CoroutineId> coroutines, Severity severity = Severity::Warning) const
    {
        return findingOf(target, Rule::LostWakeup, severity, read, std::move(coroutines));
    }
    ReportedFinding deadlock(std::vector<CoroutineId> coroutines) const
    {
        return findingOf(target, Rule::Deadlock, Severity::Error, lock, std::move(coroutines));
    }
    void show(std::vector<ReportedFinding> findings) { model.setJudgement(judgementOf(target, std::move(findings))); }
    QVariant value(int row, int column) const { return model.index(row, column).data(); }
};

std::vector<ReportedFinding> manyFindings(const NotedTarget &target, const std::vector<SiteId> &sites, unsigned seed)
{
    std::minstd_rand random(seed);
    std::vector<ReportedFinding> findings;
    for (std::size_t i = 0; i < sites.size(); ++i)
        if (random() % 3 != 0)
            findings.push_back(
                findingOf(target, Rule::LostWakeup, Severity::Warning, sites[i], {static_cast<CoroutineId>(i)}));
    return findings;
}

}  // namespace

class TestFindingsModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsHaveRawValues()
    {
        Findings run(8);
        run.show({run.deadlock({1, 3}), run.lost({0, 2, 4, 6})});
        QCOMPARE(run.model.rowCount(), 2);
        QCOMPARE(run.value(0, Model::SeverityColumn).toInt(), static_cast<int>(Severity::Error));
        QCOMPARE(run.value(0, Model::RuleColumn).toInt(), static_cast<int>(Rule::Deadlock));
        QCOMPARE(run.value(1, Model::WhereColumn).toString(), QStringLiteral("async_read() (net.cpp:88)"));
        QCOMPARE(run.value(1, Model::CountColumn).toInt(), 4);
        QCOMPARE(run.value(1, Model::ConfidenceColumn).toDouble(), 0.75);
        QCOMPARE(run.value(1, Model::SinceColumn).toULongLong(), run.target.population->at(0).since);
        const QModelIndex parent = run.model.index(1, 0);
        QCOMPARE(run.model.rowCount(parent), 4);
        const QModelIndex child = run.model.index(2, Model::WhereColumn, parent);
        QCOMPARE(child.data().toUInt(), 4U);
        QCOMPARE(child.data(Model::CoroutineIdRole).toUInt(), 4U);
        QVERIFY(!child.data(Model::IsFindingRole).toBool() && child.parent() == parent);
        QCOMPARE(child.siblingAtColumn(Model::SinceColumn).data(Model::SortRole).toULongLong(),
                 run.target.population->at(4).since);
        QVERIFY(run.model.findingOf(child)->finding.rule == Rule::LostWakeup);
        QVERIFY(!run.model.findingOf({}));
        for (int column = 0; column < Model::ColumnCount; ++column)
            QVERIFY(!run.model.headerData(column, Qt::Horizontal).toString().isEmpty());
    }

    /// Growth counts those that joined the first one within 10 s before the judgement.
    void growthIsThatOfTheLastTenSeconds()
    {
        Findings run(30);  // the even ones are suspended 30, 28, ... 2 s before the judgement
        run.show({run.lost({0, 10, 18, 20, 22, 28})});
        QCOMPARE(run.value(0, Model::GrowthColumn).toInt(), 2);  // 22 and 28: 8 s and 2 s before
        run.show({run.lost({28})});
        QCOMPARE(run.value(0, Model::GrowthColumn).toInt(), 0);
        run.target.commit(20 * kSecond);
        run.show({run.lost({0, 10, 18, 20, 22, 28})});
        QCOMPARE(run.value(0, Model::GrowthColumn).toInt(), 0);
    }

    void deadlocksOfOneSiteKeepTheirRows()
    {
        Findings run(10);
        run.show({run.deadlock({1, 3}), run.deadlock({5, 7}), run.deadlock({9})});
        const QPersistentModelIndex second = run.model.index(1, 0);
        const QPersistentModelIndex third = run.model.index(2, 0);
        run.show({run.deadlock({5, 7}), run.deadlock({9})});
        QCOMPARE(run.model.rowCount(), 2);
        QVERIFY(second.isValid() && third.isValid());
        QCOMPARE(second.data(Model::CoroutineIdRole).toUInt(), 5U);
        QCOMPARE(third.data(Model::CoroutineIdRole).toUInt(), 9U);
        // With a time that grows with the square of the number, this would take minutes.
        run.show(std::vector<ReportedFinding>(20'000, run.deadlock({1})));
        QCOMPARE(run.model.rowCount(), 20'000);
    }

    void updatesKeepTheSelection()
    {
        Findings run(40);
        run.show({run.lost({0, 2, 4}), run.deadlock({1, 3})});
        QSignalSpy reset(&run.model, &QAbstractItemModel::modelReset);
        const QPersistentModelIndex deadlock = run.model.index(1, 0);
        const QPersistentModelIndex member = run.model.index(1, 0, deadlock);
        const QPersistentModelIndex gone = run.model.index(1, 0, run.model.index(0, 0));
        QCOMPARE(gone.data(Model::CoroutineIdRole).toUInt(), 2U);
        run.show({run.deadlock({1, 3, 5}), run.lost({0, 4, 6, 8})});
        QCOMPARE(reset.count(), 0);
        QVERIFY(!gone.isValid());
        QCOMPARE(deadlock.data(Model::RuleRole).toInt(), static_cast<int>(Rule::Deadlock));
        QCOMPARE(member.data(Model::CoroutineIdRole).toUInt(), 3U);
        QCOMPARE(run.model.rowCount(deadlock), 3);
        run.show({run.deadlock({1, 3, 5})});  // the other one is gone, in front of it
        QCOMPARE(deadlock.row(), 0);
        QCOMPARE(member.data(Model::CoroutineIdRole).toUInt(), 3U);
        run.show({});
        QVERIFY(!deadlock.isValid() && !member.isValid());
        QCOMPARE(run.model.rowCount(), 0);
    }

    void severityMakesAnotherFinding()
    {
        Findings run(4);
        run.show({run.lost({0}, Severity::Info)});
        run.show({run.lost({0}, Severity::Warning), run.lost({2}, Severity::Info)});
        QCOMPARE(run.model.rowCount(), 2);
        QCOMPARE(run.value(0, Model::SeverityColumn).toInt(), static_cast<int>(Severity::Info));
        QCOMPARE(run.model.index(0, 0).data(Model::CoroutineIdRole).toUInt(), 2U);
    }

    /// Findings without a site are told apart by their resolved locations, and by their addresses before that.
    void locationsDistinguishFindings()
    {
        Findings run(4);
        const auto at = [&run](std::uint64_t addr, const std::string &function, CoroutineId id) {
            ReportedFinding reported = findingOf(run.target, Rule::LostWakeup, Severity::Warning, kUnknownSite, {id});
            reported.finding.addr = addr;
            reported.function = function;
            return reported;
        };
        run.show({at(0x10, "f()", 0), at(0x20, "g()", 1), at(0x30, {}, 2), at(0x40, {}, 3)});
        QCOMPARE(run.model.rowCount(), 4);
        const QPersistentModelIndex g = run.model.index(1, Model::WhereColumn);
        run.show({at(0x50, "g()", 1), at(0x10, "f()", 0), at(0x40, {}, 3)});
        QCOMPARE(run.model.rowCount(), 3);
        QCOMPARE(g.data().toString(), QStringLiteral("g()"));
    }

    void tenThousandFindingsChange()
    {
        NotedTarget target;
        std::vector<SiteId> sites;
        for (int i = 0; i < 10'000; ++i) {
            sites.push_back(target.site("f" + std::to_string(i) + "()", "/src/a.cpp", static_cast<std::uint32_t>(i)));
            target.suspend(target.born(), sites.back());
        }
        target.commit(kSecond);
        Model model;
        model.setPopulation(target.population.get());
        FindingsFilter filter;
        filter.setSourceModel(&model);
        filter.sort(Model::WhereColumn);
        for (unsigned seed = 1; seed < 6; ++seed) {
            const std::vector<ReportedFinding> findings = manyFindings(target, sites, seed);
            const QPersistentModelIndex kept = model.index(0, 0);
            const SiteId site = kept.isValid() ? model.findingOf(kept)->finding.site : kUnknownSite;
            model.setJudgement(judgementOf(target, findings));
            QCOMPARE(static_cast<std::size_t>(model.rowCount()), findings.size());
            QCOMPARE(static_cast<std::size_t>(filter.rowCount()), findings.size());
            if (kept.isValid())
                QCOMPARE(model.findingOf(kept)->finding.site, site);
            std::set<SiteId> shown;
            for (int row = 0; row < model.rowCount(); ++row)
                shown.insert(model.findingOf(model.index(row, 0))->finding.site);
            for (const ReportedFinding &finding : findings)
                QVERIFY(shown.count(finding.finding.site) == 1);
        }
    }

    void survivesRandomChanges()
    {
        Findings run(400);
        std::minstd_rand random(7);
        for (int step = 0; step < 40; ++step) {
            std::vector<CoroutineId> reading;
            std::vector<CoroutineId> locking;
            for (CoroutineId id = 0; id < 400; ++id)
                if (random() % 4 != 0)
                    (id % 2 == 0 ? reading : locking).push_back(id);
            std::vector<ReportedFinding> findings;
            if (step % 7 != 3)
                findings.push_back(run.lost(reading));
            if (step % 5 != 2)
                findings.insert(findings.begin(), run.deadlock(locking));
            run.show(findings);
            QCOMPARE(static_cast<std::size_t>(run.model.rowCount()), findings.size());
            for (int row = 0; row < run.model.rowCount(); ++row) {
                const QModelIndex index = run.model.index(row, 0);
                const std::vector<CoroutineId> &expected =
                    index.data(Model::RuleRole).toInt() == static_cast<int>(Rule::Deadlock) ? locking : reading;
                QCOMPARE(static_cast<std::size_t>(run.model.rowCount(index)), expected.size());
                for (int child = 0; child < run.model.rowCount(index); ++child)
                    QCOMPARE(run.model.index(child, 0, index).data(Model::CoroutineIdRole).toUInt(),
                             expected[static_cast<std::size_t>(child)]);
            }
        }
    }

    void theFilterHidesAndSorts()
    {
        Findings run(20);
        FindingsFilter filter;
        filter.setSourceModel(&run.model);
        filter.sort(Model::SeverityColumn, Qt::DescendingOrder);
        run.show({run.lost({0}, Severity::Info), run.lost({2, 4, 6}), run.deadlock({1, 3}),
                  findingOf(run.target, Rule::NeverRun, Severity::Error, run.lock, {5, 7, 9})});
        const auto rule = [&filter](int row) {
            return static_cast<Rule>(filter.index(row, 0).data(Model::RuleRole).toInt());
        };
        QCOMPARE(filter.rowCount(), 4);
        QVERIFY(rule(0) == Rule::NeverRun && rule(1) == Rule::Deadlock && rule(2) == Rule::LostWakeup);
        // The coroutines of a finding: the earliest first in both orders, unless sorted by their own values.
        const auto firstChild = [&] {
            return filter.index(0, 0, filter.index(0, 0)).data(Model::CoroutineIdRole).toUInt();
        };
        QCOMPARE(firstChild(), 5U);
        filter.sort(Model::CountColumn, Qt::AscendingOrder);
        QCOMPARE(filter.index(0, 0).data(Model::CountRole).toInt(), 1);
        filter.sort(Model::SeverityColumn, Qt::DescendingOrder);
        filter.setRules(lostWakeupRules());
        QCOMPARE(filter.rowCount(), 2);
        filter.setShowsInformation(false);
        QCOMPARE(filter.rowCount(), 1);
        filter.setRules({});
        QCOMPARE(filter.rowCount(), 3);
        const std::string first = filter.index(0, 0).data(Model::FingerprintRole).toString().toStdString();
        KnownFindings muted;
        muted.add(first, Severity::Info);
        filter.setMuted(muted);
        QCOMPARE(filter.rowCount(), 3);  // it is more severe than what was muted
        muted.add(first, static_cast<Severity>(filter.index(0, 0).data(Model::SeverityRole).toInt()));
        filter.setMuted(muted);
        QCOMPARE(filter.rowCount(), 2);
        QVERIFY(rule(0) == Rule::Deadlock);
        filter.setShowsMuted(true);
        QCOMPARE(filter.rowCount(), 3);
        QVERIFY(filter.isMuted(filter.mapToSource(filter.index(0, 0))));
    }
};

CT_QT_SUITE(TestFindingsModel)
#include "tst_findingsmodel.moc"
