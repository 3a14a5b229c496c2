// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page of the Run dialog for a target that is started elsewhere. Shows lines to copy once region and socket exist.
#pragma once

#include "core/target/tracinginstructions.h"

#include <QWidget>

class QPlainTextEdit;
class QSpinBox;

namespace ct {

class ListenPage : public QWidget {
    Q_OBJECT
public:
    explicit ListenPage(QWidget *parent = nullptr);

    int stations() const;
    /// Shows how a target finds the region and the socket, which exist now.
    void showInstructions(const TracedEnvironment &environment);
    /// Returns to the initial state, when nothing listens.
    void reset();

private:
    QPlainTextEdit *addBlock(const QString &title, const QString &name, int lines);

    QWidget *m_lines;
    QSpinBox *m_stations;
    QPlainTextEdit *m_shell;
    QPlainTextEdit *m_systemd;
    QPlainTextEdit *m_container;
};

}  // namespace ct
