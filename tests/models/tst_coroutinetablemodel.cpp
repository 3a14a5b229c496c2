// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/coroutinetablemodel.h"
#include "tests/support/qtsuite.h"

#include <QAbstractItemModelTester>
#include <QSet>
#include <QSignalSpy>

#include <algorithm>
#include <random>

using namespace ct;
using Model = CoroutineTableModel;

namespace {

constexpr std::uint32_t kFirstPid = 500;

/// A simulated target. Each commit() makes one batch of its births, transitions, notes and deaths.
class Target {
public:
    void create(std::uint32_t count)
    {
        for (std::uint32_t i = 0; i < count; ++i) {
            Birth birth;
            birth.coroutine = static_cast<CoroutineId>(m_next.size());
            birth.dialect = Dialect::Seqlock;
            birth.probeId = 0xABC000 + birth.coroutine;
            birth.birthTs = 1000 - birth.coroutine % 7;
            birth.pid = kFirstPid + birth.coroutine * 3 % 4;
            m_batch.births.push_back(birth);
            m_next.push_back(0);
        }
    }
    void addSite(SiteId id, std::string file, std::uint32_t line, std::string function)
    {
        m_batch.sites.push_back({id, line, 1, std::move(file), std::move(function)});
    }
    void step(CoroutineId id, SiteId site = 1)
    {
        Transition event;
        event.coroutine = id;
        event.n = m_next[id]++;
        event.seq = slotSeq(Dialect::Seqlock, event.n);
        event.active = event.n % 2 != 0;
        event.ts = ++m_ts;
        event.tid = 10 + id % 3;
        event.site = event.active ? kUnknownSite : site;
        event.addr = event.active ? 0 : 0x1000 + id;
        m_batch.transitions.push_back(event);
    }
    void lose(CoroutineId id, std::uint64_t count)
    {
        m_batch.losses.push_back({id, m_next[id], count, false});
        m_next[id] += count;
    }
    void name(CoroutineId id, std::string name) { m_batch.notes.names.push_back({id, std::move(name)}); }
    void parent(CoroutineId id, CoroutineId parent) { m_batch.notes.parents.push_back({id, parent}); }
    /// Describes the latest event of `id`, which must be a suspension.
    void waits(CoroutineId id, WaitKind kind, std::uint64_t object, CoroutineId on = kNoCoroutine)
    {
        m_batch.notes.waits.push_back({id, m_next[id] - 1, kind, object, on});
    }
    bool isSuspended(CoroutineId id) const { return m_next[id] % 2 != 0; }
    void kill(CoroutineId id) { m_batch.deaths.push_back({id, ++m_ts}); }
    void commit()
    {
        m_batch.now = ++m_ts;
        QVERIFY(population.consume(m_batch));
        m_batch.clear();
    }

    Population population;

private:
    Batch m_batch;
    std::vector<std::uint64_t> m_next;
    std::uint64_t m_ts = 5000;
};

std::vector<qulonglong> columnOf(const Model &model, int column)
{
    std::vector<qulonglong> values;
    for (int row = 0; row < model.rowCount(); ++row)
        values.push_back(model.index(row, column).data().toULongLong());
    return values;
}

/// Writes coroutines that differ in every column. The order of the values is not the order of the ids.
void fillEveryColumn(Target &target)
{
    // Sites sort in the reverse order of their ids.
    for (SiteId site = 1; site <= 5; ++site)
        target.addSite(site, "a.cpp", 100 - site, std::string(9 - site, 'f'));
    target.create(300);
    std::mt19937 random(1);
    for (CoroutineId id = 1; id < 300; id += 2)
        target.parent(id, id - 1 - random() % id);
    for (CoroutineId id = 0; id < 300; id += 3)
        target.name(id, std::to_string(random() % 50).append(id % 2 == 0 ? "a" : "z"));
    target.commit();
    for (int i = 0; i < 3000; ++i)
        target.step(random() % 250, 1 + random() % 5);
    target.commit();
    for (CoroutineId id = 0; id < 250; id += 4)
        target.lose(id, 2 + 2 * (random() % 20));
    for (CoroutineId id = 0; id < 250; ++id)
        if (target.isSuspended(id))
            target.step(id);
    for (CoroutineId id = 10; id < 250; ++id) {
        target.step(id, 1 + random() % 5);
        if (id % 3 == 0)
            target.waits(id, WaitKind::Coroutine, 0, random() % 300);
        else if (id % 3 == 1)
            target.waits(id, id % 2 == 0 ? WaitKind::Lock : WaitKind::Descriptor, 16 * (1 + random() % 40));
    }
    target.kill(3);
    target.commit();
}

/// The sort key of `row` in `column`, as text with the same order.
QString sortText(const Model &model, const Population &population, int row, int column)
{
    const QModelIndex index = model.index(row, column);
    const auto digits = [](qulonglong value) { return QStringLiteral("%1").arg(value, 20, 10, QLatin1Char('0')); };
    const QVariant value = index.data();
    const SiteId body = index.data(Model::BodySiteRole).toUInt();
    const Site *site = population.site(index.data(Model::SiteIdRole).toUInt());
    const Site *named = body != kUnknownSite ? population.site(body) : site;
    switch (column) {
    case Model::NameColumn:
        if (!value.toString().isEmpty())
            return value.toString();
        return named ? QString::fromStdString(named->function) : QStringLiteral("~");
    case Model::WhereColumn: return site ? digits(site->line) : QStringLiteral("~");
    case Model::WaitsOnColumn: {
        if (!value.isValid())
            return QStringLiteral("~");
        const bool onCoroutine = value.toInt() == static_cast<int>(WaitKind::Coroutine);
        const int role = onCoroutine ? Model::WaitTargetRole : Model::WaitObjectRole;
        return digits(value.toULongLong()) + digits(index.data(role).toULongLong());
    }
    default: return digits(value.toULongLong());
    }
}

void verifyRows(const Model &model)
{
    QCOMPARE(model.rowCount(), static_cast<int>(model.visibleOrder().size()));
    for (int row = 0; row < model.rowCount(); ++row) {
        QCOMPARE(model.rowOf(model.idAt(row)), row);
        QCOMPARE(model.index(row, Model::IdColumn).data().toUInt(), model.idAt(row));
    }
}

}  // namespace

class TestCoroutineTableModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void showsRawValues();
    void followsBirthsAndChanges();
    void signalsOnlyChangedRows();
    void sortsByEveryColumn_data();
    void sortsByEveryColumn();
    void filtersByStateAndText();
    void selectionStaysWithItsCoroutine();
    void pauseKeepsTheValues();
    void sortsInTheBackground();
    void discardsStaleOrderings();
    void survivesChangesOfThePopulation();
    void survivesRandomChanges();
};

void TestCoroutineTableModel::showsRawValues()
{
    Target target;
    target.addSite(1, "server.cpp", 88, "serve()");
    target.create(3);
    target.step(0);
    target.lose(2, 17);
    target.parent(1, 0);
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 0);
    model.setPopulation(&target.population);
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.columnCount(), static_cast<int>(Model::ColumnCount));
    QCOMPARE(model.index(0, Model::StateColumn).data().toInt(), static_cast<int>(CoroutineState::Suspended));
    QCOMPARE(model.index(1, Model::StateColumn).data(Model::StateRole).toInt(),
             static_cast<int>(CoroutineState::Created));
    QCOMPARE(model.index(0, Model::WhereColumn).data().toUInt(), 1U);
    QCOMPARE(model.index(0, Model::IdColumn).data(Model::AddressRole).toULongLong(), 0x1000U);
    QCOMPARE(model.index(0, Model::IdColumn).data(Model::ProbeIdRole).toULongLong(), 0xABC000U);
    QCOMPARE(model.index(0, Model::SinceColumn).data().toULongLong(), 5001U);
    QCOMPARE(model.index(0, Model::SuspendedTimeColumn).data().toULongLong(), 1U);  // ns, up to now
    QCOMPARE(model.index(0, Model::IdColumn).data(Model::NowRole).toULongLong(), 5002U);
    QCOMPARE(model.index(0, Model::LostColumn).data().toULongLong(), 0U);
    QCOMPARE(model.index(2, Model::LostColumn).data().toULongLong(), 17U);
    QCOMPARE(model.index(1, Model::ProcessColumn).data().toUInt(), kFirstPid + 3);
    QCOMPARE(model.index(0, Model::ParentColumn).data().toUInt(), kNoCoroutine);
    QCOMPARE(model.index(1, Model::ParentColumn).data().toUInt(), 0U);
    QCOMPARE(model.index(1, Model::BirthColumn).data(Model::SortRole).toULongLong(), 999U);
    QVERIFY(!model.index(0, 0).data(Qt::DecorationRole).isValid());
    QVERIFY(!model.headerData(Model::LostColumn, Qt::Horizontal).toString().isEmpty());
    QCOMPARE(model.roleNames().value(Model::SinceRole), QByteArray("SinceRole"));
}

void TestCoroutineTableModel::followsBirthsAndChanges()
{
    Target target;
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    QSignalSpy inserted(&model, &Model::rowsInserted);
    QSignalSpy ordered(&model, &Model::orderChanged);
    QSignalSpy reset(&model, &Model::modelReset);
    target.create(5);
    target.commit();
    model.sample();
    QCOMPARE(inserted.count(), 1);
    QCOMPARE(ordered.count(), 1);
    QCOMPARE(model.rowCount(), 5);
    target.create(1);
    target.step(3);
    target.commit();
    model.sample();
    verifyRows(model);
    QCOMPARE(model.index(3, Model::EventsColumn).data().toULongLong(), 1U);
    QCOMPARE(reset.count(), 0);
}

