// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Message boxes of the main window. They open without blocking; the callbacks get the user's answer.
#pragma once

#include <QString>
#include <QStringList>

#include <functional>

class QMessageBox;
class QWidget;

namespace ct {

void showAbout(QWidget *parent);

/// `message` may come from a target or a file: it is shown as it is, with control characters escaped.
void showErrorBox(QWidget *parent, const QString &title, const QString &message);

/// Asks what to do about the running target `name`. `question` states the alternatives. The returned box deletes itself
/// when it is closed.
QMessageBox *askAboutTarget(QWidget *parent, const QString &name, const QString &question, std::function<void()> leave,
                            std::function<void()> terminate);

/// Makes the question whether to close the window although jobs are running, without its texts. The caller sets them
/// and opens the box, which deletes itself when it is closed.
QMessageBox *makeJobQuestion(QWidget *parent, std::function<void()> close);

}  // namespace ct
