// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The conversion of a recording: the outputs of --export, written at the same time. The stream goes from the recording
// into them directly, so the memory does not depend on its length.
#pragma once

#include "app/batch/console.h"
#include "app/batch/convertedoutput.h"
#include "app/commandline/commandline.h"
#include "core/addresses/addressresolver.h"
#include "core/recording/read/streamfile.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace ct {

/// Main thread.
class Conversion {
public:
    /// `console`: for errors of outputs, which are printed once. `reportOf`: see ExportContext::report.
    Conversion(const CommandLine &line, std::shared_ptr<AddressResolver> resolver, Console &console, ReportOf reportOf);
    Conversion(const Conversion &) = delete;
    Conversion &operator=(const Conversion &) = delete;

    /// Opens the outputs under temporary names. Returns false if none can be written.
    bool open();
    /// True if an output is a recording.
    bool writesRecording() const;
    /// For openRecording(): passes the output of the target to the recordings that are written.
    OutputHandler outputHandler();
    /// See ConvertedOutput.
    void setSums(const std::function<Accounting()> &sums);
    void addFacts(const FileFacts &facts);
    void consume(const Batch &batch);
    bool hasFailed() const;  ///< no output is left
    /// Shows the progress, a few times a second. `read`: the share of the input that was read, 0 to 1.
    void showProgress(double read);
    /// Completes all outputs, gives them their names, and prints what is in them. A signal that asks for the end ends
    /// the program, and leaves nothing. `dropped`: how many numbers of events are missing without a loss. `isPart`: see
    /// ExportContext::isPart. Returns false if anything is missing in an output.
    bool finish(const Accounting &accounting, std::uint64_t dropped, bool isPart);

private:
    using Clock = std::chrono::steady_clock;
    void completeAll(const Accounting &accounting, std::uint64_t dropped, bool isPart);
    void reportFailures();
    bool reportContent(const Accounting &accounting, std::uint64_t dropped);
    [[noreturn]] void endAtOnce();

    const CommandLine &m_line;
    const std::shared_ptr<AddressResolver> m_resolver;
    const ReportOf m_reportOf;
    std::vector<std::unique_ptr<ConvertedOutput>> m_outputs;  ///< in the order of the command line
    Console &m_console;
    std::uint64_t m_events = 0;       ///< consumed so far
    std::uint64_t m_notSelected = 0;  ///< FileFacts::notSelected of the input
    Clock::time_point m_begun = Clock::now();
    Clock::time_point m_shown;
};

}  // namespace ct
