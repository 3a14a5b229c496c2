// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/optioncombinations.h"

#include "app/commandline/optionvalues.h"
#include "core/base/fileending.h"
#include "core/databases/serveraddress.h"
#include "core/exporting/exportformat.h"
#include "core/region/stalesocket.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace ct {

namespace {

bool looksLikeARecording(std::string_view path)
{
    const std::string_view name = withoutPacking(path);
    return hasEnding(path, ".ctr") || hasEnding(name, ".jsonl") || hasEnding(name, ".json") ||
           hasEnding(path, ".sqlite") || isServerAddress(path);
}

class Checks {
public:
    explicit Checks(const ParsedOptions &parsed) : m_parsed(parsed) {}
    Result<void> check() const;

private:
    Result<void> checkSource() const;
    Result<void> checkBatch() const;
    Result<void> checkOutput() const;
    Result<void> checkDiagnosis() const;
    Result<void> checkReading() const;
    Result<void> checkCsv() const;
    /// Returns the first of these options that was given; nullptr = none.
    const std::string *firstUsed(std::initializer_list<std::string_view> names) const;

    const ParsedOptions &m_parsed;
};

const std::string *Checks::firstUsed(std::initializer_list<std::string_view> names) const
{
    const auto found = std::find_if(m_parsed.used.begin(), m_parsed.used.end(), [names](const std::string &name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    });
    return found == m_parsed.used.end() ? nullptr : &*found;
}

Result<void> Checks::checkSource() const
{
    const RunKind kind = m_parsed.line.start.kind();
    const bool creates = kind == RunKind::Launched || kind == RunKind::Listening;
    const std::string *creating = firstUsed(
        {"-n", "--stations", "--shm", "--sock", "--no-lanes", "--lane-size", "--lane-pool", "--lane-retention"});
    if (creating && !creates)
        return usageError(*creating + " needs a program to start, or --listen");
    if (const std::string *capturing = firstUsed({"--backlog", "--max-overhead"});
        capturing && !creates && kind != RunKind::Attached)
        return usageError(*capturing + " needs a program to start, --listen or --attach");
    const CaptureSpec &capture = m_parsed.line.start.capture;
    if (const std::string *ofLanes = firstUsed({"--lane-size", "--lane-pool", "--lane-retention"});
        ofLanes && !capture.lanes)
        return usageError(*ofLanes + " cannot be used with --no-lanes; leave out one of them");
    if (firstUsed({"--lane-size"}) && capture.laneBytes > capture.lanePoolBytes)
        return usageError("--lane-size: one lane must fit into --lane-pool");
    if (!capture.socketPath.empty()) {
        if (const Result<sockaddr_un> address = socketAddressOf(capture.socketPath); !address)
            return usageError("--sock: " + address.error().message);
    }
    if (capture.socketPath.empty() && !capture.regionPath.empty()) {
        if (const Result<std::string> socket = socketPathFor(capture.regionPath); !socket)
            return usageError("--shm: " + socket.error().message + ", or give --sock");
    }
    return {};
}

Result<void> Checks::check() const
{
    if (Result<void> source = checkSource(); !source)
        return source;
    if (m_parsed.line.mode == CommandLine::Mode::Batch)
        return checkBatch();
    if (const std::string *batchOnly =
            firstUsed({"-o", "--output", "--duration", "--until-idle", "--summary", "--keep", "--dump-on", "--session",
                       "--limit", "--csv-for-spreadsheets", "--lenient", "--export", "--report", "--report-out",
                       "--fail-on", "--confidence", "--baseline"}))
        return usageError(*batchOnly + " needs --batch");
    if (firstUsed({"--screenshot-after"}) && m_parsed.line.screenshotPath.empty())
        return usageError("--screenshot-after needs --screenshot");
    return {};
}

/// --batch without --input captures. For what only the window can do, the error says how.
Result<void> Checks::checkBatch() const
{
    const std::string capture = "--batch captures -- TARGET, --cmd 'LINE', --listen or --attach SHM";
    const RunKind kind = m_parsed.line.start.kind();
    if (m_parsed.line.convertsRegion && !m_parsed.line.lenient)
        return checkReading();
    if (kind == RunKind::None)
        return usageError("--batch needs -- TARGET, --cmd 'LINE', --listen or --attach SHM");
    if (readsRecording(kind)) {
        const std::string path = m_parsed.line.start.inputPath();
        const bool isInput = m_parsed.source.starts_with("--input ");
        if (isInput && (m_parsed.line.diagnosis.any() || !m_parsed.line.exports.empty()))
            return checkReading();
        if (kind == RunKind::Input)
            return usageError(
                "--input - shows a recording in the window, without --batch, unless --export converts it, or "
                "--report or --fail-on judges it; " +
                capture);
        if (isInput || looksLikeARecording(path))
            return usageError(m_parsed.source +
                              ": a recording is shown in the window, without --batch, converted with --input FILE and "
                              "--export, or judged with --input FILE and --report or --fail-on; " +
                              capture);
        return usageError(m_parsed.source + ": a program to start goes after --, as in --batch -- " + path);
    }
    for (const std::string &name : m_parsed.used) {
        if (name == "--screenshot" || name == "--screenshot-after" || name == "--theme" || isQtOption(name))
            return usageError(name + " cannot be used with --batch, which has no window; leave it out");
    }
    if (m_parsed.line.start.capture.untilIdle && kind != RunKind::Listening)
        return usageError("--until-idle needs --listen; other captures end with their targets");
    return checkOutput();
}

/// Checks the options of a diagnosis that need one another.
Result<void> Checks::checkDiagnosis() const
{
    const CommandLine::Diagnosis &diagnosis = m_parsed.line.diagnosis;
    if (firstUsed({"--report-out"}) && diagnosis.report.empty())
        return usageError("--report-out needs --report");
    if (firstUsed({"--confidence"}) && diagnosis.failOn.empty())
        return usageError("--confidence needs --fail-on");
    if (firstUsed({"--baseline"}) && !diagnosis.any())
        return usageError("--baseline needs --report or --fail-on");
    if (diagnosis.report.empty() || diagnosis.reportPath != "-")
        return {};
    if (m_parsed.line.streams() || m_parsed.line.summaryPath == "-")
        return usageError("--report " + diagnosis.report + " goes to standard output, as " +
                          (m_parsed.line.streams() ? "-o -" : "--summary -") + " does; give --report-out FILE");
    return {};
}

/// Checks --batch --input FILE, which captures nothing.
Result<void> Checks::checkReading() const
{
    constexpr std::array<std::string_view, 11> kAllowed{
        "--report",     "--report-out", "--fail-on", "--confidence",           "--baseline", "--threshold",
        "--debug-path", "--input",      "--export",  "--csv-for-spreadsheets", "--lenient"};
    for (const std::string &name : m_parsed.used) {
        if (name == "-o" || name == "--output")
            return usageError(name +
                              " cannot be used with --batch --input FILE, which captures nothing; name an output "
                              "after its --export");
        if (std::find(kAllowed.begin(), kAllowed.end(), name) == kAllowed.end())
            return usageError(name + " cannot be used with --batch --input FILE, which captures nothing; leave it out");
    }
    if (Result<void> csv = checkCsv(); !csv)
        return csv;
    return checkDiagnosis();
}

Result<void> Checks::checkCsv() const
{
    const auto isCsv = [](const ExportFormat *format) { return format && &forSpreadsheets(*format) != format; };
    const std::vector<CommandLine::Export> &exports = m_parsed.line.exports;
    if (!m_parsed.line.csvForSpreadsheets || isCsv(exportFormatFor(m_parsed.line.outputPath)) ||
        std::any_of(exports.begin(), exports.end(),
                    [&](const CommandLine::Export &one) { return isCsv(exportFormatOfKind(one.kind)); }))
        return {};
    return usageError("--csv-for-spreadsheets needs -o FILE.csv, or --export csv");
}

Result<void> Checks::checkOutput() const
{
    if (m_parsed.line.lenient)
        return usageError("--lenient needs --batch --input FILE with a recording, not a region (.shm)");
    if (Result<void> diagnosis = checkDiagnosis(); !diagnosis)
        return diagnosis;
    if (!m_parsed.line.outputPath.empty()) {
        if (exportFormatFor(withoutPacking(m_parsed.line.outputPath)) && !exportFormatFor(m_parsed.line.outputPath))
            return usageError("-o " + m_parsed.line.outputPath +
                              ": the file would not be compressed: only .jsonl and .csv can be; choose another name");
        if (!m_parsed.line.records() && !exportFormatFor(m_parsed.line.outputPath))
            return usageError("-o " + m_parsed.line.outputPath +
                              ": the name must end in .ctr, .jsonl, .csv, .sqlite, .pftrace or .json");
        if (m_parsed.line.records() && m_parsed.line.keepsOnly())
            return usageError("-o " + m_parsed.line.outputPath +
                              ": dumps of --keep are .jsonl, .csv, .sqlite, .pftrace or .json");
        if (m_parsed.line.outputPath == m_parsed.line.summaryPath)
            return usageError("--summary " + m_parsed.line.summaryPath +
                              " is also the file of -o; choose another name");
    }
    if (Result<void> csv = checkCsv(); !csv)
        return csv;
    if (m_parsed.line.keepsOnly() && !m_parsed.line.exports.empty())
        return usageError("--export cannot be used with --keep, whose dumps -o names; leave out one of them");
    if (m_parsed.line.keepsOnly() && m_parsed.line.outputPath.empty())
        return usageError("--keep needs -o FILE, the name of the dumps");
    if (m_parsed.line.limit.any() && m_parsed.line.streams())
        return usageError("--limit needs -o FILE.ctr: parts of standard output cannot be removed");
    if (!m_parsed.line.sessionId.empty() && !m_parsed.line.records())
        return usageError("--session needs -o FILE.ctr");
    if (m_parsed.line.limit.any() && !m_parsed.line.records())
        return usageError("--limit needs -o FILE.ctr");
    if (m_parsed.line.dumps() && !m_parsed.line.keepsOnly())
        return usageError("--dump-on needs --keep");
    return {};
}

}  // namespace

Result<void> checkCombinations(const ParsedOptions &parsed)
{
    return Checks(parsed).check();
}

bool isQtOption(std::string_view argument)
{
    constexpr std::array<std::string_view, 10> kKnown{
        "-platform",    "-platformtheme", "-platformpluginpath", "-style",   "-stylesheet",
        "-qwindowicon", "-qwindowtitle",  "-qwindowgeometry",    "-session", "-display"};
    return std::find(kKnown.begin(), kKnown.end(), argument) != kKnown.end();
}

}  // namespace ct