void TestCoroutineTableModel::signalsOnlyChangedRows()
{
    Target target;
    target.create(1000);
    target.commit();
    Model model;
    model.setPopulation(&target.population);
    model.sample();
    QSignalSpy changed(&model, &Model::dataChanged);
    model.sample();
    QCOMPARE(changed.count(), 0);
    target.step(70);
    target.commit();
    model.sample();
    // One signal for a page of rows, and one for the times of all rows.
    QCOMPARE(changed.count(), 2);
    QCOMPARE(changed.at(0).at(0).toModelIndex().row(), 64);
    QCOMPARE(changed.at(0).at(1).toModelIndex().row(), 127);
    QCOMPARE(changed.at(1).at(0).toModelIndex().column(), static_cast<int>(Model::SinceColumn));
}

void TestCoroutineTableModel::sortsByEveryColumn_data()
{
    QTest::addColumn<int>("column");
    for (int column = 0; column < Model::ColumnCount; ++column)
        QTest::addRow("column %d", column) << column;
}

void TestCoroutineTableModel::sortsByEveryColumn()
{
    QFETCH(const int, column);
    Target target;
    fillEveryColumn(target);
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    for (const bool paused : {false, true}) {
        model.setPaused(paused);
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            model.sort(column, order);
            verifyRows(model);
            QCOMPARE(model.rowCount(), 300);
            QCOMPARE(model.sortColumn(), column);
            QCOMPARE(model.sortOrder(), order);
            QStringList texts;
            for (int row = 0; row < model.rowCount(); ++row)
                texts << sortText(model, target.population, row, column);
            if (order == Qt::DescendingOrder)
                std::reverse(texts.begin(), texts.end());
            QVERIFY(std::is_sorted(texts.cbegin(), texts.cend()));
            // Rows with equal values may have any order. The check needs more than two distinct values.
            QVERIFY(QSet<QString>(texts.cbegin(), texts.cend()).size() > 2);
        }
        model.sort(Model::IdColumn);
    }
}

void TestCoroutineTableModel::filtersByStateAndText()
{
    Target target;
    target.addSite(1, "/src/server.cpp", 88, "serve(int)");
    target.addSite(2, "/src/client.cpp", 9, "Call()");
    target.create(30);
    for (CoroutineId id = 0; id < 20; ++id)
        target.step(id, id < 10 ? 1 : 2);
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    model.setStateMask(stateBit(CoroutineState::Suspended));
    QCOMPARE(model.rowCount(), 20);
    QCOMPARE(model.rowOf(25), -1);
    model.setTextFilter(QStringLiteral("CALL"));
    QCOMPARE(model.rowCount(), 10);
    QCOMPARE(model.idAt(0), 10U);
    model.setTextFilter(QStringLiteral("server.c"));
    QCOMPARE(model.idAt(9), 9U);
    model.setTextFilter(QStringLiteral("Client.cpp:9"));
    QCOMPARE(model.idAt(0), 10U);
    model.setTextFilter(QStringLiteral("13"));
    QCOMPARE(model.visibleOrder(), std::vector<CoroutineId>{13});
    model.setTextFilter(QStringLiteral(" 0xabc005 "));
    QCOMPARE(model.visibleOrder(), std::vector<CoroutineId>{5});
    model.setTextFilter(QStringLiteral("nothing of the kind"));
    QCOMPARE(model.rowCount(), 0);
    model.setTextFilter(QString());
    QCOMPARE(model.rowCount(), 20);
    // New coroutines are shown only if they pass the filters.
    target.create(2);
    target.step(31);
    target.commit();
    model.sample();
    QCOMPARE(model.rowCount(), 21);
    QCOMPARE(model.idAt(20), 31U);
    model.setStateMask(kAllStates);
    QCOMPARE(model.rowCount(), 32);
    verifyRows(model);
}

void TestCoroutineTableModel::selectionStaysWithItsCoroutine()
{
    Target target;
    target.create(400);
    for (CoroutineId id = 0; id < 400; id += 2)
        target.step(id);
    target.commit();
    Model model;
    model.setPopulation(&target.population);
    const QPersistentModelIndex even = model.index(model.rowOf(200), Model::StateColumn);
    const QPersistentModelIndex odd = model.index(model.rowOf(201), Model::StateColumn);
    model.sort(Model::IdColumn, Qt::DescendingOrder);
    QCOMPARE(model.idAt(even.row()), 200U);
    QCOMPARE(even.column(), static_cast<int>(Model::StateColumn));
    model.setStateMask(stateBit(CoroutineState::Suspended));  // removes 200 single rows as one layout change
    QCOMPARE(model.idAt(even.row()), 200U);
    QVERIFY(!odd.isValid());
    model.setTextFilter(QStringLiteral("200"));
    QCOMPARE(even.row(), 0);
}

