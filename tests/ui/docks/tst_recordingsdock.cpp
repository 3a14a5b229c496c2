// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The list of recordings, with simulated clicks and keys: the rows that it shows, opens, deletes and keeps.
#include "core/recording/read/recordingreader.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/fileclaim.h"
#include "core/recording/write/recordingwriter.h"
#include "core/session/run.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/recordingsdock.h"
#include "ui/format/recordingsformat.h"
#include "ui/format/theme.h"
#include "ui/mainwindow.h"
#include "ui/widgets/infobar.h"
#include "ui/widgets/jobbar.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

using namespace ct;

namespace {

using ct::test::kPatienceMs;
constexpr std::uint64_t kSecond = 1'000'000'000;

/// Writes a run of `seconds` with one coroutine. With `limitNs`, the recording rotates.
std::shared_ptr<RecordingWriter> record(const QString &directory, const QString &name, int seconds,
                                        std::uint64_t limitNs = 0)
{
    const auto made = RecordingWriter::open((directory + u'/' + name + QStringLiteral(".ctr")).toStdString(),
                                            {RecordingLimits::kLeastBytes, limitNs});
    if (!made)
        return nullptr;
    RecordingInfo info;
    info.command = {"/usr/bin/server", "--port", "80"};
    info.clocks = {{kSecond, kSecond, kSecond}};
    (*made)->addInfo(info);
    for (int i = 0; i < seconds * 10; ++i) {
        Batch batch;
        batch.now = kSecond + static_cast<std::uint64_t>(i) * kSecond / 10;
        if (i == 0)
            batch.births.push_back({0, 0, 0, 1, Dialect::Lane, 1, batch.now});
        Transition event;
        event.ts = batch.now;
        event.n = event.seq = static_cast<std::uint64_t>(i);
        event.active = i % 2 == 1;
        batch.transitions.push_back(event);
        if (!(*made)->consume(batch))
            return nullptr;
    }
    return *made;
}

bool recordToEnd(const QString &directory, const QString &name, int seconds = 2, std::uint64_t limitNs = 0)
{
    const auto writer = record(directory, name, seconds, limitNs);
    return writer && writer->finish({});
}

std::uint64_t eventsIn(const std::string &path)
{
    const auto reader = RecordingReader::open(path);
    std::uint64_t events = 0;
    if (reader)
        for (Batch batch; *(*reader)->next(batch);)
            events += batch.transitions.size();
    return events;
}

}  // namespace

