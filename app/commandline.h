// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command line as a value. Pure: reads its arguments only, prints nothing, ends nothing.
#pragma once

#include "core/result.h"
#include "core/session/startrequest.h"

#include <optional>
#include <string>
#include <vector>

namespace ct {

struct CommandLine {
    enum class Mode { Window, Batch, Help, Version };
    enum class Theme { Saved, System, Light, Dark };

    Mode mode = Mode::Window;
    StartRequest start;

    // Batch
    std::string outputPath;             ///< empty: none; "-": standard output
    std::string summaryPath;            ///< empty: none; "-": standard output
    std::optional<double> durationSec;  ///< > 0

    // Window
    std::string screenshotPath;     ///< empty: none
    double screenshotAfterSec = 3;  ///< > 0
    Theme theme = Theme::Saved;
    std::vector<std::string> qtArguments;  ///< -platform NAME and the like, for QApplication
};

/// `arguments` without the program's name. An error names the argument and what would be right.
Result<CommandLine> parseCommandLine(const std::vector<std::string> &arguments);

/// For --help.
std::string usageText();

}  // namespace ct
