// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandline.h"

#include "app/commandline/collectoroptions.h"
#include "app/commandline/exportoptions.h"
#include "app/commandline/olderoptions.h"
#include "app/commandline/optioncombinations.h"
#include "app/commandline/optionvalues.h"
#include "core/base/fileending.h"
#include "core/exporting/exportformat.h"
#include "core/recording/write/rotation.h"
#include "core/reporting/reportformats.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ct {

namespace {

constexpr SizeLimits kLaneLimits{kLaneBytesMin, kLaneBytesMax};
constexpr SizeLimits kPoolLimits{kLanePoolMin, kLanePoolMax};
constexpr SizeLimits kBacklogLimits{64ULL << 20, 1ULL << 40};
constexpr SizeLimits kKeepLimits{16ULL << 20, 32ULL << 30};
constexpr SizeLimits kRecordLimits{RecordingLimits::kLeastBytes, 1ULL << 50};
constexpr double kLongestRetentionSec = 4'000'000;  // fits into 32 bits as milliseconds

Result<CommandLine::Theme> parseTheme(const std::string &value)
{
    if (value == "light")
        return CommandLine::Theme::Light;
    if (value == "dark")
        return CommandLine::Theme::Dark;
    if (value == "system")
        return CommandLine::Theme::System;
    return usageError("--theme " + value + ": expected light, dark or system");
}

constexpr std::array<std::string_view, 10> kFlags{
    "--batch",   "--listen", "--until-idle", "--no-lanes", "--csv-for-spreadsheets",
    "--lenient", "-h",       "--help",       "-v",         "--version"};
constexpr std::array<std::string_view, 31> kValued{"-n",           "--stations",   "-o",           "--output",
                                                   "--shm",        "--sock",       "--duration",   "--summary",
                                                   "--attach",     "--cmd",        "--screenshot", "--screenshot-after",
                                                   "--theme",      "--lane-size",  "--lane-pool",  "--lane-retention",
                                                   "--keep",       "--dump-on",    "--session",    "--limit",
                                                   "--debug-path", "--input",      "--backlog",    "--max-overhead",
                                                   "--report",     "--report-out", "--fail-on",    "--confidence",
                                                   "--baseline",   "--threshold",  "--export"};

bool isAmong(const auto &names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

class Parser {
public:
    explicit Parser(const std::vector<std::string> &arguments) : m_arguments(arguments) {}
    Result<CommandLine> parse();

private:
    Result<void> parseOne();
    Result<void> parseFlag(const std::string &name, bool &known);
    Result<void> parseValued(const std::string &name, const std::string &value, bool &known);
    Result<void> parseLane(const std::string &name, const std::string &value);
    using Kept = CommandLine::Kept;
    Result<void> setKept(const std::string &name, const std::string &value, const SizeLimits &limits, Kept &kept);
    Result<void> setDumpOn(const std::string &name, const std::string &value);
    Result<void> setReport(const std::string &value);
    Result<void> setFailOn(const std::string &value);
    Result<void> setSource(const std::string &name, decltype(StartRequest::what) what);
    Result<void> setFile(const std::string &name, const std::string &path);
    Result<void> setTarget();
    void used(const std::string &name) { m_used.push_back(name); }
    bool isGiven(const std::string &name) const;

    const std::vector<std::string> &m_arguments;
    std::size_t m_next = 0;
    CommandLine m_line;
    std::string m_source;             ///< the argument that selects what to capture
    std::vector<std::string> m_used;  ///< options that belong to one mode or one source only
};

Result<void> Parser::setSource(const std::string &name, decltype(StartRequest::what) what)
{
    if (!m_source.empty())
        return usageError(name + " and " + m_source + " cannot be used together; give only one of them");
    m_source = name;
    m_line.start.what = std::move(what);
    return {};
}

/// Selects a region, or else a recording.
Result<void> Parser::setFile(const std::string &name, const std::string &path)
{
    return setSource(name, StartRequest::forFile(path).what);
}

Result<void> Parser::setTarget()
{
    LaunchSpec spec;
    spec.argv.assign(m_arguments.begin() + static_cast<std::ptrdiff_t>(m_next), m_arguments.end());
    m_next = m_arguments.size();
    if (spec.argv.empty() || spec.argv.front().empty())
        return usageError("--: no program follows; name the program to start");
    return setSource("--", std::move(spec));
}

Result<void> Parser::parseFlag(const std::string &name, bool &known)
{
    known = true;
    if (name == "--batch")
        m_line.mode = CommandLine::Mode::Batch;
    else if (name == "--csv-for-spreadsheets") {
        used(name);
        m_line.csvForSpreadsheets = true;
    } else if (name == "--lenient") {
        used(name);
        m_line.lenient = true;
    } else if (name == "--no-lanes") {
        used(name);
        m_line.start.capture.lanes = false;
    } else if (name == "--until-idle") {
        used(name);
        m_line.start.capture.untilIdle = true;
    } else if (name == "--listen")
        return setSource(name, ListenRequest{});
    else
        known = false;
    return {};
}

Result<void> Parser::parseValued(const std::string &name, const std::string &value, bool &known)
{
    known = true;
    if (!m_line.exports.empty() && (name == "-o" || name == "--output"))
        return setOutputOfExport(m_line.exports.back(), name, value);
    if (isGiven(name))
        return usageError(name + " " + value + ": given twice; give it once");
    used(name);
    if (value.empty())
        return usageError(name + ": its value is empty; give one");
    if (name == "--shm" || name == "--sock") {
        if (Result<void> copyable = checkCopyable(name, value); !copyable)
            return copyable;
    }
    const auto store = [](auto parsed, auto &field) -> Result<void> {
        if (!parsed)
            return parsed.error();
        field = *parsed;
        return {};
    };
    if (name == "-n" || name == "--stations") {
        m_line.start.capture.stationsAtStart = true;
        return store(parseStations(name, value), m_line.start.capture.stations);
    }
    if (name.starts_with("--lane-"))
        return parseLane(name, value);
    if (name == "--backlog")
        return store(parseSize(name, value, kBacklogLimits), m_line.start.backlog.bytes);
    if (name == "--max-overhead")
        return store(parseShare(name, value), m_line.start.maxOverhead);
    if (name == "--keep")
        return setKept(name, value, kKeepLimits, m_line.keep);
    if (name == "--limit")
        return setKept(name, value, kRecordLimits, m_line.limit);
    if (name == "--dump-on")
        return setDumpOn(name, value);
    if (name == "--report")
        return setReport(value);
    if (name == "--fail-on")
        return setFailOn(value);
    if (name == "--export")
        return addExport(m_line.exports, value);
    if (name == "--confidence")
        return store(parseConfidence(name, value), m_line.diagnosis.confidence);
    if (name == "--threshold") {
        const Result<void> set = setThreshold(m_line.diagnosis.thresholds, value);
        return set ? Result<void>() : usageError(name + " " + value + ": " + set.error().message);
    }
    if (name == "--duration")
        return store(parseSeconds(name, value), m_line.durationSec);
    if (name == "--screenshot-after")
        return store(parseSeconds(name, value), m_line.screenshotAfterSec);
    if (name == "--theme")
        return store(parseTheme(value), m_line.theme);
    if (name == "--attach")
        return setSource(name, AttachRequest{value});
    if (name == "--input")
        return value == "-" ? setSource("--input -", InputRequest{}) : setFile(name + ' ' + value, value);
    if (name == "--cmd") {
        LaunchSpec spec;
        spec.shellLine = value;
        return setSource(name, std::move(spec));
    }
    if (name == "-o" || name == "--output")
        m_line.outputPath = value;
    else if (name == "--shm")
        m_line.start.capture.regionPath = value;
    else if (name == "--sock")
        m_line.start.capture.socketPath = value;
    else if (name == "--debug-path")
        m_line.debugFolders.push_back(value);
    else if (name == "--session")
        m_line.sessionId = value;
    else if (name == "--summary")
        m_line.summaryPath = value;
    else if (name == "--report-out")
        m_line.diagnosis.reportPath = value;
    else if (name == "--baseline")
        m_line.diagnosis.baselinePath = value;
    else if (name == "--screenshot")
        m_line.screenshotPath = value;
    return {};
}

Result<void> Parser::parseLane(const std::string &name, const std::string &value)
{
    CaptureSpec &capture = m_line.start.capture;
    if (name == "--lane-retention") {
        const Result<double> seconds = parseSecondsOrZero(name, value);
        if (!seconds)
            return seconds.error();
        if (*seconds > kLongestRetentionSec)
            return usageError(name + " " + value + ": expected at most 4000000 seconds");
        capture.laneRetentionMs = static_cast<std::uint32_t>(*seconds * 1e3);
        return {};
    }
    const bool pool = name == "--lane-pool";
    const Result<std::uint64_t> bytes = parseSize(name, value, pool ? kPoolLimits : kLaneLimits);
    if (!bytes)
        return bytes.error();
    (pool ? capture.lanePoolBytes : capture.laneBytes) = *bytes;
    return {};
}

/// Sets a time or a size; each may be given once.
Result<void> Parser::setKept(const std::string &name, const std::string &value, const SizeLimits &limits, Kept &kept)
{
    const auto keep = parseKeep(name, value, limits);
    if (!keep)
        return keep.error();
    const auto *time = std::get_if<KeepTime>(&*keep);
    if (time ? kept.seconds.has_value() : kept.bytes.has_value())
        return usageError(name + " " + value + ": a second " + (time ? "time" : "size") + "; give at most one of each");
    if (time)
        kept.seconds = time->seconds;
    else
        kept.bytes = std::get<KeepBytes>(*keep).bytes;
    return {};
}

Result<void> Parser::setDumpOn(const std::string &name, const std::string &value)
{
    if (value == "finding")
        m_line.dumpOnFinding = true;
    else if (value == "death")
        m_line.dumpOnDeath = true;
    else
        return usageError(name + " " + value + ": expected finding or death");
    return {};
}

Result<void> Parser::setReport(const std::string &value)
{
    if (reportFormat(value)) {
        m_line.diagnosis.report = value;
        return {};
    }
    std::string names;
    for (const ReportFormat &format : reportFormats())
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    return usageError("--report " + value + ": expected one of " + names);
}

/// A list of rules, separated by commas, or "any".
Result<void> Parser::setFailOn(const std::string &value)
{
    for (std::size_t begin = 0; begin <= value.size();) {
        const std::size_t end = std::min(value.find(',', begin), value.size());
        const std::string name = value.substr(begin, end - begin);
        bool known = false;
        std::string names = "any";
        for (std::size_t i = 0; i < kRules; ++i) {
            const auto rule = static_cast<Rule>(i);
            names += ", " + std::string(nameOf(rule));
            if (name != "any" && name != nameOf(rule))
                continue;
            known = true;
            m_line.diagnosis.failOn.push_back(rule);
        }
        if (!known)
            return usageError("--fail-on " + value + ": \"" + name + "\" is not a rule; expected one of " + names);
        begin = end + 1;
    }
    return {};
}

Result<void> Parser::parseOne()
{
    const std::string argument = m_arguments[m_next++];
    if (argument == "--")
        return setTarget();
    if (isQtOption(argument)) {
        if (m_next >= m_arguments.size())
            return usageError(argument + ": its value is missing");
        if (isGiven(argument))
            return usageError(argument + ": given twice; give it once");
        used(argument);
        m_line.qtArguments.insert(m_line.qtArguments.end(), {argument, m_arguments[m_next++]});
        return {};
    }
    if (argument.empty())
        return usageError("an argument is empty; FILE needs a name");
    if (argument == "-")
        return usageError("-: use --input - for a recording from standard input");
    if (argument.front() != '-')
        return setFile(argument, argument);
    bool known = false;
    if (Result<void> flag = parseFlag(argument, known); known)
        return flag;
    const std::size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const std::string name = argument.substr(0, equals);
    if (equals != std::string::npos && isAmong(kFlags, name))
        return usageError(argument + ": " + name + " takes no value; leave out the =");
    if (!isAmong(kValued, name))
        return usageError(argument + ": unknown argument");
    if (equals != std::string::npos)
        return parseValued(name, argument.substr(equals + 1), known);
    if (m_next >= m_arguments.size())
        return usageError(name + ": its value is missing");
    return parseValued(name, m_arguments[m_next++], known);
}

/// True if an option that may be given only once was given before.
bool Parser::isGiven(const std::string &name) const
{
    constexpr std::array<std::string_view, 6> kRepeated{"--debug-path", "--keep",      "--limit",
                                                        "--dump-on",    "--threshold", "--export"};
    if (std::find(kRepeated.begin(), kRepeated.end(), name) != kRepeated.end())
        return false;
    const auto longName = [](std::string_view given) {
        return given == "-o" ? "--output" : given == "-n" ? "--stations" : given;
    };
    return std::any_of(m_used.begin(), m_used.end(),
                       [&](const std::string &other) { return longName(other) == longName(name); });
}

Result<CommandLine> Parser::parse()
{
    while (m_next < m_arguments.size()) {
        const std::string &argument = m_arguments[m_next];
        if (argument == "--help" || argument == "-h" || argument == "--version" || argument == "-v") {
            CommandLine line;
            line.mode = argument.find('h') != std::string::npos ? CommandLine::Mode::Help : CommandLine::Mode::Version;
            return line;
        }
        if (Result<void> parsed = parseOne(); !parsed)
            return parsed.error();
    }
    if (Result<void> completed = completeExports(m_line, m_source); !completed)
        return completed.error();
    if (Result<void> checked = checkCombinations({m_line, m_source, m_used}); !checked)
        return checked.error();
    return m_line;
}

/// Sets what no argument of today says about the outputs of the existing collector's options.
void setCollectorOutputs(const CurrentArguments &current, std::vector<CommandLine::Export> &exports)
{
    for (CommandLine::Export &requested : exports) {
        if (requested.output == current.appended)
            requested.oldContent = OldContent::Keep;
        requested.createsFolder = isAmong(current.inNewFolders, requested.output);
    }
}

}  // namespace

const ExportFormat &outputFormat(const CommandLine &line)
{
    const ExportFormat &format = *exportFormatFor(line.outputPath);
    return line.csvForSpreadsheets ? forSpreadsheets(format) : format;
}

const ExportFormat &exportFormatOf(const CommandLine &line, const CommandLine::Export &requested)
{
    const ExportFormat &format = *exportFormatOfKind(requested.kind);
    return line.csvForSpreadsheets ? forSpreadsheets(format) : format;
}

std::vector<std::string> optionNames()
{
    std::vector<std::string> names(kFlags.begin(), kFlags.end());
    names.insert(names.end(), kValued.begin(), kValued.end());
    names.insert(names.end(), kOlderOptions.begin(), kOlderOptions.end());
    for (const std::string_view option : kCollectorOptions) {
        if (std::find(names.begin(), names.end(), option) == names.end())
            names.emplace_back(option);
    }
    return names;
}

Result<CommandLine> parseCommandLine(const std::vector<std::string> &arguments)
{
    const Result<std::vector<std::string>> recent = withoutOlderOptions(arguments);
    if (!recent)
        return recent.error();
    Result<CurrentArguments> current = withoutCollectorOptions(*recent);
    if (!current)
        return current.error();
    Result<CommandLine> line = Parser(current->arguments).parse();
    if (line) {
        setCollectorOutputs(*current, line->exports);
        line->start.capture.replacesUnused = current->replacesUnusedRegion;
        line->warnings = std::move(current->warnings);
        line->databasePassword = std::move(current->databasePassword);
    }
    return line;
}

}  // namespace ct
