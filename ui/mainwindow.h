// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The main window: shows one run in its views, and executes the user's actions. Every dialog opens without blocking
// (open(), never exec()), so that tests and scripts can operate it.
#pragma once

#include "core/analysis/thresholds.h"
#include "core/exporting/exportformat.h"
#include "core/session/source.h"
#include "core/session/startrequest.h"
#include "core/trace/population.h"
#include "ui/views.h"

#include <QMainWindow>
#include <QStringList>

#include <functional>
#include <memory>
#include <optional>

namespace ct {

struct Actions;
class FileJobs;
class HistoryFetcher;
class Notices;
class ReplayControl;
class Run;
class RunDialog;
class Sampler;
class SymbolWorker;
class TargetQuestion;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Starts a run. Asks first if a launched target runs. Errors are shown, not returned.
    void start(const StartRequest &request);
    /// Opens a recording, or attaches to a .shm file.
    void openFile(const QString &path);
    /// Sets folders with debug files for this window only, searched before the folders of the settings.
    void setDebugFolders(const QStringList &folders);
    void exportTo(const ExportFormat &format, const QString &path);
    /// Saves a recording (see copyRecording()) as one file.
    void saveRecording(const QString &recording, const QString &path);
    /// Sets the most coroutines that the trace of a later run can have.
    void setMostCoroutines(std::uint32_t most) { m_mostCoroutines = most; }
    /// Sets the thresholds of the rules for later runs.
    void setThresholds(const Thresholds &thresholds) { m_thresholds = thresholds; }

    /// The present run; before the first one, a run in the state Idle. Replaced by each start.
    const Run &run() const { return *m_run; }
    Run &run() { return *m_run; }
    const Sampler &sampler() const { return *m_sampler; }
    /// The error of the latest start, if it failed.
    const std::optional<Error> &startError() const { return m_startError; }

public Q_SLOTS:
    void resetLayout();

Q_SIGNALS:
    /// An error was shown, from start(), from reading a file, or later.
    void failed(const QString &message);
    void runStateChanged(ct::RunState state);  ///< state of the present run
    void runGrows();                           ///< the present run turned out to be a growing recording

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    void connectActions();
    void connectParts();
    void connectRun();

    void showRunDialog();
    void showInstructions();
    void showAttachDialog();
    void showSymbolDialog();
    void applyDebugSearchPath();
    void showError(const QString &title, const QString &message);

    void askThenReplace(std::function<void()> next);
    Result<void> beginRun(const StartRequest &request);
    void replaceRun(std::unique_ptr<Run> run);
    void showTrace();
    void beginReplay();
    void endReplay();
    void onStateChanged();
    void onGrows();
    void onReadingEnded();
    void onTargetExited(const ExitStatus &status, qint64 monotonicNs);
    QString exitText() const;
    void showBehind();
    void showPast();
    void showInstant();
    void findOrigin();
    void onSampled();
    void onTicked();

    std::unique_ptr<Actions> m_actions;
    Views m_views;
    std::shared_ptr<SymbolWorker> m_symbols;
    std::unique_ptr<Run> m_run;
    Sampler *m_sampler;
    HistoryFetcher *m_fetcher;
    ReplayControl *m_replay;
    Notices *m_notices;
    FileJobs *m_jobs;
    TargetQuestion *m_question;
    RunDialog *m_runDialog = nullptr;
    QStringList m_debugFolders;
    std::uint32_t m_mostCoroutines = Population::kMostCoroutines;
    Thresholds m_thresholds;
    std::optional<Error> m_startError;
    QString m_exit;  ///< "exited with status 0"; empty: not exited, or not known
    std::uint64_t m_origin = 0;
    bool m_closing = false;
};

}  // namespace ct
