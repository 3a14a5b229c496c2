// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/menus.h"

#include "ui/actions.h"
#include "ui/docks/coroutinedock.h"
#include "ui/format/theme.h"
#include "ui/views.h"
#include "ui/widgets/replaybar.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>

namespace ct {

namespace {

struct MenuText {
    Q_DECLARE_TR_FUNCTIONS(MenuText)
};

/// Adds an action that is checked while the dock can be seen. Unlike toggleViewAction(), it brings a dock behind
/// another tab to the front instead of closing it.
void addDock(QMenu &menu, QDockWidget &dock)
{
    QAction *action = menu.addAction(dock.windowTitle());
    action->setObjectName(QStringLiteral("show_") + dock.objectName());
    action->setCheckable(true);
    QObject::connect(&dock, &QDockWidget::windowTitleChanged, action, &QAction::setText);
    QObject::connect(&dock, &QDockWidget::visibilityChanged, action, &QAction::setChecked);
    QObject::connect(action, &QAction::triggered, &dock, [&dock](bool isShown) {
        dock.setVisible(isShown);
        if (isShown)
            dock.raise();
    });
}

void makeViewMenu(QMenuBar &bar, const Actions &actions, const Views &views)
{
    QMenu *view = bar.addMenu(MenuText::tr("&View"));
    view->setObjectName(QStringLiteral("viewMenu"));
    view->addAction(actions.pause);
    view->addAction(actions.follow);
    view->addAction(actions.filter);
    view->addSeparator();
    view->addAction(actions.zoomIn);
    view->addAction(actions.zoomOut);
    view->addAction(actions.zoomToFit);
    view->addSeparator();
    for (QDockWidget *dock : views.docks())
        addDock(*view, *dock);
    view->addMenu(views.coroutines->columnsMenu());
    view->addAction(actions.resetLayout);
    view->addSeparator();
    view->addAction(actions.debugFiles);
    QMenu *theme = view->addMenu(MenuText::tr("&Theme"));
    theme->addActions(actions.themes->actions());
    const Theme present = appliedTheme().value_or(Theme::System);
    for (QAction *action : actions.themes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(present));
}

}  // namespace

void makeMenus(QMainWindow &window, const Actions &actions, const Views &views)
{
    QMenuBar &bar = *window.menuBar();
    QMenu *file = bar.addMenu(MenuText::tr("&File"));
    file->addAction(actions.run);
    file->addAction(actions.attach);
    file->addAction(actions.open);
    file->addAction(actions.openDatabase);
    file->addAction(actions.saveRecording);
    file->addSeparator();
    file->addAction(actions.dump);
    file->addAction(actions.dumpSettings);
    file->addAction(actions.exportTrace);
    QMenu *exports = file->addMenu(MenuText::tr("Export every&thing"));
    exports->setObjectName(QStringLiteral("exportMenu"));
    exports->addActions(actions.exports);
    file->addSeparator();
    file->addAction(actions.quit);

    QMenu *capture = bar.addMenu(MenuText::tr("&Capture"));
    capture->addAction(actions.tracing);
    capture->addSeparator();
    capture->addAction(actions.replay);
    capture->addSeparator();
    capture->addAction(actions.stop);
    capture->addAction(actions.terminate);
    capture->addSeparator();
    capture->addAction(actions.instructions);

    makeViewMenu(bar, actions, views);

    QMenu *help = bar.addMenu(MenuText::tr("&Help"));
    help->addAction(actions.about);
}

void makeToolBars(QMainWindow &window, const Actions &actions, const Views &views)
{
    QToolBar *bar = window.addToolBar(MenuText::tr("Main tool bar"));
    bar->setObjectName(QStringLiteral("mainToolBar"));
    bar->setMovable(false);
    bar->setIconSize(QSize(20, 20));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->addActions({actions.run, actions.attach, actions.open});
    bar->addSeparator();
    bar->addActions({actions.tracing, actions.stop, actions.terminate});
    bar->addSeparator();
    bar->addAction(actions.dump);
    bar->addSeparator();
    bar->addActions({actions.pause, actions.follow});
    bar->addSeparator();
    bar->addAction(actions.replay);

    window.addToolBar(Qt::BottomToolBarArea, views.replayBar);
    views.replayBar->hideBar();
}

}  // namespace ct
