// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window.h"

#include "app/batch/batch.h"
#include "app/batch/consolesignals.h"
#include "app/screenshot.h"
#include "core/databases/serverpasswords.h"
#include "core/target/printabletext.h"
#include "ui/format/theme.h"
#include "ui/jobs/qtthreads.h"
#include "ui/jobs/queryjob.h"
#include "ui/mainwindow.h"

#include <QApplication>
#include <QSettings>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace ct {

namespace {

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

/// SQLite checks for cancelling this often, except within a function.
constexpr std::chrono::milliseconds kMostQueryEnd{200};

/// Shows the window until the user closes it.
int showWindow(const CommandLine &line, std::optional<DeferredFile> picture)
{
    MainWindow window;
    QStringList debugFolders;
    for (const std::string &folder : line.debugFolders)
        debugFolders << QString::fromStdString(folder);
    window.setDebugFolders(debugFolders);
    window.setThresholds(line.diagnosis.thresholds);
    std::optional<Screenshot> screenshot;
    if (picture)
        screenshot.emplace(window, std::move(*picture), line.screenshotAfterSec);
    window.show();
    window.start(line.start);
    return QApplication::exec();
}

}  // namespace

int runWindow(const CommandLine &line, int argc, char **argv)
{
    std::optional<DeferredFile> picture;
    if (!line.screenshotPath.empty()) {
        Result<DeferredFile> file = DeferredFile::open(line.screenshotPath);
        if (!file) {
            std::fprintf(stderr, "corotracer-gui: --screenshot: %s\n",
                         ct::printable(file.error().message).toUtf8().constData());
            return kExitOutput;
        }
        picture.emplace(std::move(*file));
    }
    QApplication application(argc, argv);
    keepPaintingThread();
    refuseUserSignals(UserSignalsOf::Window);
    QApplication::setDesktopFileName(QStringLiteral("corotracer-gui"));
    applyTheme(themeFor(line.theme));
    setPasswordInput(PasswordInput::Window);
    const int code = showWindow(line, std::move(picture));
    if (!QueryJob::endAll(kMostQueryEnd)) {
        // A query is still in a function of SQLite. Destroying static objects now could crash its thread.
        std::fflush(nullptr);
        std::_Exit(code);
    }
    return code;
}

}  // namespace ct
