// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/format/recordinginfo.h"

#include "core/base/utf8.h"
#include "core/recording/format/jsonscanner.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <utility>

namespace ct {

namespace {

// The members of each object: calls visit(name, member) for each. Writing and reading use the same lists.

template <class T, class Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

template <Is<RecordingInfo::Machine> T, class Visit>
void forEachMember(T &machine, Visit &&visit)
{
    visit("name", machine.name);
    visit("system", machine.system);
    visit("processor", machine.processor);
    visit("cores", machine.cores);
    visit("memory", machine.memory);
    visit("page", machine.page);
}

template <Is<RecordingInfo::Clocks> T, class Visit>
void forEachMember(T &clocks, Visit &&visit)
{
    visit("monotonic", clocks.monotonic);
    visit("realtime", clocks.realtime);
    visit("boottime", clocks.boottime);
}

template <Is<RecordingInfo::Module> T, class Visit>
void forEachMember(T &module, Visit &&visit)
{
    visit("path", module.path);
    visit("begin", module.begin);
    visit("end", module.end);
    visit("offset", module.offset);
    visit("buildId", module.buildId);
}

template <Is<RecordingInfo::Process> T, class Visit>
void forEachMember(T &process, Visit &&visit)
{
    visit("pid", process.pid);
    visit("executable", process.executable);
    visit("modules", process.modules);
}

template <Is<RecordingInfo::Exit> T, class Visit>
void forEachMember(T &exit, Visit &&visit)
{
    visit("status", exit.status);
    visit("signal", exit.signal);
}

template <Is<RecordingInfo::Judged> T, class Visit>
void forEachMember(T &judged, Visit &&visit)
{
    visit("ts", judged.ts);
    visit("stuck", judged.stuck);
}

template <Is<RecordingInfo::Effect> T, class Visit>
void forEachMember(T &effect, Visit &&visit)
{
    visit("eventPs", effect.eventPs);
    visit("targetCpuNs", effect.targetCpuNs);
    visit("limitedNs", effect.limitedNs);
}

template <Is<RecordingInfo::Part> T, class Visit>
void forEachMember(T &part, Visit &&visit)
{
    visit("dropped", part.dropped);
}

template <Is<RecordingInfo> T, class Visit>
void forEachMember(T &info, Visit &&visit)
{
    visit("session", info.session);
    visit("program", info.program);
    visit("version", info.version);
    visit("command", info.command);
    visit("machine", info.machine);
    visit("environment", info.environment);
    visit("clocks", info.clocks);
    visit("processes", info.processes);
    visit("target", info.target);
    visit("exit", info.exit);
    visit("judged", info.judged);
    visit("decided", info.decided);
    visit("effect", info.effect);
    visit("part", info.part);
}

using Environment = std::map<std::string, std::string>;

// True if a member is known. Unknown members are not written.

bool isKnown(std::uint32_t)
{
    return true;  // 0 is a valid pid here, and a valid exit status
}
bool isKnown(std::uint64_t value)
{
    return value != 0;
}
template <class T>
bool isKnown(const std::optional<T> &value)
{
    return value.has_value();
}
template <class T>
bool isKnown(const T &values)
{
    return !values.empty();
}

// Writing.

template <class Object>
void write(std::string &out, const Object &object);

void write(std::string &out, const std::string &text)
{
    appendJsonString(out, text);
}
void write(std::string &out, std::uint32_t number)
{
    out += std::to_string(number);
}
/// Digits in quotes, because many JSON readers only have doubles.
void write(std::string &out, std::uint64_t number)
{
    appendJsonString(out, std::to_string(number));
}
/// Also writes variables whose value is empty.
void write(std::string &out, const Environment &environment)
{
    char separator = '{';
    for (const auto &[name, value] : environment) {
        out += std::exchange(separator, ',');
        appendJsonString(out, name);
        out += ':';
        appendJsonString(out, value);
    }
    out += '}';
}
template <class T>
void write(std::string &out, const std::optional<T> &value)
{
    write(out, *value);
}
template <class T>
void write(std::string &out, const std::vector<T> &values)
{
    char separator = '[';
    for (const T &value : values) {
        out += std::exchange(separator, ',');
        write(out, value);
    }
    out += ']';
}
template <class Object>
void write(std::string &out, const Object &object)
{
    out += '{';
    bool first = true;
    forEachMember(object, [&](std::string_view name, const auto &value) {
        if (!isKnown(value))
            return;
        if (!std::exchange(first, false))
            out += ',';
        appendJsonString(out, name);
        out += ':';
        write(out, value);
    });
    out += '}';
}

// Reading.

/// Calls each(name) for each member of an object. each() must read the value and return whether it was valid.
template <class Each>
bool eachMember(JsonScanner &scanner, Each &&each)
{
    if (!scanner.accept('{'))
        return false;
    if (scanner.accept('}'))
        return true;
    do {
        std::string_view name;
        if (!scanner.string(name) || !scanner.accept(':') || !each(std::string(name)))
            return false;
    } while (scanner.accept(','));
    return scanner.accept('}');
}

template <class Object>
bool read(JsonScanner &scanner, Object &object);

bool read(JsonScanner &scanner, std::string &value)
{
    std::string_view text;
    const bool good = scanner.string(text);
    value = text;
    return good;
}
/// Reads digits in quotes, or a plain number.
bool read(JsonScanner &scanner, std::uint64_t &value)
{
    std::string_view text;
    if (!scanner.string(text))
        return scanner.number(value) == JsonScanner::Number::Good;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && stop == text.data() + text.size();
}
bool read(JsonScanner &scanner, std::uint32_t &value)
{
    std::uint64_t wide = 0;
    const bool good = read(scanner, wide) && wide <= std::numeric_limits<std::uint32_t>::max();
    value = static_cast<std::uint32_t>(wide);
    return good;
}
template <class T>
bool read(JsonScanner &scanner, std::optional<T> &value)
{
    return read(scanner, value.emplace());
}
template <class T>
bool read(JsonScanner &scanner, std::vector<T> &values)
{
    if (!scanner.accept('['))
        return false;
    if (scanner.accept(']'))
        return true;
    do {
        if (!read(scanner, values.emplace_back()))
            return false;
    } while (scanner.accept(','));
    return scanner.accept(']');
}
bool read(JsonScanner &scanner, Environment &environment)
{
    return eachMember(scanner, [&](const std::string &name) { return read(scanner, environment[name]); });
}
template <class Object>
bool read(JsonScanner &scanner, Object &object)
{
    return eachMember(scanner, [&](const std::string &name) {
        bool known = false;
        bool good = true;
        forEachMember(object, [&](std::string_view member, auto &value) {
            if (member == name && !std::exchange(known, true))
                good = read(scanner, value);
        });
        return known ? good : scanner.skipValue();
    });
}

void replace(std::string &value, const std::string &later)
{
    if (!later.empty())
        value = later;
}

void addModules(std::vector<RecordingInfo::Module> &modules, const std::vector<RecordingInfo::Module> &later)
{
    for (const RecordingInfo::Module &module : later) {
        const auto known = std::find_if(modules.begin(), modules.end(), [&](const RecordingInfo::Module &other) {
            return other.begin == module.begin && other.path == module.path;
        });
        if (known == modules.end())
            modules.push_back(module);
        else
            *known = module;
    }
}

}  // namespace

void RecordingInfo::mergeLater(const RecordingInfo &later)
{
    replace(session, later.session);
    replace(program, later.program);
    replace(version, later.version);
    if (!later.command.empty())
        command = later.command;
    if (later.machine)
        machine = later.machine;
    if (!later.environment.empty())
        environment = later.environment;
    if (later.target)
        target = later.target;
    if (later.exit)
        exit = later.exit;
    if (later.judged)
        judged = later.judged;
    if (later.decided != 0)
        decided = later.decided;
    if (later.effect)
        effect = later.effect;
    if (later.part)
        part = later.part;
    for (const Clocks &one : later.clocks) {
        // Later segments of a rotating recording repeat readings of earlier ones.
        if (clocks.empty() || one.monotonic > clocks.back().monotonic)
            clocks.push_back(one);
    }
    for (const Process &process : later.processes) {
        const auto known = std::find_if(processes.begin(), processes.end(),
                                        [&](const Process &other) { return other.pid == process.pid; });
        if (known == processes.end()) {
            processes.push_back(process);
            continue;
        }
        replace(known->executable, process.executable);
        addModules(known->modules, process.modules);
    }
}

std::string toJson(const RecordingInfo &info)
{
    std::string out;
    write(out, info);
    return out;
}

std::optional<RecordingInfo> recordingInfoOf(std::string_view json)
{
    JsonScanner scanner(json);
    RecordingInfo info;
    return read(scanner, info) && scanner.atEnd() ? std::optional(std::move(info)) : std::nullopt;
}

}  // namespace ct
