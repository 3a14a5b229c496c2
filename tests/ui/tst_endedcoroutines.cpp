// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A recording of far more coroutines than the budget has room for. Nearly all of them end.
#include "core/recording/write/recordingwriter.h"
#include "core/session/run.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/mainwindow.h"
#include "ui/widgets/infobar.h"
#include "ui/widgets/jobbar.h"

#include <QFile>
#include <QSettings>
#include <QTableView>

using namespace ct;

namespace {

using ct::test::kPatienceMs;
constexpr CoroutineId kBorn = 100'000;
constexpr std::uint64_t kEach = 4;  ///< events per coroutine

void record(const std::string &path, bool ends)
{
    const auto writer = RecordingWriter::open(path);
    QVERIFY(bool(writer));
    for (CoroutineId first = 0; first < kBorn; first += 1000) {
        Batch batch;
        batch.now = 1'000'000 + first * 1000;
        for (CoroutineId id = first; id < first + 1000; ++id) {
            Birth birth;
            birth.coroutine = id;
            birth.birthTs = batch.now;
            birth.dialect = Dialect::Seqlock;
            batch.births.push_back(birth);
            for (std::uint64_t n = 0; n < kEach; ++n) {
                Transition event;
                event.coroutine = id;
                event.n = n;
                event.seq = slotSeq(Dialect::Seqlock, n);
                event.active = n % 2 != 0;
                event.ts = batch.now + n;
                batch.transitions.push_back(event);
            }
            if (ends && id % 10'000 != 0)
                batch.deaths.push_back({id, batch.now + 10});
        }
        QVERIFY(bool((*writer)->consume(batch)));
    }
    QVERIFY(bool((*writer)->finish({})));
}

}  // namespace

class TestEndedCoroutines : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void memoryKeepsTheLatestCoroutines()
    {
        const QString path = m_sandbox.path(QStringLiteral("many.ctr"));
        record(path.toStdString(), true);
        MainWindow window;
        window.show();
        QSettings().setValue(QStringLiteral("capture/keepMiB"), 16);
        window.openFile(path);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        const Population &population = *window.run().population();
        const Accounting sums = window.run().accounting();
        QCOMPARE(sums.coroutines, std::uint64_t{kBorn});
        QCOMPARE(sums.captured, kBorn * kEach);
        QCOMPARE(sums.overflowCoroutines + population.keptCount(), std::uint64_t{kBorn});
        QVERIFY(population.keptCount() < 10'000);
        QVERIFY(population.bytesUsed() < 4U << 20);
        QCOMPARE(population.alive(), 10U);
        QVERIFY(population.at(0).kept && population.at(kBorn - 1).kept && !population.at(5000).kept);
        const auto *table = window.findChild<QTableView *>(QStringLiteral("coroutineTable"));
        QTRY_COMPARE(static_cast<std::uint64_t>(table->model()->rowCount()), population.keptCount());
        const auto *notice = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QTRY_VERIFY(notice->isVisible() && notice->text().contains(QLatin1String("have ended")));
        QVERIFY(!notice->text().contains(QLatin1String("no room")));
        exportsWhatIsKept(window);
    }

    void countsLivingCoroutinesBeyondTheLimit()
    {
        const QString path = m_sandbox.path(QStringLiteral("living.ctr"));
        record(path.toStdString(), false);
        MainWindow window;
        window.show();
        QSettings().setValue(QStringLiteral("capture/keepMiB"), 16);
        window.openFile(path);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        // The machine's memory limits living coroutines, not the budget.
        QCOMPARE(window.run().population()->keptCount(), std::uint64_t{kBorn});
        QCOMPARE(window.run().accounting().overflowCoroutines, 0U);
    }

private:
    void exportsWhatIsKept(MainWindow &window)
    {
        const QString path = m_sandbox.path(QStringLiteral("kept.csv"));
        const Accounting sums = window.run().accounting();
        window.exportTo(*exportFormatFor("x.csv"), path);
        auto *bar = window.findChild<JobBar *>();
        QTRY_VERIFY_WITH_TIMEOUT(!bar->isRunning() && QFile::exists(path), kPatienceMs);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readLine().startsWith("probe_id"));
        std::uint64_t rows = 0;
        while (!file.readLine().isEmpty())
            ++rows;
        QCOMPARE(rows + sums.overflowEvents, sums.captured);
    }

    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestEndedCoroutines)
#include "tst_endedcoroutines.moc"
