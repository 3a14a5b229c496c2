// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The models of the capture dock, and NoteKindDetector, which finds the kinds of notes that a target sends.
#include "models/dropmodel.h"
#include "models/notekinddetector.h"
#include "models/processmodel.h"
#include "tests/models/notedtarget.h"
#include "tests/support/qtsuite.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

using namespace ct;
using test::NotedTarget;

namespace {

constexpr auto kMode = QAbstractItemModelTester::FailureReportingMode::QtTest;

}  // namespace

class TestCaptureModels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void listsProcesses()
    {
        NotedTarget target;
        ProcessModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        QCOMPARE(model.rowCount(), 0);
        model.setPopulation(target.population.get());
        QSignalSpy inserted(&model, &ProcessModel::rowsInserted);
        QSignalSpy changed(&model, &ProcessModel::dataChanged);
        QSignalSpy reset(&model, &ProcessModel::modelReset);
        target.process(10, "server");
        target.process(11, "worker");
        target.born(kNoCoroutine, {}, 11);
        target.commit();
        model.sample();
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(1, ProcessModel::NameColumn).data().toString(), QStringLiteral("worker"));
        QCOMPARE(model.index(1, ProcessModel::AliveColumn).data().toULongLong(), 1U);
        QCOMPARE(model.index(0, ProcessModel::PidColumn).data().toUInt(), 10U);
        const auto state = [&model](int row) {
            return static_cast<ProcessModel::State>(model.index(row, ProcessModel::StateColumn).data().toInt());
        };
        QCOMPARE(state(0), ProcessModel::State::Tracing);
        model.sample();
        QCOMPARE(changed.count(), 0);
        target.batch.notes.switches.push_back({10, target.now, false});
        target.batch.notes.processEnds.push_back({11, target.now});
        target.commit();
        model.sample();
        QCOMPARE(changed.count(), 2);
        QCOMPARE(state(0), ProcessModel::State::SwitchedOff);
        QCOMPARE(state(1), ProcessModel::State::Ended);
        QVERIFY(model.index(1, 0).data(ProcessModel::EndRole).toULongLong() > 0);
        QCOMPARE(reset.count(), 0);
        for (int column = 0; column < ProcessModel::ColumnCount; ++column)
            QVERIFY(!model.headerData(column, Qt::Horizontal).toString().isEmpty());
        model.setPopulation(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void dropsAreShownLatestFirst()
    {
        NotedTarget target;
        target.drops(1, 5, 100);
        target.commit();
        DropModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        model.setPopulation(target.population.get());
        QCOMPARE(model.rowCount(), 1);
        QSignalSpy inserted(&model, &DropModel::rowsInserted);
        model.sample();
        QCOMPARE(inserted.count(), 0);
        target.drops(2, 6, 200);
        target.drops(3, 7, 300);
        target.commit();
        model.sample();
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(model.total(), 3U);
        QCOMPARE(model.index(0, DropModel::ThreadColumn).data().toUInt(), 3U);
        QCOMPARE(model.index(0, DropModel::RecordsColumn).data().toULongLong(), 7U);
        QCOMPARE(model.index(0, DropModel::LengthColumn).data().toULongLong(), 300U);
        QCOMPARE(model.index(2, DropModel::ThreadColumn).data().toUInt(), 1U);
        QCOMPARE(model.index(2, 0).data(DropModel::PidRole).toUInt(), NotedTarget::kPid);
    }

    void onlyTheLatestDropsAreKept()
    {
        NotedTarget target;
        DropModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        model.setPopulation(target.population.get());
        std::uint32_t tid = 0;
        for (int round = 0; round < 5; ++round) {
            for (int i = 0; i < 4000; ++i)
                target.drops(++tid, 1, 1);
            target.commit();
            model.sample();
            QCOMPARE(model.total(), tid);
            QCOMPARE(model.rowCount(), static_cast<int>(target.population->drops().size()));
            QCOMPARE(model.index(0, DropModel::ThreadColumn).data().toUInt(), tid);
            const int last = model.rowCount() - 1;
            QCOMPARE(model.index(last, DropModel::ThreadColumn).data().toUInt(),
                     target.population->drops().front().tid);
        }
    }

    void detectsKindsOfNotes()
    {
        NotedTarget target;
        const SiteId site = target.site("f()", "a.cpp", 1);
        for (int i = 0; i < 20'000; ++i)
            target.born();
        target.process(NotedTarget::kPid, "one");
        target.commit();
        NoteKindDetector noteKinds;
        QVERIFY(!noteKinds.sample());
        noteKinds.setPopulation(target.population.get());
        for (int i = 0; i < 40; ++i)
            QVERIFY(!noteKinds.sample());
        target.resume(77);
        target.suspend(77, site);
        target.waits(77, WaitKind::Lock, 0x10);
        target.batch.notes.parents.push_back({12'345, 3});
        target.process(NotedTarget::kPid + 1, "two");
        target.commit();
        for (int i = 0; i < 40; ++i)
            noteKinds.sample();
        QVERIFY(noteKinds.foundParents());
        QVERIFY(noteKinds.foundWaits());
        QVERIFY(noteKinds.foundProcesses());
        noteKinds.setPopulation(nullptr);
        QVERIFY(!noteKinds.foundParents());
    }
};

CT_QT_SUITE(TestCaptureModels)
#include "tst_capturemodels.moc"
