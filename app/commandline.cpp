// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline.h"

#include "core/exporting/exporting.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>

namespace ct {

namespace {

constexpr double kLongestSec = 1e9;

Error usageError(std::string message)
{
    return {ErrorCode::InvalidArgument, std::move(message) + " (see --help)"};
}

Result<double> parseSeconds(const std::string &option, const std::string &value)
{
    double seconds = 0;
    const char *end = value.data() + value.size();
    const auto [last, error] = std::from_chars(value.data(), end, seconds, std::chars_format::fixed);
    if (error != std::errc() || last != end || !(seconds > 0) || !(seconds <= kLongestSec))
        return usageError(option + " " + value + ": a positive number of seconds is needed");
    return seconds;
}

Result<std::uint32_t> parseStations(const std::string &option, const std::string &value)
{
    std::uint32_t stations = 0;
    const char *end = value.data() + value.size();
    const auto [last, error] = std::from_chars(value.data(), end, stations);
    if (error != std::errc() || last != end || stations < 1 || stations > corotracer::kMaxStations)
        return usageError(option + " " + value + ": a number of stations from 1 to " +
                          std::to_string(corotracer::kMaxStations) + " is needed");
    return stations;
}

Result<CommandLine::Theme> parseTheme(const std::string &value)
{
    if (value == "light")
        return CommandLine::Theme::Light;
    if (value == "dark")
        return CommandLine::Theme::Dark;
    if (value == "system")
        return CommandLine::Theme::System;
    return usageError("--theme " + value + ": light, dark or system is needed");
}

/// Qt's own options, that take a value.
bool isQtOption(std::string_view argument)
{
    constexpr std::array<std::string_view, 10> kKnown{
        "-platform",    "-platformtheme", "-platformpluginpath", "-style",   "-stylesheet",
        "-qwindowicon", "-qwindowtitle",  "-qwindowgeometry",    "-session", "-display"};
    return std::find(kKnown.begin(), kKnown.end(), argument) != kKnown.end();
}

class Parser {
public:
    explicit Parser(const std::vector<std::string> &arguments) : m_arguments(arguments) {}
    Result<CommandLine> parse();

private:
    Result<void> parseOne();
    Result<void> parseFlag(const std::string &name, bool &known);
    Result<void> parseValued(const std::string &name, const std::string &value, bool &known);
    Result<void> setSource(const std::string &name, decltype(StartRequest::what) what);
    Result<void> setTarget();
    Result<void> check() const;
    Result<void> checkSource() const;
    void used(const std::string &name) { m_used.push_back(name); }
    const std::string *firstUsed(std::initializer_list<std::string_view> names) const;

