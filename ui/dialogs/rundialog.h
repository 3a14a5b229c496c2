// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dialog to launch a program, or to listen for a target started elsewhere. Never blocks: open it, and handle
// startRequested().
#pragma once

#include "core/session/startrequest.h"
#include "core/target/tracinginstructions.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QTabWidget;

namespace ct {

class CaptureSection;
class LaunchPage;
class ListenPage;

class RunDialog : public QDialog {
    Q_OBJECT
public:
    explicit RunDialog(QWidget *parent = nullptr);

    void showLaunch();
    /// Shows how a target finds the region, while the session listens.
    void showListening(const TracedEnvironment &environment);
    /// Shows why a request failed; the dialog stays open.
    void showError(const QString &message);

Q_SIGNALS:
    /// The receiver must close the dialog, or call showListening() or showError().
    void startRequested(const ct::StartRequest &request);

private:
    void submit();
    void applyTab();
    void request(StartRequest request);

    QTabWidget *m_tabs;
    LaunchPage *m_launch;
    ListenPage *m_listen;
    CaptureSection *m_capture;
    QLabel *m_error;
    QPushButton *m_start;
    QPushButton *m_cancel;
    bool m_listening = false;
};

}  // namespace ct
