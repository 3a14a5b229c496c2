// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window.h"

#include "app/batch.h"
#include "app/consolesignals.h"
#include "core/session/printable.h"
#include "ui/capture.h"
#include "ui/mainwindow.h"
#include "ui/theme.h"

#include <QApplication>
#include <QSettings>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace ct {

namespace {

constexpr QSize kPictureSize{1600, 1000};

Theme themeFor(CommandLine::Theme wanted)
{
    switch (wanted) {
    case CommandLine::Theme::Light: return Theme::Light;
    case CommandLine::Theme::Dark: return Theme::Dark;
    case CommandLine::Theme::System: return Theme::System;
    case CommandLine::Theme::Saved: break;
    }
    return savedTheme(QSettings());
}

/// Quits with `code` once no target that was started here runs any more.
void quitWithoutTarget(MainWindow &window, int code)
{
    const auto quit = [code] { QCoreApplication::exit(code); };
    if (!window.capture().targetRuns()) {
        quit();
        return;
    }
    // The session is drained, and its region removed, when it has ended; only then is nothing left behind.
    QObject::connect(window.capture().session(), &Session::ended, &window, quit, Qt::QueuedConnection);
    window.capture().terminateTarget();
}

void takePicture(MainWindow &window, const std::string &path)
{
    const bool saved = window.grab().save(QString::fromStdString(path), "PNG");
    if (!saved)
        std::fprintf(stderr, "corotracer-gui: cannot write the picture %s\n", ct::printable(path).toUtf8().constData());
    quitWithoutTarget(window, saved ? kExitSuccess : kExitOutput);
}

}  // namespace

int runWindow(const CommandLine &line, int argc, char **argv)
{
    QApplication application(argc, argv);
    refuseUserSignal();
    QApplication::setDesktopFileName(QStringLiteral("corotracer-gui"));
    applyTheme(themeFor(line.theme));
    MainWindow window;
    QStringList debugFolders;
    for (const std::string &folder : line.debugFolders)
        debugFolders << QString::fromStdString(folder);
    window.setDebugFolders(debugFolders);
    if (!line.screenshotPath.empty()) {
        window.resize(kPictureSize);
        QTimer::singleShot(static_cast<int>(std::min(line.screenshotAfterSec * 1e3, 1e9)), &window,
                           [&] { takePicture(window, line.screenshotPath); });
    }
    window.show();
    window.start(line.start);
    return QApplication::exec();
}

}  // namespace ct