class TestRecordingsDock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        applyTheme(Theme::Light);
        m_cache.emplace();
        qputenv("XDG_CACHE_HOME", QFile::encodeName(m_cache->path()));
        m_directory = recordingsDirectory();
        QVERIFY(QDir().mkpath(m_directory));
        m_dock = std::make_unique<RecordingsDock>(m_directory);
        m_dock->resize(760, 200);
    }
    void cleanup()
    {
        m_dock.reset();
        m_cache.reset();
    }

    void explainsAnEmptyList()
    {
        show();
        const auto *empty = m_dock->findChild<QLabel *>(QStringLiteral("recordingsEmpty"));
        QTRY_VERIFY_WITH_TIMEOUT(empty->text().contains(m_directory), kPatienceMs);
        QVERIFY(empty->isVisible());
        gui::takePicture(m_dock.get(), "recordings-empty");
        QSettings().setValue(QStringLiteral("capture/record"), false);
        QTRY_VERIFY_WITH_TIMEOUT(empty->text().contains(QLatin1String("switched off")), kPatienceMs);
    }

    void aRotatedRunIsOneRow()
    {
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.05-server"), 40, 8 * kSecond));
        QVERIFY(files().size() > 2);
        show();
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 1, kPatienceMs);
        QCOMPARE(text(0, RecordingsModel::NameColumn), QStringLiteral("server"));
        const QString age = text(0, RecordingsModel::BegunColumn);
        QVERIFY2(age == QLatin1String("just now") || age.endsWith(QLatin1String(" ago")), qPrintable(age));
        QCOMPARE(text(0, RecordingsModel::DurationColumn), QStringLiteral("39.9\u00A0s"));
        QCOMPARE(text(0, RecordingsModel::StateColumn), QString());
        QVERIFY(toolTip(0, RecordingsModel::NameColumn).startsWith(QLatin1String("/usr/bin/server --port 80\n")));
        QVERIFY(toolTip(0, RecordingsModel::BytesColumn).contains(QLatin1String("files")));
        QVERIFY(toolTip(0, RecordingsModel::EventsColumn).contains(QLatin1String("remain")));
        static const QRegularExpression exact(QStringLiteral("^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$"));
        QVERIFY(exact.match(toolTip(0, RecordingsModel::BegunColumn)).hasMatch());
        gui::takePicture(m_dock.get(), "recordings-one");
    }

    void agesHaveOneUnit()
    {
        const auto age = [](std::uint64_t seconds) {
            return RecordingsFormat::age(kSecond, kSecond + seconds * kSecond);
        };
        QCOMPARE(age(0), QStringLiteral("just now"));
        QCOMPARE(age(59), QStringLiteral("59 s ago"));
        QCOMPARE(age(200), QStringLiteral("3 min ago"));
        QCOMPARE(age(7300), QStringLiteral("2 h ago"));
        QCOMPARE(age(86400 * 3), QStringLiteral("3 d ago"));
        QCOMPARE(RecordingsFormat::age(5 * kSecond, kSecond), QStringLiteral("just now"));
    }

    void showsRunsOfEveryState()
    {
        for (int i = 0; i < 12; ++i)
            QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-%1T07.31.05-server").arg(i + 10), 1 + i));
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T08.00.00-a_program_with_a_very_long_name_that_"
                                                        "does_not_fit_into_its_column_at_all_whatever_one_tries")));
        QVERIFY(record(m_directory, QStringLiteral("2026-11-22T08.00.01-killed"), 2));
        const auto live = record(m_directory, QStringLiteral("2026-11-22T08.00.02-live"), 2);
        QFile garbage(m_directory + QStringLiteral("/2026-11-22T08.00.03-garbage.0.ctr"));
        QVERIFY(garbage.open(QIODevice::WriteOnly) && garbage.write("nothing that can be read") > 0);
        garbage.close();
        show();
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 16, kPatienceMs);
        QStringList states;
        for (int row = 0; row < 16; ++row)
            states << text(row, RecordingsModel::StateColumn);
        for (const char *state : {"recording…", "interrupted", "cannot be read"})
            QVERIFY2(states.contains(QString::fromUtf8(state)), state);
        QVERIFY(m_dock->findChild<QLabel *>(QStringLiteral("recordingsSummary"))
                    ->text()
                    .startsWith(QLatin1String("16 recordings, ")));
        table()->selectRow(1);
        gui::takePicture(m_dock.get(), "recordings-many");
        m_dock->resize(420, 200);
        gui::takePicture(m_dock.get(), "recordings-narrow");
        applyTheme(Theme::Dark);
        m_dock->resize(760, 200);
        gui::takePicture(m_dock.get(), "recordings-dark");
    }

    void enterAndDoubleClickOpen()
    {
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.05-server")));
        show();
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 1, kPatienceMs);
        QSignalSpy opened(m_dock.get(), &RecordingsDock::openRequested);
        const QPoint at = table()->visualRect(table()->model()->index(0, 0)).center();
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(table()->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.at(0).at(0).toString(), m_directory + QStringLiteral("/2026-11-22T07.31.05-server.0.ctr"));
        focusTable();
        QTest::keyClick(table(), Qt::Key_Return);
        QCOMPARE(opened.count(), 2);
        QVERIFY(gui::click(m_dock.get(), "recordingOpenButton"));
        QCOMPARE(opened.count(), 3);
    }

    /// Deletes several recordings at once, with all their segments, after a question.
    void deletesSelectedRunsWithAllSegments()
    {
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.01-one"), 40, 8 * kSecond));
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.02-two")));
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.03-open")));
        const auto live = record(m_directory, QStringLiteral("2026-11-22T07.31.04-live"), 2);
        const ctr::ReadClaim open(
            ctr::segmentsOf((m_directory + QStringLiteral("/2026-11-22T07.31.03-open.ctr")).toStdString()));
        show();
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 4, kPatienceMs);
        QVERIFY(!gui::click(m_dock.get(), "recordingDeleteButton"));  // nothing is selected
        focusTable();
        table()->selectAll();
        QTest::keyClick(table(), Qt::Key_Delete);
        QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QMessageBox>("deleteRecordingsBox"), kPatienceMs);
        auto *box = gui::topLevel<QMessageBox>("deleteRecordingsBox");
        QVERIFY(box->text().contains(QLatin1String("2 recordings")));
        gui::takePicture(box, "recordings-delete");
        box->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY_WITH_TIMEOUT(!gui::topLevel<QMessageBox>("deleteRecordingsBox"), kPatienceMs);
        QVERIFY(gui::click(m_dock.get(), "recordingDeleteButton"));
        QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QMessageBox>("deleteRecordingsBox"), kPatienceMs);
        QVERIFY(gui::click(gui::topLevel<QMessageBox>("deleteRecordingsBox"), "deleteButton"));
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 2, kPatienceMs);
        QCOMPARE(files(), QStringList({QStringLiteral("2026-11-22T07.31.03-open.0.ctr"),
                                       QStringLiteral("2026-11-22T07.31.04-live.0.ctr")}));
    }

    void reportsRecordingsDeletedForSpace()
    {
        for (int i = 1; i <= 3; ++i)
            QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.0%1-server").arg(i)));
        show();
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 3, kPatienceMs);
        m_dock->freeSpace(100 << 20, 200 << 20);
        m_dock->freeSpace(1 << 20, (1 << 20) + 1000);
        const auto *notice = m_dock->findChild<QLabel *>(QStringLiteral("recordingsFreedSpace"));
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kPatienceMs);
        QVERIFY2(notice->text().contains(QLatin1String("to stay below")), qPrintable(notice->text()));
        QTRY_VERIFY_WITH_TIMEOUT(table()->model()->rowCount() < 3, kPatienceMs);
        gui::takePicture(m_dock.get(), "recordings-made");
        // The message stays until a click or the next run.
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.04-server")));
        QTRY_VERIFY_WITH_TIMEOUT(table()->model()->rowCount() > 0, kPatienceMs);
        QVERIFY(notice->isVisible());
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {},
                          table()->visualRect(table()->model()->index(0, 0)).center());
        QVERIFY(!notice->isVisible());
        m_dock->freeSpace(1 << 20, 1 << 20);
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kPatienceMs);
        m_dock->freeSpace(100 << 20, 200 << 20);  // the next run
        QVERIFY(!notice->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 0, kPatienceMs);
    }

    void explainsWhyItCannotBeDeleted()
    {
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.03-open")));
        const auto live = record(m_directory, QStringLiteral("2026-11-22T07.31.04-live"), 2);
        const ctr::ReadClaim open(
            ctr::segmentsOf((m_directory + QStringLiteral("/2026-11-22T07.31.03-open.ctr")).toStdString()));
        show();
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 2, kPatienceMs);
        const auto *button = m_dock->findChild<QToolButton *>(QStringLiteral("recordingDeleteButton"));
        QVERIFY(button->toolTip().startsWith(QLatin1String("Delete the selected recordings")));
        for (int row = 0; row < 2; ++row) {
            table()->selectRow(row);
            QVERIFY(!button->isEnabled());
            const bool isLive = text(row, RecordingsModel::NameColumn) == QLatin1String("live");
            QVERIFY2(button->toolTip().contains(isLive ? QLatin1String("being written") : QLatin1String("is open")),
                     qPrintable(button->toolTip()));
        }
        table()->selectAll();
        QVERIFY(button->toolTip().contains(QLatin1String("or open")));
        table()->clearSelection();
        QVERIFY(button->toolTip().startsWith(QLatin1String("Delete the selected recordings")));
    }

    void showsTheFolder()
    {
        show();
        QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "onUrl");
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.05-server")));
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 1, kPatienceMs);
        QVERIFY(gui::click(m_dock.get(), "recordingFolderButton"));
        QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
        QCOMPARE(m_url.toLocalFile(), m_directory);
    }

    /// The row follows a run of the window from its start. Its saved recording can be opened.
    void followsARun()
    {
        MainWindow window;
        window.show();
        auto *dock = window.findChild<RecordingsDock *>();
        dock->raise();
        auto *rows = dock->findChild<QTableView *>(QStringLiteral("recordingsTable"))->model();
        start(window, QStringLiteral("--seconds 600 --rate 2000"));
        const auto state = [rows] { return rows->index(0, RecordingsModel::StateColumn).data().toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(rows->rowCount(), 1, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("recording…"), kPatienceMs);
        gui::takePicture(&window, "recordings-live");
        const QString saved = m_cache->filePath(QStringLiteral("live.ctr"));
        saveThroughTheMenu(window, saved);
        QVERIFY(eventsIn(saved.toStdString()) > 0);
        window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("open"), kPatienceMs);
        const QString path = QString::fromStdString(window.run().recordingPath());
        const std::uint64_t captured = window.run().accounting().captured;
        saveThroughTheMenu(window, saved);  // replaces the file that was saved before
        QCOMPARE(eventsIn(saved.toStdString()), captured);
        window.openFile(saved);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(window.run().accounting().captured, captured);
        QTRY_COMPARE_WITH_TIMEOUT(state(), QString(), kPatienceMs);
        QVERIFY(QFile::exists(QString::fromStdString(ctr::segmentPath(path.toStdString(), 0))));
    }

    void reportsAFailedSave()
    {
        QVERIFY(recordToEnd(m_directory, QStringLiteral("2026-11-22T07.31.05-server")));
        MainWindow window;
        window.show();
        const QString recording = m_directory + QStringLiteral("/2026-11-22T07.31.05-server.ctr");
        window.saveRecording(recording, QStringLiteral("/nonexistent/kept.ctr"));
        QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QMessageBox>("errorBox"), kPatienceMs);
        auto *box = gui::topLevel<QMessageBox>("errorBox");
        QVERIFY(box->informativeText().contains(QLatin1String("/nonexistent/kept.ctr")));
        box->close();
        QTRY_VERIFY_WITH_TIMEOUT(!gui::topLevel<QMessageBox>("errorBox"), kPatienceMs);
        // A recording that is open cannot be replaced.
        const ctr::ReadClaim open({ctr::segmentPath(recording.toStdString(), 0)});
        window.saveRecording(recording, m_directory + QStringLiteral("/2026-11-22T07.31.05-server.0.ctr"));
        QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QMessageBox>("errorBox"), kPatienceMs);
        QVERIFY(gui::topLevel<QMessageBox>("errorBox")->informativeText().contains(QLatin1String("another name")));
        gui::topLevel<QMessageBox>("errorBox")->close();
    }

    void onUrl(const QUrl &url) { m_url = url; }

