// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports through the dialog, with keys and clicks.
#include "core/exporting/exporttrace.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/dialogs/exportwindow.h"
#include "ui/docks/coroutinedock.h"
#include "ui/format/progressformat.h"
#include "ui/format/theme.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QMessageBox>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QTimer>
#include <QTreeWidget>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace ct;
using gui::choose;
using gui::ExportWindow;
using gui::labelOf;
using gui::type;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

qsizetype linesOf(const QString &path)
{
    return contentOf(path).count('\n');
}

/// A server on a local port that accepts connections and never sends anything.
class SilentPort {
public:
    SilentPort() : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto *any = reinterpret_cast<sockaddr *>(&address);
        if (::bind(m_socket, any, size) == 0 && ::listen(m_socket, 1) == 0 && ::getsockname(m_socket, any, &size) == 0)
            m_number = ntohs(address.sin_port);
    }
    ~SilentPort() { ::close(m_socket); }
    SilentPort(const SilentPort &) = delete;
    SilentPort &operator=(const SilentPort &) = delete;

    int number() const { return m_number; }
    bool hasConnection() const
    {
        pollfd socket{m_socket, POLLIN, 0};
        return ::poll(&socket, 1, 0) == 1;
    }

private:
    const int m_socket;
    int m_number = 0;
};

