// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command line as a value. Pure: reads its arguments only, prints nothing, ends nothing.
#pragma once

#include "core/fileending.h"
#include "core/result.h"
#include "core/session/startrequest.h"

#include <optional>
#include <string>
#include <vector>

namespace ct {

struct ExportFormat;

struct CommandLine {
    enum class Mode { Window, Batch, Help, Version };
    enum class Theme { Saved, System, Light, Dark };
    /// How much of the history stays.
    struct Kept {
        std::optional<double> seconds;       ///< > 0
        std::optional<std::uint64_t> bytes;  ///< 16 MiB and more
        bool any() const { return seconds || bytes; }
    };

    Mode mode = Mode::Window;
    StartRequest start;

    std::vector<std::string> debugFolders;  ///< looked through for debug files
    std::vector<int> inherited;             ///< descriptors above 2 of settleDescriptors(), set behind the parser

    // Batch
    std::string outputPath;                             ///< empty: none; "-": standard output
    bool streams() const { return outputPath == "-"; }  ///< a recording, to standard output
    /// The output is a recording, with all there is.
    bool records() const { return streams() || hasEnding(outputPath, ".ctr"); }
    bool csvForSpreadsheets = false;    ///< names that look like formulas are escaped
    std::string sessionId;              ///< of the recording; empty: a random one
    std::string summaryPath;            ///< empty: none; "-": standard output
    std::optional<double> durationSec;  ///< > 0
    Kept limit;                         ///< of the recording: the oldest part goes
    /// If any: nothing is written but the latest so many seconds or bytes, and only when a dump is due.
    Kept keep;
    bool dumpOnFinding = false;  ///< a coroutine is found to be stuck
    bool dumpOnDeath = false;    ///< the target has ended
    bool keepsOnly() const { return keep.any(); }
    bool dumps() const { return dumpOnFinding || dumpOnDeath; }

    // Window
    std::string screenshotPath;     ///< empty: none
    double screenshotAfterSec = 3;  ///< > 0
    Theme theme = Theme::Saved;
    std::vector<std::string> qtArguments;  ///< -platform NAME and the like, for QApplication
};

/// The one of -o; its ending is known to be an export's.
const ExportFormat &outputFormat(const CommandLine &line);

/// `arguments` without the program's name. An error names the argument and what would be right.
Result<CommandLine> parseCommandLine(const std::vector<std::string> &arguments);

/// Every option of this program, "-o" and "--output" alike, without those of Qt. For tests of the documentation.
std::vector<std::string> optionNames();

/// For --help; in app/usage.cpp.
std::string usageText();

}  // namespace ct
