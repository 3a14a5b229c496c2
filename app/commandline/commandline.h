// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command line as a value. Pure: the parser reads only its arguments, prints nothing, and never exits.
#pragma once

#include "core/analysis/finding.h"
#include "core/analysis/thresholds.h"
#include "core/base/fileending.h"
#include "core/base/result.h"
#include "core/recording/write/appendfile.h"
#include "core/session/startrequest.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

struct ExportFormat;

struct CommandLine {
    enum class Mode { Window, Batch, Help, Version };
    enum class Theme { Saved, System, Light, Dark };
    /// Limits of the history that is kept.
    struct Kept {
        std::optional<double> seconds;       ///< > 0
        std::optional<std::uint64_t> bytes;  ///< 16 MiB and more
        bool any() const { return seconds || bytes; }
    };

    Mode mode = Mode::Window;
    StartRequest start;

    std::vector<std::string> debugFolders;  ///< searched for debug files
    std::vector<int> inherited;  ///< descriptors above 2 from fillStandardDescriptors(); main() sets them after parsing

    // Batch
    std::string outputPath;                             ///< empty: none; "-": standard output
    bool streams() const { return outputPath == "-"; }  ///< the output is a recording on standard output
    /// The output is a recording, which holds everything.
    bool records() const { return streams() || hasEnding(outputPath, ".ctr"); }
    /// One --export.
    struct Export {
        std::string kind;                             ///< of an ExportFormat
        std::string output;                           ///< a file, or the address of a server
        OldContent oldContent = OldContent::Replace;  ///< Keep: of -out, which appends as the existing collector does
        bool createsFolder = false;                   ///< of -csv-out and -sqlite-out
    };
    std::vector<Export> exports;        ///< outputs of a conversion, or further outputs of a capture
    bool convertsRegion = false;        ///< --input names a region, and there are exports
    std::string databasePassword;       ///< empty: none; from -db-password only
    std::vector<std::string> warnings;  ///< about the options, one sentence each
    bool lenient = false;               ///< skips bad lines of a JSONL input
    bool csvForSpreadsheets = false;    ///< escapes names that look like formulas
    std::string sessionId;              ///< name of the run in the recording; empty: a random one
    std::string summaryPath;            ///< empty: none; "-": standard output
    std::optional<double> durationSec;  ///< > 0
    Kept limit;                         ///< limit of the recording, whose oldest part is removed
    /// If set: only the latest seconds or bytes are written, and only when a dump is due.
    Kept keep;
    bool dumpOnFinding = false;  ///< dump when a coroutine is found to be stuck
    bool dumpOnDeath = false;    ///< dump when a process of the target has ended
    bool keepsOnly() const { return keep.any(); }
    bool dumps() const { return dumpOnFinding || dumpOnDeath; }

    /// What --report and --fail-on ask for.
    struct Diagnosis {
        std::string report;            ///< name of a ReportFormat; empty: none
        std::string reportPath = "-";  ///< "-": standard output
        std::vector<Rule> failOn;      ///< rules whose warnings and errors fail the run
        double confidence = 0;         ///< 0..1, least confidence of these
        std::string baselinePath;      ///< empty: none
        Thresholds thresholds;
        bool any() const { return !report.empty() || !failOn.empty(); }
    };
    Diagnosis diagnosis;

    // Window
    std::string screenshotPath;     ///< empty: none
    double screenshotAfterSec = 3;  ///< > 0
    Theme theme = Theme::Saved;
    std::vector<std::string> qtArguments;  ///< -platform NAME and the like, for QApplication
};

/// The format of -o, which must have the extension of an export.
const ExportFormat &outputFormat(const CommandLine &line);
/// The format of an --export.
const ExportFormat &exportFormatOf(const CommandLine &line, const CommandLine::Export &requested);

/// `arguments`: without the program's name. An error names the argument and what was expected.
Result<CommandLine> parseCommandLine(const std::vector<std::string> &arguments);

/// Returns every option of this program, "-o" as well as "--output", but not Qt's options. For tests of the
/// documentation.
std::vector<std::string> optionNames();

/// The text of --help, in app/commandline/usage.cpp.
std::string usageText();

}  // namespace ct
