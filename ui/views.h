// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The views of a window: the docks, and the bars around them.
#pragma once

#include <QList>
#include <QString>

#include <cstdint>

class QDockWidget;
class QMainWindow;

namespace ct {

struct Actions;
struct ExportChoices;
class CaptureDock;
class CoroutineDock;
class CreationDock;
class DetailsDock;
class FindingsDock;
class GraphDock;
class JobBar;
class InfoBar;
class OutputDock;
class QueryDock;
class RecordingsDock;
class ReplayBar;
class Run;
class StacksDock;
class StartPage;
class StatusBar;
class ThroughputDock;
class TimelineView;
class UntracedBar;

/// Creates the views as children of the window, and shows none of them yet. The window owns them.
struct Views {
    Views(QMainWindow &window, const Actions &actions);

    StartPage *startPage;  ///< in the coroutine dock, as long as there are no coroutines
    CoroutineDock *coroutines;
    QDockWidget *timelineDock;
    TimelineView *timeline;
    FindingsDock *findings;
    DetailsDock *details;
    OutputDock *output;
    ThroughputDock *throughput;
    CreationDock *creation;
    StacksDock *stacks;
    GraphDock *graph;
    QueryDock *query;
    CaptureDock *capture;
    RecordingsDock *recordings;
    StatusBar *statusBar;
    JobBar *exportBar;
    JobBar *saveBar;
    ReplayBar *replayBar;   ///< hidden unless the run is a replay
    UntracedBar *untraced;  ///< hidden unless nothing is traced
    InfoBar *notice;        ///< hidden unless there are notices
    InfoBar *finding;       ///< hidden unless a finding has appeared in a live run

    QList<QDockWidget *> docks() const;  ///< in the order of the View menu
};

/// Connects the views with each other, and with the actions that only concern views.
void connectViews(const Views &views, const Actions &actions);
/// Shows the trace of a run that has just begun.
void showRun(const Views &views, const Run &run);
/// Shows the latest judgement of the run.
void showJudgement(const Views &views, const Run &run);
/// Shows a state of the run as long as there are no coroutines. `exit`: how the target has ended; may be empty.
void showStartPage(const Views &views, const Run &run, const QString &exit);
/// What an export can choose from: the filter and the selection of the table, and the visible time. `origin`: the time
/// that counts as 0, ns, CLOCK_MONOTONIC.
ExportChoices exportChoices(const Views &views, const Run &run, std::uint64_t origin);
/// Makes the views read the trace again.
void sampleViews(const Views &views);

}  // namespace ct
