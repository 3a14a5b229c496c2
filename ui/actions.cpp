// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions.h"

#include "core/exporting/exportformat.h"
#include "core/session/run.h"
#include "ui/format/icons.h"
#include "ui/format/theme.h"

#include <QCoreApplication>

namespace ct {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Actions", text);
}

QAction *make(QObject *parent, const char *name, const char *icon, const QString &text, const QKeySequence &shortcut,
              const QString &toolTip = {})
{
    auto *action = new QAction(text, parent);
    action->setObjectName(QLatin1String(name));
    if (icon)
        action->setIcon(icons::icon(QLatin1String(icon)));
    action->setShortcut(shortcut);
    QString tip = toolTip.isEmpty() ? QString(text).remove(u'&').remove(QChar(0x2026)) : toolTip;
    if (!shortcut.isEmpty())
        tip += QStringLiteral(" (%1)").arg(shortcut.toString(QKeySequence::NativeText));
    action->setToolTip(tip);
    return action;
}

QAction *makeToggle(QObject *parent, const char *name, const char *icon, const QString &text,
                    const QKeySequence &shortcut, const QString &toolTip)
{
    QAction *action = make(parent, name, icon, text, shortcut, toolTip);
    action->setCheckable(true);
    return action;
}

QActionGroup *makeThemes(QObject *parent)
{
    auto *group = new QActionGroup(parent);
    const std::tuple<const char *, QString, Theme> themes[] = {{"actionThemeSystem", tr("&System"), Theme::System},
                                                               {"actionThemeLight", tr("&Light"), Theme::Light},
                                                               {"actionThemeDark", tr("&Dark"), Theme::Dark}};
    for (const auto &[name, text, theme] : themes) {
        QAction *action = makeToggle(parent, name, nullptr, text, {}, {});
        action->setData(static_cast<int>(theme));
        group->addAction(action);
    }
    return group;
}

}  // namespace

Actions::Actions(QObject *parent)
{
    run = make(parent, "actionRun", "run", tr("&Run…"), QKeySequence(Qt::CTRL | Qt::Key_R),
               tr("Run a program, or listen for one"));
    attach = make(parent, "actionAttach", "attach", tr("&Attach…"), QKeySequence(Qt::CTRL | Qt::Key_T),
                  tr("Attach to a region, live or left over"));
    open = make(parent, "actionOpen", "open", tr("&Open…"), QKeySequence::Open, tr("Open a recording"));
    openDatabase =
        make(parent, "actionOpenDatabase", "open", tr("Open from data&base…"),
             QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), tr("Open a session that is stored in a database"));
    exportTrace = make(parent, "actionExport", "export", tr("&Export…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E),
                       tr("Export the trace, or a selection of it, to a file or a server"));
    int index = 0;
    for (const ExportFormat &format : exportFormats()) {
        const QString name = QString::fromLatin1(format.name.data(), static_cast<qsizetype>(format.name.size()));
        QAction *action = make(parent, "", "export", tr("Export to %1…").arg(name), {});
        action->setObjectName(QStringLiteral("actionExport%1").arg(name));
        action->setData(index++);
        exports.append(action);
    }
    saveRecording = make(parent, "actionSaveRecording", "export", tr("&Save Recording As…"), QKeySequence::Save,
                         tr("Save the recording of this run as another file"));
    dump = make(parent, "actionDump", "dump", tr("&Dump"), QKeySequence(Qt::CTRL | Qt::Key_D),
                tr("Write all events in memory to a new file, named after the time"));
    dumpSettings = make(parent, "actionDumpSettings", nullptr, tr("Dump to another &folder…"), {},
                        tr("Choose where dumps go, and their format"));
    quit = make(parent, "actionQuit", nullptr, tr("&Quit"), QKeySequence::Quit);
    replay = make(parent, "actionReplay", "replay", tr("Re&play"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R),
                  tr("Replay the open recording, or the run that has ended, at the pace of "
                     "its capture"));
    stop = make(parent, "actionStop", "stop", tr("&Stop capture"), QKeySequence(Qt::CTRL | Qt::Key_Period),
                tr("Stop capturing; the target continues"));
    terminate = make(parent, "actionTerminate", "terminate", tr("&Terminate target"),
                     QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T),
                     tr("End the target and its children: SIGTERM, SIGKILL after 5 s"));
    tracing = makeToggle(parent, "actionTracing", "tracing", tr("T&racing"), QKeySequence(Qt::CTRL | Qt::Key_E),
                         tr("Switch tracing in the target on or off. While tracing is off, "
                            "the target runs at full speed, and no events are lost."));
    tracing->setChecked(true);
    pause = makeToggle(parent, "actionPause", "pause", tr("&Pause view"), QKeySequence(Qt::CTRL | Qt::Key_P),
                       tr("Stop updating the views; the capture continues"));
    follow = makeToggle(parent, "actionFollow", "follow", tr("&Follow live"), QKeySequence(Qt::CTRL | Qt::Key_L),
                        tr("Keep the latest events of the timeline in view"));
    follow->setChecked(true);
    zoomIn = make(parent, "actionZoomIn", "zoomin", tr("Zoom &in"), QKeySequence::ZoomIn);
    zoomOut = make(parent, "actionZoomOut", "zoomout", tr("Zoom &out"), QKeySequence::ZoomOut);
    zoomToFit = make(parent, "actionZoomToFit", "fit", tr("Show the &whole run"), QKeySequence(Qt::CTRL | Qt::Key_0));
    filter = make(parent, "actionFilter", "search", tr("Fi&lter coroutines"), QKeySequence::Find);
    instructions = make(parent, "actionInstructions", "listen", tr("&How to start the target…"), {},
                        tr("Show the lines that connect a target to the listening region"));
    resetLayout = make(parent, "actionResetLayout", nullptr, tr("&Reset layout"), {});
    debugFiles = make(parent, "actionDebugFiles", nullptr, tr("&Debug files…"), {},
                      tr("Choose the folders to search for the debug files of programs"));
    themes = makeThemes(parent);
    about = make(parent, "actionAbout", "details", tr("&About corotracer-gui"), {});
    enableFor(Run());
}

void Actions::enableFor(const Run &present)
{
    const RunState state = present.state();
    const bool capturing = state == RunState::Waiting || state == RunState::Capturing;
    const bool hasTrace = present.population() != nullptr;
    stop->setEnabled(capturing || present.isReplay());
    terminate->setEnabled(present.targetRuns());
    replay->setEnabled(present.canReplay());
    pause->setEnabled(hasTrace);
    instructions->setEnabled(present.kind() == RunKind::Listening && capturing);
    for (QAction *action : {zoomIn, zoomOut, zoomToFit, follow, filter})
        action->setEnabled(hasTrace);
    for (QAction *action : std::as_const(exports))
        action->setEnabled(present.canExport());
    exportTrace->setEnabled(present.canExport());
    dump->setEnabled(present.canExport());
    dumpSettings->setEnabled(hasTrace);
    saveRecording->setEnabled(present.hasRecording());
    const bool on = present.isTracing() || state == RunState::Ended;
    tracing->setEnabled(present.canSwitchTracing());
    tracing->setChecked(on);
    tracing->setText(on ? tr("T&racing") : tr("T&racing is off"));
}

}  // namespace ct
