// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout.h"

#include "ui/docks/capturedock.h"
#include "ui/docks/coroutinedock.h"
#include "ui/docks/creationdock.h"
#include "ui/docks/detailsdock.h"
#include "ui/docks/findingsdock.h"
#include "ui/docks/graphdock.h"
#include "ui/docks/outputdock.h"
#include "ui/docks/querydock.h"
#include "ui/docks/recordingsdock.h"
#include "ui/docks/stacksdock.h"
#include "ui/docks/throughputdock.h"
#include "ui/views.h"
#include "ui/widgets/replaybar.h"

#include <QLayout>
#include <QMainWindow>
#include <QSettings>

#include <algorithm>

namespace ct {

namespace {

/// Increase this number when a dock is added or renamed, so that old saved layouts are ignored.
constexpr int kLayoutVersion = 6;
const QSize kDefaultSize(1440, 900);

}  // namespace

void resetLayout(QMainWindow &window, const Views &views)
{
    const QSize size = window.size();
    for (QDockWidget *dock : views.docks()) {
        dock->setFloating(false);
        window.removeDockWidget(dock);
        window.addDockWidget(Qt::BottomDockWidgetArea, dock);
        dock->show();
    }
    window.splitDockWidget(views.coroutines, views.findings, Qt::Horizontal);
    window.splitDockWidget(views.coroutines, views.timelineDock, Qt::Vertical);
    window.splitDockWidget(views.timelineDock, views.output, Qt::Vertical);
    window.tabifyDockWidget(views.output, views.throughput);
    window.tabifyDockWidget(views.throughput, views.capture);
    window.tabifyDockWidget(views.capture, views.recordings);
    window.splitDockWidget(views.findings, views.details,
                           Qt::Vertical);  // before the tabs, else it would become another tab
    window.tabifyDockWidget(views.findings, views.creation);
    window.tabifyDockWidget(views.creation, views.stacks);
    window.tabifyDockWidget(views.timelineDock, views.graph);
    window.tabifyDockWidget(views.graph, views.query);
    views.timelineDock->raise();
    views.throughput->raise();
    views.findings->raise();
    // Side by side, as they were added, the docks can need a wider window than they need now.
    window.layout()->activate();
    window.resize(size);
    const int height = std::max(window.height() - 100, 400);
    window.resizeDocks({views.coroutines, views.findings}, {window.width() * 66 / 100, window.width() * 34 / 100},
                       Qt::Horizontal);
    window.resizeDocks({views.coroutines, views.timelineDock, views.output},
                       {height * 42 / 100, height * 38 / 100, height * 20 / 100}, Qt::Vertical);
    window.resizeDocks({views.findings, views.details}, {height * 64 / 100, height * 36 / 100}, Qt::Vertical);
}

void restoreLayout(QMainWindow &window, const Views &views)
{
    window.resize(kDefaultSize);
    resetLayout(window, views);
    QSettings settings;
    window.restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    window.restoreState(settings.value(QStringLiteral("window/state")).toByteArray(), kLayoutVersion);
    views.replayBar->hideBar();  // hidden, whatever the saved state was
}

void saveLayout(const QMainWindow &window)
{
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), window.saveGeometry());
    settings.setValue(QStringLiteral("window/state"), window.saveState(kLayoutVersion));
}

}  // namespace ct
