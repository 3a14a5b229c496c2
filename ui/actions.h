// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything the window can be asked to do, once: menus, tool bar, start page and tests share these.
#pragma once

#include "core/session/session.h"

#include <QAction>
#include <QActionGroup>
#include <QList>

namespace ct {

struct Actions {
    /// Children of `parent`; named "action..." in camel case.
    explicit Actions(QObject *parent);

    QAction *run;
    QAction *attach;
    QAction *open;
    QAction *saveRecording;
    QAction *dump;
    QAction *dumpSettings;
    QList<QAction *> exports;  ///< one per export format; data() is its index
    QAction *quit;
    QAction *replay;
    QAction *stop;
    QAction *terminate;
    QAction *tracing;
    QAction *pause;
    QAction *follow;
    QAction *zoomIn;
    QAction *zoomOut;
    QAction *zoomToFit;
    QAction *filter;
    QAction *instructions;
    QAction *resetLayout;
    QAction *debugFiles;
    QActionGroup *themes;  ///< data() is a Theme
    QAction *about;

    /// What can be done in this state.
    void enableFor(SessionState state, bool targetRuns, bool hasTrace, bool listening);
    /// Whether there is a recording to be saved.
    void enableSaving(bool recorded);
    /// Whether targets record at present; says it without calling back.
    void showTracing(bool on, bool canSwitch);
};

}  // namespace ct
