// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/recordingsmodel.h"
#include "tests/support/qtsuite.h"

#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>

using namespace ct;

namespace {

constexpr auto kMode = QAbstractItemModelTester::FailureReportingMode::QtTest;

RecordedRun run(const std::string &name, std::uint64_t bytes = 100)
{
    RecordedRun made;
    made.path = "/r/" + name + ".ctr";
    made.files = {"/r/" + name + ".0.ctr"};
    made.name = name;
    made.state = RecordedRun::State::Complete;
    made.bytes = bytes;
    made.begun = 5;
    made.duration = 6;
    made.events = 7;
    return made;
}

}  // namespace

class TestRecordingsModel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void setRunsInsertsRemovesAndChangesRows()
    {
        RecordingsModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        QSignalSpy reset(&model, &RecordingsModel::modelReset);
        QSignalSpy inserted(&model, &RecordingsModel::rowsInserted);
        QSignalSpy removed(&model, &RecordingsModel::rowsRemoved);
        QSignalSpy changed(&model, &RecordingsModel::dataChanged);
        model.setRuns({run("c"), run("a"), run("d")});
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.bytes(), std::uint64_t{300});
        QCOMPARE(model.run(0).name, std::string("a"));
        const QPersistentModelIndex kept = model.index(1, 0);
        // One row is removed, one is inserted, and one has a new size.
        inserted.clear();
        model.setRuns({run("d"), run("c", 200), run("b")});
        QCOMPARE(removed.count(), 1);
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(kept.row(), 1);
        QCOMPARE(kept.data().toString(), QStringLiteral("c"));
        QCOMPARE(model.index(1, RecordingsModel::BytesColumn).data().toULongLong(), 200U);
        model.setRuns({run("d"), run("c", 200), run("b")});
        QCOMPARE(changed.count(), 1);
        model.setRuns({});
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(reset.count(), 0);
    }

    void columnsReturnRawValues()
    {
        RecordingsModel model;
        model.setRuns({run("a")});
        const auto number = [&](int column) { return model.index(0, column).data().toULongLong(); };
        QCOMPARE(number(RecordingsModel::BegunColumn), 5U);
        QCOMPARE(number(RecordingsModel::DurationColumn), 6U);
        QCOMPARE(number(RecordingsModel::EventsColumn), 7U);
        QCOMPARE(model.index(0, RecordingsModel::StateColumn).data(RecordingsModel::SortRole).toInt(),
                 static_cast<int>(RecordedRun::State::Complete));
        for (int column = 0; column < RecordingsModel::ColumnCount; ++column)
            QVERIFY(!model.headerData(column, Qt::Horizontal).toString().isEmpty());
    }
};

CT_QT_SUITE(TestRecordingsModel)
#include "tst_recordingsmodel.moc"
