// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Launch a program, or listen for one that is started elsewhere. Never blocks: open() it and take its request.
#pragma once

#include "core/session/instructions.h"
#include "core/session/startrequest.h"

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
    /// While something listens, with how a target finds it.
    void showListening(const TracedEnvironment &environment);
    /// What was asked for could not be started: says why and stays open.
    void showError(const QString &message);

Q_SIGNALS:
    /// The receiver closes the dialog, or calls showListening() or showError().
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