private:
    void show()
    {
        m_dock->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_dock.get(), kPatienceMs));
    }
    /// Waits until the window is active: shortcuts reach only the active window, and a real display activates it later.
    void focusTable()
    {
        m_dock->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_dock.get(), kPatienceMs));
        table()->setFocus();
    }
    QTableView *table() const { return m_dock->findChild<QTableView *>(QStringLiteral("recordingsTable")); }
    QString text(int row, int column) const { return table()->model()->index(row, column).data().toString(); }
    QString toolTip(int row, int column) const
    {
        return table()->model()->index(row, column).data(Qt::ToolTipRole).toString();
    }
    QStringList files() const { return QDir(m_directory).entryList(QDir::Files, QDir::Name); }

    static void start(MainWindow &window, const QString &arguments)
    {
        LaunchSpec spec;
        spec.argv = {gui::targetPath("ct_storm").toStdString()};
        for (const QString &word : arguments.split(u' '))
            spec.argv.push_back(word.toStdString());
        StartRequest request;
        request.what = spec;
        window.start(request);
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 100, kPatienceMs);
    }
    static void saveThroughTheMenu(MainWindow &window, const QString &path)
    {
        auto *action = window.findChild<QAction *>(QStringLiteral("actionSaveRecording"));
        QVERIFY(action->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(eventsIn(ctr::segmentPath(window.run().recordingPath(), 0)) > 0, kPatienceMs);
        action->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QFileDialog>("saveFileDialog"), kPatienceMs);
        auto *dialog = gui::topLevel<QFileDialog>("saveFileDialog");
        dialog->setOption(QFileDialog::DontConfirmOverwrite);
        dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"))->setText(path);
        static_cast<QDialog *>(dialog)->accept();
        const auto *notice = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<JobBar *>(QStringLiteral("saveBar"))->isRunning() &&
                                     notice->isVisible() && notice->text().contains(path),
                                 kPatienceMs);
        gui::takePicture(&window, "recordings-saved");
    }

    gui::Sandbox m_sandbox;
    std::optional<QTemporaryDir> m_cache;
    QString m_directory;
    std::unique_ptr<RecordingsDock> m_dock;
    QUrl m_url;
};

CT_QT_SUITE(TestRecordingsDock)
#include "tst_recordingsdock.moc"
