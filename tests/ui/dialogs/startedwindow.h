// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A window as the program starts it with options of its command line.
#pragma once

#include "app/commandline/commandline.h"
#include "core/session/run.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/mainwindow.h"

#include <QSet>
#include <QTableView>

#include <memory>
#include <string>
#include <vector>

namespace gui {

/// Null if the options are wrong, or start no window.
inline std::unique_ptr<ct::MainWindow> startedWindow(const std::vector<std::string> &options)
{
    const ct::Result<ct::CommandLine> line = ct::parseCommandLine(options);
    if (!line || line->mode != ct::CommandLine::Mode::Window)
        return nullptr;
    auto window = std::make_unique<ct::MainWindow>();
    window->show();
    window->start(line->start);
    return window;
}

/// What the rows of the table show as names of coroutines, once the run has been read.
inline QSet<QString> namesIn(ct::MainWindow &window, int coroutines)
{
    constexpr int kNameColumn = 1;
    auto *table = window.findChild<QTableView *>(QStringLiteral("coroutineTable"));
    const bool isShown = QTest::qWaitFor(
        [&] {
            return window.run().state() == ct::RunState::Ended && table->isVisible() &&
                   table->model()->rowCount() == coroutines;
        },
        ct::test::kPatienceMs);
    QSet<QString> names;
    for (int row = 0; isShown && row < coroutines; ++row)
        names << table->model()->index(row, kNameColumn).data().toString();
    return names;
}

}  // namespace gui
