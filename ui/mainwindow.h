// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The main window: combines the views of one capture and executes the user's actions. Every dialog opens without
// blocking (open(), never exec()), so that tests and scripts can operate it.
#pragma once

#include "core/exporting/exporting.h"
#include "core/session/startrequest.h"
#include "ui/unkeptnotices.h"

#include <QMainWindow>
#include <QStringList>

#include <functional>
#include <memory>

namespace ct {

struct Actions;
class AttachDialog;
class Capture;
class CaptureDock;
class CoroutineDock;
class CreationDock;
class DetailsDock;
class ExportBar;
class InfoBar;
class OutputDock;
class RecordingsDock;
class ReplayBar;
class ReplayGate;
class RunDialog;
class StartPage;
class StatusBar;
class StuckDock;
class ThroughputDock;
class TimelineView;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Starts a capture. Asks first if a launched target runs. Errors are shown, not returned.
    void start(const StartRequest &request);
    /// Opens a recording, or attaches to a .shm file.
    void openFile(const QString &path);
    /// Sets folders with debug files for this window only, searched before the folders of the settings.
    void setDebugFolders(const QStringList &folders);
    void exportTo(const ExportFormat &format, const QString &path);
    /// Saves a recording (see copyRecording()) as one file.
    void saveRecording(const QString &recording, const QString &path);

    const Capture &capture() const { return *m_capture; }
    Capture &capture() { return *m_capture; }

public Q_SLOTS:
    void resetLayout();

Q_SIGNALS:
    /// An error was shown, from start(), from reading a file, or later.
    void failed(const QString &message);

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    void makeViews();
    void makeMenus();
    void makeViewMenu();
    void makeToolBar();
    void connectActions();
    void connectCapture();
    void connectViews();
    QList<QDockWidget *> docks() const;

    void showRunDialog();
    void showInstructions();
    void showAttachDialog();
    void showOpenDialog();
    void showExportDialog(const ExportFormat &format);
    void saveThisRecording();
    void showSaveDialog(const QString &recording, const QString &name);
    void dump();
    void showDumpDialog();
    void showSymbolDialog();
    void applyDebugSearchPath();
    void showAbout();
    void showError(const QString &title, const QString &message);

    Result<void> begin(const StartRequest &request);
    void onTraceChanged();
    void onStateChanged();
    QString stateText() const;
    QString recordingText() const;
    QString exitText() const;
    void onFollowed();
    void showBehind();
    void showWholeHistory();
    void connectReplay();
    void replay(std::uint64_t through, bool playing);
    void changeReplay(const std::function<void(ReplayGate &)> &change);
    void seekReplay(std::uint64_t ts);
    void endReplay();
    void sampleReplay();
    void showInstant();
    QString instantText() const;
    QString replayText() const;
    void findOrigin();
    void onSampled();
    void onTicked();
    void onTargetExited(const ExitStatus &status, qint64 monotonicNs);
    void onNothingTraced(const QString &why);
    void showChecklist();
    void onNotice(const QString &notice);
    void onExported(const QString &path, const ExportReport &report);
    void updateStartPage();

    void select(CoroutineId coroutine);
    /// Calls `next` once no launched target is in the way. The user chooses to leave it running or to terminate it.
    void settleTarget(const QString &question, std::function<void()> next);
    void settleJobs(std::function<void()> next);
    bool isBusy(const ExportBar &bar);
    void saveLayout();
    void restoreLayout();

    std::unique_ptr<Actions> m_actions;
    std::unique_ptr<Capture> m_capture;
    RunDialog *m_runDialog = nullptr;
    StartPage *m_startPage = nullptr;
    CoroutineDock *m_coroutines = nullptr;
    QDockWidget *m_timelineDock = nullptr;
    TimelineView *m_timeline = nullptr;
    StuckDock *m_stuck = nullptr;
    OutputDock *m_output = nullptr;
    ThroughputDock *m_throughput = nullptr;
    DetailsDock *m_details = nullptr;
    CreationDock *m_creation = nullptr;
    CaptureDock *m_captureDock = nullptr;
    RecordingsDock *m_recordings = nullptr;
    StatusBar *m_statusBar = nullptr;
    ReplayBar *m_replayBar = nullptr;
    ExportBar *m_exportBar = nullptr;
    ExportBar *m_saveBar = nullptr;
    InfoBar *m_warning = nullptr;
    InfoBar *m_notice = nullptr;
    QStringList m_notices;
    QStringList m_debugFolders;
    bool m_reportedNoSymbols = false;
    bool m_reportedApproximate = false;  ///< the notice about approximate times was shown
    UnkeptNotices m_unkept;
    QString m_whyUntraced;  ///< the probable cause, one sentence
    QString m_exit;         ///< "exited with status 0"; empty: not exited, or not known
    std::uint64_t m_origin = 0;
    std::function<void()> m_afterExit;
    bool m_closing = false;
};

}  // namespace ct