class TestExportDialog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void exportsWithKeysOnly()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(4, 100));
        QVERIFY(opened.isOpen);
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "csv");
        QCOMPARE(labelOf(dialog, "exportEstimate").section(u',', 0, 1), QStringLiteral("400 events, 4 coroutines"));
        const QString path = m_sandbox.path(QStringLiteral("keys.csv"));
        type(dialog, "exportPath", path);
        gui::takePicture(dialog, "export-csv");
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(opened.hasEnded());
        QCOMPARE(linesOf(path), 401);
        QVERIFY2(opened.notice().contains(path) && !opened.notice().contains(QLatin1String("selected")),
                 qPrintable(opened.notice()));
        QTRY_VERIFY(!gui::topLevel<QWidget>("exportDialog"));
    }

    void tabFollowsTheLayout()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 2));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "jsonl");
        dialog->findChild<QWidget *>(QStringLiteral("exportFormat"))->setFocus();
        QStringList names;
        for (int i = 0; i < 7; ++i, QTest::keyClick(dialog, Qt::Key_Tab))
            names << dialog->focusWidget()->objectName();
        const QStringList expected{QStringLiteral("exportFormat"), QStringLiteral("exportPath"),
                                   QStringLiteral("exportBrowse"), QStringLiteral("selectAll"),
                                   QStringLiteral("selectTimes"),  QStringLiteral("selectVisible"),
                                   QStringLiteral("exportContent")};
        QCOMPARE(names, expected);
    }

    void showsTheContentOfEveryFormat()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 2));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        auto *formats = dialog->findChild<QComboBox *>(QStringLiteral("exportFormat"));
        auto *tree = dialog->findChild<QTreeWidget *>(QStringLiteral("exportContent"));
        QCOMPARE(formats->count(), static_cast<int>(exportFormats().size()) + 2);
        for (int i = 0; i < formats->count(); ++i) {
            formats->setCurrentIndex(i);
            QVERIFY(tree->topLevelItemCount() > 0);
            const QTreeWidgetItem *last = tree->topLevelItem(tree->topLevelItemCount() - 1);
            const bool isRecording = formats->currentData().toString() == QLatin1String("ctr");
            QCOMPARE(last->text(0), isRecording ? QStringLiteral("Output") : QStringLiteral("Not kept"));
            QCOMPARE(last->text(1), QStringLiteral("What the target printed"));
            // Both columns are in the view.
            QVERIFY(!tree->horizontalScrollBar()->isVisible());
            QVERIFY(tree->columnWidth(1) >= tree->fontMetrics().horizontalAdvance(last->text(1)));
            gui::takePicture(dialog, qPrintable(QStringLiteral("export-format-%1").arg(i)));
        }
        choose(dialog, "sqlite");
        QCOMPARE(tree->topLevelItem(0)->text(0), QStringLiteral("coro_trace_events"));
        QCOMPARE(tree->topLevelItem(0)->child(0)->text(0), QStringLiteral("id"));
        const auto has = [tree](const char *name) {
            return tree->findItems(QLatin1String(name), Qt::MatchExactly).size() == 1;
        };
        QVERIFY(has("events") && has("coro_trace"));
        const QTreeWidgetItem *const view = tree->findItems(QStringLiteral("coro_trace"), Qt::MatchExactly).front();
        const QRect oneLine = tree->visualItemRect(tree->topLevelItem(0));
        QVERIFY(tree->fontMetrics().horizontalAdvance(view->text(1)) > tree->columnWidth(1));
        QTRY_VERIFY(tree->visualItemRect(view).height() > oneLine.height());
        tree->scrollToItem(view);
        gui::takePicture(dialog, "export-views");
        choose(dialog, "postgresql");
        QVERIFY(tree->topLevelItem(0)->text(0) != QLatin1String("coro_trace_events"));
        QVERIFY(has("events") && has("coro_trace_events"));
        type(dialog, "serverTable", QStringLiteral("old_name"));
        QVERIFY(has("old_name") && !has("coro_trace_events"));
        choose(dialog, "csv");
        QCOMPARE(tree->topLevelItem(0)->child(0)->text(0), QStringLiteral("probe_id"));
    }

    /// The trace comes from JSONL. Only a trace with a native recording is exported by copying its file.
    void writesARecordingThatOpensAgain()
    {
        const QString path = m_sandbox.path(QStringLiteral("again.ctr"));
        ExportWindow opened(m_sandbox, gui::sampleRecording(4, 100));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        auto *selection = dialog->findChild<QWidget *>(QStringLiteral("selectionFields"));
        choose(dialog, "csv");
        dialog->findChild<QCheckBox *>(QStringLiteral("selectTimes"))->setChecked(true);
        dialog->findChild<QDoubleSpinBox *>(QStringLiteral("selectTo"))->setValue(0.01);
        QVERIFY(labelOf(dialog, "exportEstimate").startsWith(QLatin1String("About ")));
        choose(dialog, "ctr");
        QVERIFY(!selection->isVisible());
        QCOMPARE(labelOf(dialog, "exportEstimate").section(u',', 0, 1), QStringLiteral("400 events, 4 coroutines"));
        type(dialog, "exportPath", path);
        gui::takePicture(dialog, "export-recording");
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(opened.hasEnded());
        QVERIFY2(opened.notice().startsWith(QLatin1String("400 events")), qPrintable(opened.notice()));
        const QString csv = m_sandbox.path(QStringLiteral("first.csv"));
        opened.window.exportTo(*exportFormatFor("x.csv"), csv);
        QVERIFY(opened.hasEnded());
        opened.window.openFile(path);
        QTRY_COMPARE_WITH_TIMEOUT(opened.window.run().name(), QStringLiteral("again.ctr"), gui::kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(opened.window.run().state(), RunState::Ended, gui::kPatienceMs);
        const QString csvAgain = m_sandbox.path(QStringLiteral("again.csv"));
        opened.window.exportTo(*exportFormatFor("x.csv"), csvAgain);
        QVERIFY(opened.hasEnded());
        QCOMPARE(contentOf(csvAgain), contentOf(csv));
    }

    void exportsTheRowsThatAreSelected()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(6, 50));
        auto *table = opened.window.findChild<QTableView *>(QStringLiteral("coroutineTable"));
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 6, gui::kPatienceMs);
        for (const int row : {1, 4})
            QTest::mouseClick(table->viewport(), Qt::LeftButton, row == 4 ? Qt::ControlModifier : Qt::NoModifier,
                              table->visualRect(table->model()->index(row, 0)).center());
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "csv");
        QVERIFY(gui::press(dialog, "selectChosen"));
        QVERIFY2(labelOf(dialog, "exportEstimate").startsWith(QLatin1String("100 events, 2 coroutines")),
                 qPrintable(labelOf(dialog, "exportEstimate")));
        const QString path = m_sandbox.path(QStringLiteral("chosen.csv"));
        type(dialog, "exportPath", path);
        QVERIFY(gui::click(dialog, "exportButton"));
        QVERIFY(opened.hasEnded());
        QCOMPARE(linesOf(path), 101);
        QVERIFY2(opened.notice().contains(QLatin1String("200 events were not selected")), qPrintable(opened.notice()));
    }

    void exportsWhatPassesTheFilter()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(12, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        QVERIFY(!dialog->findChild<QRadioButton *>(QStringLiteral("selectFiltered"))->isEnabled());
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!gui::topLevel<QWidget>("exportDialog"));
        opened.window.findChild<CoroutineDock *>()->setFilterText(QStringLiteral("job 1"));  // 1, 10, 11
        dialog = opened.ask();
        QVERIFY(dialog);
        QVERIFY(gui::press(dialog, "selectFiltered"));
        QVERIFY2(labelOf(dialog, "exportEstimate").startsWith(QLatin1String("30 events, 3 coroutines")),
                 qPrintable(labelOf(dialog, "exportEstimate")));
    }

    void exportsATimeRange()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(2, 100));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "csv");
        const QString path = m_sandbox.path(QStringLiteral("range.csv"));
        type(dialog, "exportPath", path);
        auto *from = dialog->findChild<QDoubleSpinBox *>(QStringLiteral("selectFrom"));
        auto *to = dialog->findChild<QDoubleSpinBox *>(QStringLiteral("selectTo"));
        QVERIFY(!from->isEnabled());
        QVERIFY(gui::press(dialog, "selectTimes"));
        QVERIFY(from->isEnabled());
        QVERIFY2(labelOf(dialog, "exportEstimate").startsWith(QLatin1String("About 200 events")),
                 qPrintable(labelOf(dialog, "exportEstimate")));
        from->setValue(0.010);
        to->setValue(0.005);
        QVERIFY(!dialog->findChild<QPushButton *>(QStringLiteral("exportButton"))->isEnabled());
        QVERIFY(labelOf(dialog, "exportMessage").contains(QLatin1String("time range is empty")));
        to->setValue(0.030);
        QVERIFY2(labelOf(dialog, "exportEstimate").startsWith(QLatin1String("About 4")),
                 qPrintable(labelOf(dialog, "exportEstimate")));
        gui::takePicture(dialog, "export-range");
        QVERIFY(gui::click(dialog, "exportButton"));
        QVERIFY(opened.hasEnded());
        QCOMPARE(linesOf(path), 41);
        QVERIFY(contentOf(path).contains(",1010000000,10,0,"));
        QVERIFY(!contentOf(path).contains(",1030000000,30,0,"));
    }

    void copiesTheTimeRangeOfTheTimeline()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(2, 100));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        QVERIFY(gui::press(dialog, "selectVisible"));
        QVERIFY(dialog->findChild<QCheckBox *>(QStringLiteral("selectTimes"))->isChecked());
        QVERIFY(labelOf(dialog, "exportEstimate").startsWith(QLatin1String("About ")));
    }

    void aFullDiskLeavesNothing()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(10, 3000));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "csv");
        const QString path = m_sandbox.path(QStringLiteral("full.csv"));
        type(dialog, "exportPath", path);
        QVERIFY(gui::press(dialog, "selectTimes"));
        dialog->findChild<QDoubleSpinBox *>(QStringLiteral("selectTo"))->setValue(2.5);
        {
            const test::FileSizeLimit limit(100'000);
            QVERIFY(gui::click(dialog, "exportButton"));
            QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QMessageBox>("errorBox"), gui::kPatienceMs);
        }
        gui::topLevel<QWidget>("errorBox")->close();
        QVERIFY(!QFile::exists(path));
        // The dialog still has what was entered, until the export succeeds.
        QTRY_VERIFY(!gui::topLevel<QWidget>("exportDialog"));
        dialog = opened.ask();
        QVERIFY(dialog);
        const auto *line = dialog->findChild<QLineEdit *>(QStringLiteral("exportPath"));
        QCOMPARE(line->text(), path);
        QVERIFY(dialog->findChild<QCheckBox *>(QStringLiteral("selectTimes"))->isChecked());
        QCOMPARE(dialog->findChild<QDoubleSpinBox *>(QStringLiteral("selectTo"))->value(), 2.5);
        QVERIFY(gui::click(dialog, "exportButton"));
        QVERIFY(opened.hasEnded());
        QVERIFY(QFile::exists(path));
        QTRY_VERIFY(!gui::topLevel<QWidget>("exportDialog"));
        dialog = opened.ask();
        QVERIFY(dialog);
        QVERIFY(!dialog->findChild<QCheckBox *>(QStringLiteral("selectTimes"))->isChecked());
    }

    void exportsAnEmptyTrace()
    {
        ExportWindow opened(m_sandbox, "{\"note\":\"process\",\"pid\":9,\"ts\":1000,\"name\":\"idle\"}\n");
        // The window reports that the file is empty.
        if (auto *box = gui::topLevel<QWidget>("errorBox"))
            box->close();
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "csv");
        QVERIFY(labelOf(dialog, "exportEstimate").startsWith(QLatin1String("0 events, 0 coroutines")));
        const QString path = m_sandbox.path(QStringLiteral("empty.csv"));
        type(dialog, "exportPath", path);
        QVERIFY(gui::click(dialog, "exportButton"));
        QVERIFY(opened.hasEnded());
        QCOMPARE(linesOf(path), 1);
    }

    void escapeExportsNothing()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        const QString path = m_sandbox.path(QStringLiteral("never.csv"));
        choose(dialog, "csv");
        type(dialog, "exportPath", path);
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!gui::topLevel<QWidget>("exportDialog"));
        QVERIFY(opened.hasEnded());
        QVERIFY(!QFile::exists(path));
    }

    void reportsAServerThatRefuses()
    {
        const int port = SilentPort().number();  // closed again
        QVERIFY(port > 0);
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "postgresql");
        dialog->findChild<QSpinBox *>(QStringLiteral("serverPort"))->setValue(port);
        QVERIFY(gui::click(dialog, "serverTest"));
        QTRY_VERIFY_WITH_TIMEOUT(labelOf(dialog, "serverTestResult").contains(QLatin1String("check the address")),
                                 gui::kPatienceMs);
        gui::takePicture(dialog, "export-refused");
        // The export itself reports the same.
        QVERIFY(gui::click(dialog, "exportButton"));
        QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QMessageBox>("errorBox"), gui::kPatienceMs);
        QVERIFY(gui::topLevel<QMessageBox>("errorBox")->informativeText().contains(QString::number(port)) ||
                gui::topLevel<QMessageBox>("errorBox")->text().contains(QString::number(port)));
        gui::topLevel<QWidget>("errorBox")->close();
        QVERIFY(opened.hasEnded());
    }

    void cancelsTheTestOfASilentServer()
    {
        const SilentPort silent;
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "postgresql");
        dialog->findChild<QSpinBox *>(QStringLiteral("serverPort"))->setValue(silent.number());
        QVERIFY(gui::click(dialog, "serverTest"));
        QVERIFY(labelOf(dialog, "serverTestResult").startsWith(QLatin1String("Connecting")));
        QTRY_VERIFY(silent.hasConnection());
        QVERIFY(gui::click(dialog, "serverTest"));
        QVERIFY(labelOf(dialog, "serverTestResult").contains(QLatin1String("cancelled")));
        QTest::keyClick(dialog, Qt::Key_Escape);
    }

    void keepsServersWithoutTheirPasswords()
    {
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "postgresql");
        auto *over = dialog->findChild<QComboBox *>(QStringLiteral("serverOver"));
        over->setCurrentIndex(1);
        QVERIFY(!dialog->findChild<QPushButton *>(QStringLiteral("exportButton"))->isEnabled());
        QVERIFY(labelOf(dialog, "exportMessage").contains(QLatin1String("socket")));
        type(dialog, "serverSocket", QStringLiteral("/no such/folder"));
        type(dialog, "serverUser", QStringLiteral("anna"));
        type(dialog, "serverPassword", QStringLiteral("geheim"));
        gui::takePicture(dialog, "export-server");
        QVERIFY(gui::click(dialog, "exportButton"));
        QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QMessageBox>("errorBox"), gui::kPatienceMs);
        gui::topLevel<QWidget>("errorBox")->close();
        QSettings settings;
        settings.sync();
        QVERIFY(!contentOf(settings.fileName()).contains("geheim"));
        dialog = opened.ask();
        QVERIFY(dialog);
        QCOMPARE(dialog->findChild<QLineEdit *>(QStringLiteral("serverSocket"))->text(),
                 QStringLiteral("/no such/folder"));
        QCOMPARE(dialog->findChild<QLineEdit *>(QStringLiteral("serverUser"))->text(), QStringLiteral("anna"));
        // The process keeps it.
        QCOMPARE(dialog->findChild<QLineEdit *>(QStringLiteral("serverPassword"))->text(), QStringLiteral("geheim"));
    }

    void reportsAMissingKeychain()
    {
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        ExportWindow opened(m_sandbox, gui::sampleRecording(1, 10));
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "mysql");
        auto *keep = dialog->findChild<QCheckBox *>(QStringLiteral("serverKeep"));
        QVERIFY(gui::press(dialog, "serverKeep"));
        QTRY_VERIFY_WITH_TIMEOUT(!labelOf(dialog, "serverKeepProblem").isEmpty(), gui::kPatienceMs);
        QVERIFY(!keep->isChecked());
        QVERIFY(dialog->findChild<QWidget *>(QStringLiteral("serverKeepProblem"))->isVisible());
        gui::takePicture(dialog, "export-keychain");
    }

    void isReadableInTheDarkTheme()
    {
        ExportWindow opened(m_sandbox,
                            gui::sampleRecording(2, 20, "a coroutine with quite a long name, and more of it"));
        applyTheme(Theme::Dark);
        ExportDialog *dialog = opened.ask();
        QVERIFY(dialog);
        choose(dialog, "postgresql");
        gui::takePicture(dialog, "export-dark");
        choose(dialog, "csv");
        gui::takePicture(dialog, "export-dark-csv");
        gui::takePicture(&opened.window, "export-window");
        applyTheme(Theme::Light);
    }

    void wordsOfRateAndTimeLeft()
    {
        const auto plain = [](QString text) { return text.replace(QChar(QChar::Nbsp), QLatin1Char(' ')); };
        const double quarter = kRowsWritten / 4;
        QCOMPARE(plain(format::jobRate(quarter, 2, 4'000'000)), QStringLiteral("500 k/s, 6.0 s left"));
        QCOMPARE(plain(format::jobRate(quarter, 20, 0)), QStringLiteral("1 min left"));
        QCOMPARE(format::jobRate(0, 5, 100), QString());
        QCOMPARE(format::jobRate(quarter, 0.1, 100), QString());
        const QString end = QStringLiteral("making indexes");
        QCOMPARE(plain(format::jobRate(quarter, 2, 0, end)), QStringLiteral("6.0 s left, then making indexes"));
        QCOMPARE(format::jobRate(kRowsWritten, 2, 4'000'000, end), end);
        QCOMPARE(format::jobRate(kRowsWritten, 2, 4'000'000), QString());
    }

private:
    gui::Sandbox m_sandbox;
};

}  // namespace

CT_QT_SUITE(TestExportDialog)
#include "tst_exportdialog.moc"
