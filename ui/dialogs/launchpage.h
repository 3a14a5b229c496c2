// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page of the Run dialog for a program that this window launches.
#pragma once

#include "ui/dialogs/runfields.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;
class QTableWidget;
class QToolButton;

namespace ct {

/// Creates a box for the number of stations. Its maximum is what known probes can map, because they compute sizes in
/// `int`.
QSpinBox *makeStationsBox(QWidget *parent);

class LaunchPage : public QWidget {
    Q_OBJECT
public:
    explicit LaunchPage(QWidget *parent = nullptr);

    RunFields form() const;
    void setForm(const RunFields &form);
    void setRecentRuns(const QList<RunFields> &runs);

private:
    QWidget *makeProgramRow();
    QWidget *makeDirectoryRow();
    QWidget *makeEnvironment();
    void addVariable(const RunFields::Variable &variable);
    void browse(QLineEdit *target, bool directory);
    void applyShell();

    QList<RunFields> m_runs;
    QComboBox *m_recent;
    QCheckBox *m_shell;
    QLabel *m_commandLabel;
    QLineEdit *m_command;
    QLineEdit *m_arguments;
    QLineEdit *m_directory;
    QTableWidget *m_environment;
    QSpinBox *m_stations;
    QFormLayout *m_form;
};

}  // namespace ct
