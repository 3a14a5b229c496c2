// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The two jobs of a window that write files, with their dialogs: exporting, and saving a recording. At most one of each
// runs at a time. GUI thread.
#pragma once

#include "core/exporting/exportformat.h"
#include "core/exporting/traceselection.h"
#include "ui/dialogs/exportdialog.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

class QMessageBox;
class QWidget;

namespace ct {

class JobBar;
class Run;
struct ExportChoices;

class FileJobs final : public QObject {
    Q_OBJECT
public:
    /// The bars show the jobs, and must outlive this object.
    FileJobs(JobBar &exportBar, JobBar &saveBar, QWidget *window);

    /// Replaces the run. The caller owns it, and replaces it before it is destroyed.
    void setRun(const Run *run) { m_run = run; }
    /// Exports the trace of the run, and its recording where events were evicted. `target`: a path, or the address of a
    /// server.
    void exportRun(const ExportFormat &format, const QString &target, const TraceSelection &selection = {});
    /// Saves a recording (see copyRecording()) as one file.
    void saveRecording(const QString &recording, const QString &path);

    /// If a job is running, asks whether to close the window and returns true. If the answer is yes, cancels the jobs,
    /// removes their incomplete files, which takes some milliseconds, and calls `close`. When the jobs have ended, the
    /// question disappears.
    bool askBeforeClosing(std::function<void()> close);

    // These ask for a file first.
    void askForExport(const ExportFormat &format);
    /// Asks what to export, where, and in which format.
    void askForExport(const ExportChoices &choices);
    void askForSave();  ///< saves the run's recording
    void askForSaveOf(const QString &recording, const QString &name);
    void askForDump();
    /// Exports as the dump settings say; asks for them if there are none.
    void dump();

Q_SIGNALS:
    void finished(const QString &notice);  ///< the outcome of a job, also of a cancelled one
    void refused(const QString &notice);
    void failed(const QString &title, const QString &message);

private:
    bool refuses(const JobBar &bar);
    bool refusesName(const ExportFormat &format, const QString &path);
    void showQuestion();
    void finish(const QString &notice);

    JobBar &m_exportBar;
    JobBar &m_saveBar;
    QWidget *m_window;
    const Run *m_run = nullptr;
    QPointer<QMessageBox> m_question;  ///< whether to close the window
    /// What was entered for the latest export, until it has succeeded.
    std::optional<ExportInput> m_input;
    std::weak_ptr<const Population> m_inputOf;  ///< the trace of m_input
};

}  // namespace ct
