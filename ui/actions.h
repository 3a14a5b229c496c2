// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// All actions of the window. Menus, tool bar, start page and tests share them.
#pragma once

#include <QAction>
#include <QActionGroup>
#include <QList>

namespace ct {

class Run;

struct Actions {
    /// The actions are children of `parent`. Their object names are "action..." in camel case.
    explicit Actions(QObject *parent);

    QAction *run;
    QAction *attach;
    QAction *open;
    QAction *openDatabase;
    QAction *saveRecording;
    QAction *dump;
    QAction *dumpSettings;
    QAction *exportTrace;
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

    /// Enables the actions that are possible in the present run and its state, and shows whether targets trace at
    /// present. Emits no triggered().
    void enableFor(const Run &present);
};

}  // namespace ct
