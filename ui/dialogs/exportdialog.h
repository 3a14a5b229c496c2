// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks what to export, in which format, and where.
#pragma once

#include "core/exporting/exportformat.h"
#include "core/trace/history.h"
#include "core/trace/population.h"
#include "ui/dialogs/selectionfields.h"

#include <QDialog>

#include <functional>
#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;

namespace ct {

class ServerFields;

struct ExportedTrace {
    QString name;       ///< proposed for a file, without an extension
    QString recording;  ///< the trace's own recording, which must not be overwritten; may be empty
    std::shared_ptr<const Population> population;
    std::shared_ptr<const History> history;
    bool hasRecording = false;    ///< events that memory has evicted can be exported
    std::function<bool()> lasts;  ///< the trace still grows; may be empty
};

/// What the user has entered. The settings keep the format and the address of a server.
struct ExportInput {
    QString path;
    SelectionInput selection;
};

class ExportDialog : public QDialog {
    Q_OBJECT
public:
    ExportDialog(ExportedTrace trace, ExportChoices choices, QWidget *parent = nullptr);

    ExportInput input() const;
    void setInput(const ExportInput &input);

Q_SIGNALS:
    /// `target`: a path, or the address of a server.
    void exportRequested(const ct::ExportFormat &format, const QString &target, const ct::TraceSelection &selection);

private:
    QWidget *makeFile();
    QWidget *makeContent();
    void addFormats();
    const ExportFormat &format() const;
    QString path() const;
    QString problem() const;
    TraceSelection selection() const;
    QString fileProblem() const;
    QString serverProblem() const;
    QString fileWarning() const;
    void showFormat();
    void showContent();
    void renameFor(const ExportFormat &format);
    void showEstimate();
    void followTrace();
    bool isGrowing() const { return m_trace.lasts && m_trace.lasts(); }
    void check();
    void browse();
    void submit();

    const ExportedTrace m_trace;
    QComboBox *m_format;
    QWidget *m_file = nullptr;
    QLineEdit *m_path = nullptr;
    QCheckBox *m_spreadsheet = nullptr;
    QLabel *m_packing = nullptr;
    ServerFields *m_server = nullptr;
    QTreeWidget *m_content = nullptr;
    QString m_eventsView;  ///< on a server
    SelectionFields *m_selection = nullptr;
    QLabel *m_estimate;
    QLabel *m_message;
    QPushButton *m_export = nullptr;
};

}  // namespace ct