void TestCoroutineTableModel::pauseKeepsTheValues()
{
    Target target;
    target.create(3);
    target.step(0);
    target.commit();
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    model.setPaused(true);
    target.create(1);
    target.step(2);
    target.step(2);
    target.commit();
    model.sample();
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(2, Model::EventsColumn).data().toULongLong(), 0U);
    model.sort(Model::EventsColumn, Qt::DescendingOrder);  // sorts by the shown values
    QCOMPARE(model.idAt(0), 0U);
    model.setPaused(false);
    model.sample();
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.index(model.rowOf(2), Model::EventsColumn).data().toULongLong(), 2U);
}

void TestCoroutineTableModel::sortsInTheBackground()
{
    Target target;
    const std::uint32_t many = Model::kBackgroundFrom * 20;
    target.create(many);
    for (CoroutineId id = 0; id < many; id += 3)
        target.step(id);
    target.commit();
    Model model;
    model.setPopulation(&target.population);
    QSignalSpy ordered(&model, &Model::orderChanged);
    model.sort(Model::EventsColumn, Qt::DescendingOrder);
    QVERIFY(model.isSorting());
    target.create(1);
    target.commit();
    model.sample();
    QVERIFY(ordered.count() >= 1);  // for the new row; the new order follows later
    QTRY_VERIFY(!model.isSorting());
    verifyRows(model);
    QCOMPARE(model.idAt(0), 0U);
    QCOMPARE(model.idAt(1), 3U);
    QCOMPARE(model.idAt(static_cast<int>(many)), many);  // a new coroutine stays at the end until the next sort
    const std::vector<qulonglong> events = columnOf(model, Model::EventsColumn);
    QVERIFY(std::is_sorted(events.rbegin(), events.rend()));
}

void TestCoroutineTableModel::discardsStaleOrderings()
{
    Target target;
    target.create(Model::kBackgroundFrom * 10);
    target.commit();
    Model model;
    model.setPopulation(&target.population);
    for (int column = Model::ColumnCount - 1; column >= 0; --column)
        model.sort(column, Qt::DescendingOrder);
    QTRY_VERIFY(!model.isSorting());
    QCOMPARE(model.idAt(0), Model::kBackgroundFrom * 10 - 1);  // the last request sorts by id
    model.sort(Model::SinceColumn);
    model.setPopulation(nullptr);  // cancels the sort in progress
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(!model.isSorting());
}

void TestCoroutineTableModel::survivesChangesOfThePopulation()
{
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setStateMask(stateBit(CoroutineState::Created));
    {
        Target target;
        target.create(10);
        target.commit();
        model.setPopulation(&target.population);
        QCOMPARE(model.rowCount(), 10);
        model.setPopulation(nullptr);
    }
    model.sample();
    QCOMPARE(model.rowCount(), 0);
    QCOMPARE(model.idAt(0), kNoCoroutine);
}

void TestCoroutineTableModel::survivesRandomChanges()
{
    Target target;
    target.addSite(1, "a.cpp", 1, "f()");
    target.addSite(2, "b.cpp", 2, "g()");
    Model model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPopulation(&target.population);
    std::mt19937 random(17);
    std::uint32_t born = 0;
    for (int round = 0; round < 120; ++round) {
        if (born < 1000) {
            const std::uint32_t count = std::min(1000 - born, static_cast<std::uint32_t>(random() % 30));
            target.create(count);
            born += count;
        }
        for (std::uint32_t i = 0; born > 0 && i < random() % 200; ++i)
            target.step(random() % born, 1 + random() % 2);
        if (born > 0 && round % 5 == 0)
            target.kill(random() % born);
        target.commit();
        model.sample();
        switch (random() % 6) {
        case 0: model.sort(static_cast<int>(random() % Model::ColumnCount), Qt::AscendingOrder); break;
        case 1: model.sort(static_cast<int>(random() % Model::ColumnCount), Qt::DescendingOrder); break;
        case 2: model.setStateMask(random() % 3 ? kAllStates : random() % 64); break;
        case 3: model.setTextFilter(random() % 2 ? QString() : QStringLiteral("b.cpp")); break;
        case 4: model.setPaused(random() % 2); break;
        default: break;
        }
        verifyRows(model);
    }
    model.setPaused(false);
    model.setTextFilter(QString());
    model.setStateMask(kAllStates);
    model.sample();
    QCOMPARE(model.rowCount(), static_cast<int>(born));
}

CT_QT_SUITE(TestCoroutineTableModel)
#include "tst_coroutinetablemodel.moc"
