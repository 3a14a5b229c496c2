// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page of an empty window, in place of the coroutine table: three ways to begin.
#pragma once

#include <QWidget>

class QAction;
class QLabel;

namespace ct {

class StartPage : public QWidget {
    Q_OBJECT
public:
    StartPage(QAction *run, QAction *attach, QAction *open, QWidget *parent = nullptr);
    void showWelcome();
    /// Shows a message while, or after, a run has no coroutine.
    void showMessage(const QString &title, const QString &text, bool withButtons);

private:
    QLabel *m_title;
    QLabel *m_text;
    QWidget *m_buttons;
};

}  // namespace ct
