// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/commandline.h"

#include "app/commandline/optionvalues.h"
#include "core/base/fileending.h"
#include "core/exporting/exporting.h"
#include "core/recording/write/rotation.h"
#include "core/region/stalesocket.h"
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

constexpr std::array<std::string_view, 9> kFlags{
    "--batch", "--listen", "--until-idle", "--no-lanes", "--csv-for-spreadsheets", "-h", "--help", "-v", "--version"};
constexpr std::array<std::string_view, 29> kValued{"-n",           "--stations",   "-o",           "--output",
                                                   "--shm",        "--sock",       "--duration",   "--summary",
                                                   "--attach",     "--cmd",        "--screenshot", "--screenshot-after",
                                                   "--theme",      "--lane-size",  "--lane-pool",  "--lane-retention",
                                                   "--keep",       "--dump-on",    "--session",    "--limit",
                                                   "--debug-path", "--input",      "--backlog",    "--max-overhead",
                                                   "--report",     "--report-out", "--fail-on",    "--confidence",
                                                   "--baseline"};

bool isAmong(const auto &names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool looksLikeARecording(std::string_view path)
{
    return hasEnding(path, ".ctr") || hasEnding(path, ".jsonl") || hasEnding(path, ".json");
}

/// Qt's own options that have a value.
bool isQtOption(std::string_view argument)
{
    constexpr std::array<std::string_view, 10> kKnown{
        "-platform",    "-platformtheme", "-platformpluginpath", "-style",   "-stylesheet",
        "-qwindowicon", "-qwindowtitle",  "-qwindowgeometry",    "-session", "-display"};
    return isAmong(kKnown, argument);
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
    Result<void> check() const;
    Result<void> checkSource() const;
    Result<void> checkBatch() const;
    Result<void> checkOutput() const;
    Result<void> checkDiagnosis() const;
    Result<void> checkJudging() const;
    void used(const std::string &name) { m_used.push_back(name); }
    bool isGiven(const std::string &name) const;
    const std::string *firstUsed(std::initializer_list<std::string_view> names) const;

    const std::vector<std::string> &m_arguments;
    std::size_t m_next = 0;
    CommandLine m_line;
    std::string m_source;             ///< the argument that selected what to capture
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

/// Selects a region (.shm), or else a recording.
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
    if (name == "--confidence")
        return store(parseConfidence(name, value), m_line.diagnosis.confidence);
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
            return usageError("--fail-on " + value + ": \"" + name + "\" is no rule; expected one of " + names);
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
        return usageError(argument + ": unknown argument; see --help");
    if (equals != std::string::npos)
        return parseValued(name, argument.substr(equals + 1), known);
    if (m_next >= m_arguments.size())
        return usageError(name + ": its value is missing");
    return parseValued(name, m_arguments[m_next++], known);
}

/// Returns true if an option that may be given once only was given before.
bool Parser::isGiven(const std::string &name) const
{
    constexpr std::array<std::string_view, 4> kRepeated{"--debug-path", "--keep", "--limit", "--dump-on"};
    if (std::find(kRepeated.begin(), kRepeated.end(), name) != kRepeated.end())
        return false;
    const auto longName = [](std::string_view given) {
        return given == "-o" ? "--output" : given == "-n" ? "--stations" : given;
    };
    return std::any_of(m_used.begin(), m_used.end(),
                       [&](const std::string &other) { return longName(other) == longName(name); });
}

const std::string *Parser::firstUsed(std::initializer_list<std::string_view> names) const
{
    const auto found = std::find_if(m_used.begin(), m_used.end(), [names](const std::string &name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    });
    return found == m_used.end() ? nullptr : &*found;
}

Result<void> Parser::checkSource() const
{
    const RunKind kind = m_line.start.kind();
    const bool creates = kind == RunKind::Launched || kind == RunKind::Listening;
    const std::string *creating = firstUsed(
        {"-n", "--stations", "--shm", "--sock", "--no-lanes", "--lane-size", "--lane-pool", "--lane-retention"});
    if (creating && !creates)
        return usageError(*creating + " needs a program to start, or --listen");
    if (const std::string *capturing = firstUsed({"--backlog", "--max-overhead"});
        capturing && !creates && kind != RunKind::Attached)
        return usageError(*capturing + " needs a program to start, --listen or --attach");
    const CaptureSpec &capture = m_line.start.capture;
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

Result<void> Parser::check() const
{
    if (Result<void> source = checkSource(); !source)
        return source;
    if (m_line.mode == CommandLine::Mode::Batch)
        return checkBatch();
    if (const std::string *batchOnly = firstUsed(
            {"-o", "--output", "--duration", "--until-idle", "--summary", "--keep", "--dump-on", "--session", "--limit",
             "--csv-for-spreadsheets", "--report", "--report-out", "--fail-on", "--confidence", "--baseline"}))
        return usageError(*batchOnly + " needs --batch");
    if (firstUsed({"--screenshot-after"}) && m_line.screenshotPath.empty())
        return usageError("--screenshot-after needs --screenshot");
    return {};
}

/// --batch captures. For what only the window does, the error names the way to do it.
Result<void> Parser::checkBatch() const
{
    const std::string capture = "--batch captures -- TARGET, --cmd 'LINE', --listen or --attach SHM";
    const RunKind kind = m_line.start.kind();
    if (kind == RunKind::None)
        return usageError("--batch needs -- TARGET, --cmd 'LINE', --listen or --attach SHM");
    if (kind == RunKind::Input)
        return usageError("--input - shows a recording in the window, without --batch; " + capture);
    if (kind == RunKind::File) {
        const std::string path = m_line.start.inputPath();
        if (m_source.starts_with("--input ") && m_line.diagnosis.any())
            return checkJudging();
        if (m_source.starts_with("--input ") || looksLikeARecording(path))
            return usageError(m_source +
                              ": a recording is shown in the window, without --batch, or judged with --input FILE and "
                              "--report or --fail-on; " +
                              capture);
        return usageError(m_source + ": a program to start goes after --, as in --batch -- " + path);
    }
    for (const std::string &name : m_used) {
        if (name == "--screenshot" || name == "--screenshot-after" || name == "--theme" || isQtOption(name))
            return usageError(name + " cannot be used with --batch, which has no window; leave it out");
    }
    if (m_line.start.capture.untilIdle && kind != RunKind::Listening)
        return usageError("--until-idle needs --listen; other captures end with their targets");
    return checkOutput();
}

/// Options of a diagnosis that need one another.
Result<void> Parser::checkDiagnosis() const
{
    const CommandLine::Diagnosis &diagnosis = m_line.diagnosis;
    if (firstUsed({"--report-out"}) && diagnosis.report.empty())
        return usageError("--report-out needs --report");
    if (firstUsed({"--confidence"}) && diagnosis.failOn.empty())
        return usageError("--confidence needs --fail-on");
    if (firstUsed({"--baseline"}) && !diagnosis.any())
        return usageError("--baseline needs --report or --fail-on");
    if (diagnosis.report.empty() || diagnosis.reportPath != "-")
        return {};
    if (m_line.streams() || m_line.summaryPath == "-")
        return usageError("--report " + diagnosis.report + " goes to standard output, as " +
                          (m_line.streams() ? "-o -" : "--summary -") + " does; give --report-out FILE");
    return {};
}

/// --batch --input FILE reads a recording, and captures nothing.
Result<void> Parser::checkJudging() const
{
    for (const std::string &name : m_used) {
        if (name != "--report" && name != "--report-out" && name != "--fail-on" && name != "--confidence" &&
            name != "--baseline" && name != "--debug-path" && name != "--input")
            return usageError(name + " cannot be used with --batch --input FILE, which captures nothing; leave it out");
    }
    return checkDiagnosis();
}

Result<void> Parser::checkOutput() const
{
    if (Result<void> diagnosis = checkDiagnosis(); !diagnosis)
        return diagnosis;
    if (!m_line.outputPath.empty()) {
        if (!m_line.records() && !exportFormatFor(m_line.outputPath))
            return usageError("-o " + m_line.outputPath + ": the name must end in .ctr, .jsonl, .csv or .sqlite");
        if (m_line.records() && m_line.keepsOnly())
            return usageError("-o " + m_line.outputPath + ": dumps of --keep are .jsonl, .csv or .sqlite");
        if (m_line.outputPath == m_line.summaryPath)
            return usageError("--summary " + m_line.summaryPath + ": is also the file of -o; choose another name");
    }
    const ExportFormat *format = exportFormatFor(m_line.outputPath);
    if (m_line.csvForSpreadsheets && (!format || &forSpreadsheets(*format) == format))
        return usageError("--csv-for-spreadsheets needs -o FILE.csv");
    if (m_line.keepsOnly() && m_line.outputPath.empty())
        return usageError("--keep needs -o FILE, the name of the dumps");
    if (m_line.limit.any() && m_line.streams())
        return usageError("--limit needs -o FILE.ctr: a part of standard output cannot be removed");
    if (!m_line.sessionId.empty() && !m_line.records())
        return usageError("--session needs -o FILE.ctr");
    if (m_line.limit.any() && !m_line.records())
        return usageError("--limit needs -o FILE.ctr");
    if (m_line.dumps() && !m_line.keepsOnly())
        return usageError("--dump-on needs --keep");
    return {};
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
    if (Result<void> checked = check(); !checked)
        return checked.error();
    return m_line;
}

}  // namespace

const ExportFormat &outputFormat(const CommandLine &line)
{
    const ExportFormat &format = *exportFormatFor(line.outputPath);
    return line.csvForSpreadsheets ? forSpreadsheets(format) : format;
}

std::vector<std::string> optionNames()
{
    std::vector<std::string> names(kFlags.begin(), kFlags.end());
    names.insert(names.end(), kValued.begin(), kValued.end());
    return names;
}

Result<CommandLine> parseCommandLine(const std::vector<std::string> &arguments)
{
    return Parser(arguments).parse();
}

}  // namespace ct