    const std::vector<std::string> &m_arguments;
    std::size_t m_next = 0;
    CommandLine m_line;
    std::string m_source;             ///< the argument that said what to capture
    std::vector<std::string> m_used;  ///< options that go with one mode or one source only
};

Result<void> Parser::setSource(const std::string &name, decltype(StartRequest::what) what)
{
    if (!m_source.empty())
        return usageError(name + " and " + m_source + " exclude each other");
    m_source = name;
    m_line.start.what = std::move(what);
    return {};
}

Result<void> Parser::setTarget()
{
    LaunchSpec spec;
    spec.argv.assign(m_arguments.begin() + static_cast<std::ptrdiff_t>(m_next), m_arguments.end());
    m_next = m_arguments.size();
    if (spec.argv.empty() || spec.argv.front().empty())
        return usageError("--: the program to start is missing behind it");
    return setSource("--", std::move(spec));
}

Result<void> Parser::parseFlag(const std::string &name, bool &known)
{
    known = true;
    if (name == "--batch")
        m_line.mode = CommandLine::Mode::Batch;
    else if (name == "--listen")
        return setSource(name, ListenRequest{});
    else
        known = false;
    return {};
}

Result<void> Parser::parseValued(const std::string &name, const std::string &value, bool &known)
{
    known = true;
    used(name);
    if (value.empty())
        return usageError(name + ": its value is empty");
    const auto store = [](auto parsed, auto &place) -> Result<void> {
        if (!parsed)
            return parsed.error();
        place = *parsed;
        return {};
    };
    if (name == "-n" || name == "--stations")
        return store(parseStations(name, value), m_line.start.capture.stations);
    if (name == "--duration")
        return store(parseSeconds(name, value), m_line.durationSec);
    if (name == "--screenshot-after")
        return store(parseSeconds(name, value), m_line.screenshotAfterSec);
    if (name == "--theme")
        return store(parseTheme(value), m_line.theme);
    if (name == "--attach")
        return setSource(name, AttachRequest{value});
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
    else if (name == "--summary")
        m_line.summaryPath = value;
    else if (name == "--screenshot")
        m_line.screenshotPath = value;
    return {};
}

bool takesValue(std::string_view name)
{
    constexpr std::array<std::string_view, 13> kNames{
        "-n",       "--stations", "-o",           "--output",           "--shm",  "--sock", "--duration", "--summary",
        "--attach", "--cmd",      "--screenshot", "--screenshot-after", "--theme"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Result<void> Parser::parseOne()
{
    const std::string argument = m_arguments[m_next++];
    if (argument == "--")
        return setTarget();
    if (isQtOption(argument)) {
        if (m_next >= m_arguments.size())
            return usageError(argument + ": its value is missing");
        m_line.qtArguments.insert(m_line.qtArguments.end(), {argument, m_arguments[m_next++]});
        return {};
    }
    if (argument.empty() || argument.front() != '-') {
        const bool region = argument.ends_with(".shm");
        if (region)
            return setSource(argument, AttachRequest{argument});
        return setSource(argument, OpenRequest{argument});
    }
    bool known = false;
    if (Result<void> flag = parseFlag(argument, known); known)
        return flag;
    const std::size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const std::string name = argument.substr(0, equals);
    if (!takesValue(name))
        return usageError(argument + ": unknown argument");
    if (equals != std::string::npos)
        return parseValued(name, argument.substr(equals + 1), known);
    if (m_next >= m_arguments.size())
        return usageError(name + ": its value is missing");
    return parseValued(name, m_arguments[m_next++], known);
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
    const auto &what = m_line.start.what;
    const bool creates = std::holds_alternative<LaunchSpec>(what) || std::holds_alternative<ListenRequest>(what);
    const std::string *creating = firstUsed({"-n", "--stations", "--shm", "--sock"});
    if (creating && !creates)
        return usageError(*creating + " goes with a program to start or --listen");
    const CaptureSpec &capture = m_line.start.capture;
    if (capture.socketPath.size() > corotracer::kSocketPathMax)
        return usageError("--sock " + capture.socketPath + ": longer than " +
                          std::to_string(corotracer::kSocketPathMax) + " bytes");
    if (capture.socketPath.empty() && !capture.regionPath.empty()) {
        if (const Result<std::string> socket = socketPathFor(capture.regionPath); !socket)
            return usageError("--shm " + capture.regionPath + ": " + socket.error().message + ", or give --sock");
    }
    return {};
}

Result<void> Parser::check() const
{
    if (Result<void> source = checkSource(); !source)
        return source;
    const auto &what = m_line.start.what;
    if (m_line.mode != CommandLine::Mode::Batch) {
        if (const std::string *batchOnly = firstUsed({"-o", "--output", "--duration", "--summary"}))
            return usageError(*batchOnly + " goes with --batch");
        if (firstUsed({"--screenshot-after"}) && m_line.screenshotPath.empty())
            return usageError("--screenshot-after goes with --screenshot");
        return {};
    }
    if (const std::string *windowOnly = firstUsed({"--screenshot", "--screenshot-after", "--theme"}))
        return usageError(*windowOnly + " does not go with --batch");
    if (std::holds_alternative<std::monostate>(what))
        return usageError("--batch needs -- TARGET, --cmd 'LINE', --listen or --attach SHM");
    if (std::holds_alternative<OpenRequest>(what))
        return usageError(m_source + ": a program to start goes behind --");
    if (!m_line.outputPath.empty()) {
        if (!exportFormatFor(m_line.outputPath))
            return usageError("-o " + m_line.outputPath + ": the name must end in .jsonl, .csv or .sqlite");
        if (m_line.outputPath == m_line.summaryPath)
            return usageError("--summary " + m_line.summaryPath + ": is the file of -o as well");
    }
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

Result<CommandLine> parseCommandLine(const std::vector<std::string> &arguments)
{
    return Parser(arguments).parse();
}

std::string usageText()
{
    return R"(Live coroutine inspection over cTP shared memory.

The window:
  corotracer-gui [OPTIONS] [FILE]              FILE: a recording (.jsonl) or a region (.shm)
  corotracer-gui [OPTIONS] -- TARGET [ARG...]  starts TARGET and shows its coroutines
Without a window:
  corotracer-gui --batch [OPTIONS] -- TARGET [ARG...]

What to capture, one of:
  -- TARGET [ARG...]      a program to start
  --cmd 'LINE'            a line for /bin/sh to start
  --listen                a program that is started elsewhere
  --attach SHM            an existing region, live or left over

Capture:
  -n, --stations N        coroutines that can be traced, 1 to 2097151 [131072]
  --shm PATH              where to create the region
  --sock PATH             where to create the socket, at most 100 bytes

With --batch:
  -o, --output FILE       record the transitions; the ending says how: .jsonl, .csv, .sqlite
  --summary FILE          write sums and stuck coroutines as JSON
  --duration S            end after S seconds; a program that was started here is terminated

The window:
  --screenshot PNG        save a picture of the window and quit
  --screenshot-after S    after so many seconds [3]
  --theme light|dark|system

  -h, --help              this text
  -v, --version           the version

Exit status of --batch: the target's (128 + signal if it was killed); 127 it cannot be started; 2 wrong
usage; 3 capture or display failed; 4 output failed. The window: 0, 2 or 3.
)";
}

}  // namespace ct
