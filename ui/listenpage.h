// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Run dialog's page for a target that is started elsewhere: creates region and socket, then shows lines to copy.
#pragma once

#include "core/session/instructions.h"

#include <QWidget>

class QPlainTextEdit;
class QSpinBox;

namespace ct {

class ListenPage : public QWidget {
    Q_OBJECT
public:
    explicit ListenPage(QWidget *parent = nullptr);

    int stations() const;
    /// Region and socket exist: shows how a target finds them.
    void showInstructions(const TracedEnvironment &environment);
    /// Nothing listens: back to the beginning.
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
