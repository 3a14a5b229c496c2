// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Capture settings and the folder for dumps: from the fields to the request, and back from the stored settings.
#include "core/session/run.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/dialogs/capturesection.h"
#include "ui/dialogs/dumpdialog.h"
#include "ui/dialogs/rundialog.h"
#include "ui/format/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>

#include <algorithm>
#include <unistd.h>

using namespace ct;

class TestCaptureSettings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        applyTheme(Theme::Light);
    }

    void storesSettingsAndCorrectsInvalidValues()
    {
        QSettings settings;
        QCOMPARE(CaptureSettings::load(settings), CaptureSettings());
        CaptureSettings changed;
        changed.lanes = false;
        changed.laneKiB = 64;
        changed.poolMiB = 9;
        changed.retentionSec = 0;
        changed.keepMiB = 77;
        changed.keepSec = 30;
        changed.overheadPercent = 2;
        changed.record = false;
        changed.recordMiB = 100;
        changed.recordTotalMiB = 300;
        changed.save(settings);
        QCOMPARE(CaptureSettings::load(settings), changed);
        settings.setValue(QStringLiteral("capture/laneKiB"), 100);
        settings.setValue(QStringLiteral("capture/poolMiB"), -5);
        settings.setValue(QStringLiteral("capture/keepMiB"), 1);
        settings.setValue(QStringLiteral("capture/keepSec"), QStringLiteral("nonsense"));
        const CaptureSettings mended = CaptureSettings::load(settings);
        QCOMPARE(mended.laneKiB, 64);
        QCOMPARE(mended.poolMiB, 1);
        QCOMPARE(mended.keepMiB, CaptureSettings::kSmallestKeepMiB);
        QCOMPARE(mended.keepSec, 0);
        settings.setValue(QStringLiteral("capture/recordMiB"), 1);
        QCOMPARE(CaptureSettings::load(settings).recordMiB, CaptureSettings::kSmallestRecordMiB);
    }

    void appliesAllSettingsToTheCapture()
    {
        CaptureSettings settings;
        settings.lanes = false;
        settings.laneKiB = 64;
        settings.poolMiB = 9;
        settings.retentionSec = 5;
        StartRequest request;
        settings.applyTo(request);
        QVERIFY(!request.maxOverhead);
        settings.overheadPercent = 5;
        settings.applyTo(request);
        QCOMPARE(request.maxOverhead.value(), 0.05);
        const CaptureSpec &spec = request.capture;
        QCOMPARE(spec.lanes, false);
        QCOMPARE(spec.laneBytes, 64U << 10U);
        QCOMPARE(spec.lanePoolBytes, 9U << 20U);
        QCOMPARE(spec.laneRetentionMs, 5000U);
    }

    void runDialogEditsAndStoresTheSettings()
    {
        RunDialog dialog;
        dialog.showLaunch();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog, ct::test::kPatienceMs));
        gui::takePicture(&dialog, "run-folded");
        auto *lanes = dialog.findChild<QCheckBox *>(QStringLiteral("captureLanes"));
        QVERIFY(!lanes->isVisible());
        QVERIFY(gui::click(&dialog, "captureUnfold"));
        QVERIFY(lanes->isVisible());
        QCoreApplication::processEvents();
        gui::takePicture(&dialog, "run-capture");
        auto *lane = dialog.findChild<QComboBox *>(QStringLiteral("captureLaneSize"));
        auto *pool = dialog.findChild<QSpinBox *>(QStringLiteral("capturePool"));
        QCOMPARE(lane->currentData().toInt(), static_cast<int>(ct::kUsualLaneBytes >> 10));
        lane->setFocus();
        QTest::keyClick(lane, Qt::Key_End);
        pool->setFocus();
        pool->selectAll();
        QTest::keyClicks(pool, QStringLiteral("512"));
        QTest::keyClick(pool, Qt::Key_Tab);
        auto *keep = dialog.findChild<QSpinBox *>(QStringLiteral("captureKeepSec"));
        keep->setValue(30);
        dialog.findChild<QSpinBox *>(QStringLiteral("captureOverhead"))->setValue(2);
        const QString summary = dialog.findChild<QLabel *>(QStringLiteral("captureSummary"))->text();
        QVERIFY(summary.contains(QLatin1String("512")));
        QVERIFY(summary.contains(QLatin1String("costs the target at most 2 %")));
        applyTheme(Theme::Dark);
        gui::takePicture(&dialog, "run-capture-dark");
        dialog.findChild<QLineEdit *>(QStringLiteral("runCommand"))->setText(QStringLiteral("/bin/true"));
        StartRequest asked;
        connect(&dialog, &RunDialog::startRequested, this, [&asked](const StartRequest &request) { asked = request; });
        QVERIFY(gui::click(&dialog, "runStart"));
        QCOMPARE(asked.capture.laneBytes, 128ULL << 20);
        QCOMPARE(asked.capture.lanePoolBytes, 512ULL << 20);
        QVERIFY(asked.capture.lanes);
        QCOMPARE(asked.maxOverhead.value(), 0.02);
        QCOMPARE(CaptureSettings::load(QSettings()).keepSec, 30);
        // The next dialog shows the stored values.
        RunDialog again;
        again.showLaunch();
        QCOMPARE(again.findChild<QSpinBox *>(QStringLiteral("capturePool"))->value(), 512);
    }

    void withoutLanesTheirFieldsAreOff()
    {
        CaptureSection section;
        section.show();
        QVERIFY(gui::click(&section, "captureUnfold"));
        section.findChild<QCheckBox *>(QStringLiteral("captureLanes"))->setFocus();
        QTest::keyClick(section.findChild<QCheckBox *>(QStringLiteral("captureLanes")), Qt::Key_Space);
        QVERIFY(!section.settings().lanes);
        QVERIFY(!section.findChild<QSpinBox *>(QStringLiteral("capturePool"))->isEnabled());
        QVERIFY(section.findChild<QSpinBox *>(QStringLiteral("captureKeepMiB"))->isEnabled());
        section.findChild<QSpinBox *>(QStringLiteral("captureKeepMiB"))->setValue(3);
        QCOMPARE(section.settings().keepMiB, CaptureSettings::kSmallestKeepMiB);
    }

    void recordingCanBeSwitchedOff()
    {
        CaptureSection section;
        section.show();
        QVERIFY(gui::click(&section, "captureUnfold"));
        const auto *summary = section.findChild<QLabel *>(QStringLiteral("captureSummary"));
        QVERIFY2(summary->text().contains(QStringLiteral("recorded, 1\u00A0GiB at most")), qPrintable(summary->text()));
        QCOMPARE(section.settings().recordingFolder()->limitBytes, 1ULL << 30);
        QCOMPARE(section.settings().recordTotalBytes(), 4ULL << 30);
        section.findChild<QSpinBox *>(QStringLiteral("captureRecordMiB"))->setValue(8 << 10);
        QCOMPARE(section.settings().recordTotalBytes(), 8ULL << 30);
        section.findChild<QCheckBox *>(QStringLiteral("captureRecord"))->setFocus();
        QTest::keyClick(section.findChild<QCheckBox *>(QStringLiteral("captureRecord")), Qt::Key_Space);
        QVERIFY(!section.settings().recordingFolder());
        QVERIFY(!section.findChild<QSpinBox *>(QStringLiteral("captureRecordMiB"))->isEnabled());
        QVERIFY(!section.findChild<QSpinBox *>(QStringLiteral("captureRecordTotalMiB"))->isEnabled());
        QVERIFY(summary->text().contains(QLatin1String("not recorded")));
    }

    void offersOnlyValidRegionSizes()
    {
        CaptureSection section;
        QCOMPARE(section.findChild<QSpinBox *>(QStringLiteral("capturePool"))->maximum(), int(kLanePoolMax >> 20));
        const auto *lane = section.findChild<QComboBox *>(QStringLiteral("captureLaneSize"));
        QCOMPARE(lane->itemData(0).toInt(), int(kLaneBytesMin >> 10));
        QCOMPARE(lane->itemData(lane->count() - 1).toInt(), int(kLaneBytesMax >> 10));
    }

    void dumpNamesAreUniqueAndSafe()
    {
        DumpSettings settings = DumpSettings::load(QSettings());
        QVERIFY(!settings.isUsable());
        settings.folder = m_sandbox.path(QString());
        QVERIFY(settings.isUsable());
        const QDateTime time(QDate(2026, 11, 21), QTime(3, 45, 0));
        const QString first = settings.path(QStringLiteral("my server"), time);
        QVERIFY(first.endsWith(QLatin1String("/my_server-20261121-034500.sqlite")));
        QFile file(first);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(settings.path(QStringLiteral("my server"), time).endsWith(QLatin1String("034500-2.sqlite")));
        QVERIFY(settings.path(QStringLiteral("/../.."), time).startsWith(settings.folder + QLatin1String("/cor")));
        settings.format = QStringLiteral("xyz");
        QVERIFY(!settings.isUsable());
    }

    void dumpDialogAcceptsOnlyUsableSettings()
    {
        DumpSettings before;
        before.folder = m_sandbox.path(QString());
        before.format = QStringLiteral("csv");
        DumpDialog dialog(before);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog, ct::test::kPatienceMs));
        auto *folder = dialog.findChild<QLineEdit *>(QStringLiteral("dumpFolder"));
        auto *button = dialog.findChild<QPushButton *>(QStringLiteral("dumpButton"));
        QVERIFY(button->isEnabled());
        folder->setFocus();
        QTest::keyClicks(folder, QStringLiteral("/nowhere"));
        QVERIFY(!button->isEnabled());
        gui::takePicture(&dialog, "dump");
        folder->setText(before.folder);
        DumpSettings chosen;
        connect(&dialog, &DumpDialog::dumpRequested, this, [&chosen](const DumpSettings &got) { chosen = got; });
        QTest::keyClick(folder, Qt::Key_Return);
        QCOMPARE(chosen.folder, before.folder);
        QCOMPARE(chosen.format, QStringLiteral("csv"));
    }

    /// By default, events may use a quarter of the machine's memory, but at least 256 MiB. A budget from the user
    /// applies unchanged.
    void historyBudgetIsAQuarterOfTheMemoryOrAsSet()
    {
        QFile file(m_sandbox.path(QStringLiteral("one.jsonl")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"probe_id\":1,\"tid\":7,\"addr\":\"0x0000000000001234\",\"seq\":2,\"is_active\":true,"
                   "\"ts\":1000000}\n");
        file.close();
        StartRequest request;
        request.what = OpenRequest{file.fileName().toStdString()};
        const std::uint64_t memory =
            static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        const std::uint64_t usual = std::max<std::uint64_t>(memory / 4, 256U << 20U);
        for (const std::uint64_t keep : {std::uint64_t{0}, std::uint64_t{200} << 20U}) {
            RunSettings settings;
            settings.keepBytes = keep;
            settings.symbols = std::make_shared<SymbolWorker>();
            const Result<std::unique_ptr<Run>> run = Run::start(request, settings);
            QVERIFY(bool(run));
            const std::uint64_t budget = keep == 0 ? usual : keep;
            QVERIFY((*run)->history()->mostEventBytes() <= budget);
            QVERIFY((*run)->history()->mostEventBytes() >= std::min(budget / 2, std::uint64_t{15} << 30U));
            QTRY_COMPARE((*run)->state(), RunState::Ended);
        }
    }

private:
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestCaptureSettings)
#include "tst_capturesettings.moc"
