// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/systemfacts.h"

#include "core/symbols/buildid.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace ct {

namespace {

std::string procPath(pid_t pid, const char *name)
{
    return "/proc/" + std::to_string(pid) + "/" + name;
}

std::string contentOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::string content;
    std::array<char, 4096> some{};
    // An error ends the loop, for example when the process ends. An iterator would throw.
    while (file.read(some.data(), some.size()) || file.gcount() > 0)
        content.append(some.data(), static_cast<std::size_t>(file.gcount()));
    return content;
}

std::string linkOf(const std::string &path)
{
    std::string target(4096, '\0');
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    target.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    return target;
}

std::uint64_t nanoseconds(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t systemValue(int name)
{
    return static_cast<std::uint64_t>(std::max(::sysconf(name), 0L));
}

std::string processorName()
{
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);) {
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos && line.starts_with("model name"))
            return line.substr(colon + 2);
    }
    return {};
}

}  // namespace

RecordingInfo::Machine machineFacts()
{
    RecordingInfo::Machine machine;
    utsname name{};
    if (::uname(&name) == 0) {
        machine.name = name.nodename;
        machine.system = std::string(name.sysname) + " " + name.release + " " + name.machine;
    }
    machine.processor = processorName();
    machine.cores = systemValue(_SC_NPROCESSORS_ONLN);
    machine.page = systemValue(_SC_PAGESIZE);
    machine.memory = systemValue(_SC_PHYS_PAGES) * machine.page;
    return machine;
}

RecordingInfo::Clocks clocksNow()
{
    // Use the attempt with the shortest time between the readings.
    RecordingInfo::Clocks best;
    std::uint64_t bestSpan = ~std::uint64_t{0};
    for (int i = 0; i < 5; ++i) {
        const std::uint64_t before = nanoseconds(CLOCK_MONOTONIC);
        const std::uint64_t realtime = nanoseconds(CLOCK_REALTIME);
        const std::uint64_t boottime = nanoseconds(CLOCK_BOOTTIME);
        const std::uint64_t span = nanoseconds(CLOCK_MONOTONIC) - before;
        if (span < bestSpan)
            best = {before + span / 2, realtime, boottime};
        bestSpan = std::min(bestSpan, span);
    }
    return best;
}

std::vector<RecordingInfo::Module> modulesIn(std::string_view maps)
{
    std::vector<RecordingInfo::Module> modules;
    std::istringstream lines{std::string(maps)};
    for (std::string line; std::getline(lines, line);) {
        RecordingInfo::Module module;
        std::array<char, 8> rights{};
        int path = 0;
        if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &module.begin, &module.end,
                        rights.data(), &module.offset, &path) != 4 ||
            rights[2] != 'x' || path <= 0 || static_cast<std::size_t>(path) >= line.size() || line[path] != '/')
            continue;
        module.path = line.substr(static_cast<std::size_t>(path));
        modules.push_back(std::move(module));
    }
    return modules;
}

RecordingInfo::Process processFacts(pid_t pid)
{
    RecordingInfo::Process process;
    process.pid = static_cast<std::uint32_t>(pid);
    process.executable = linkOf(procPath(pid, "exe"));
    process.modules = modulesIn(contentOf(procPath(pid, "maps")));
    return process;
}

void addBuildIds(RecordingInfo::Process &process)
{
    for (RecordingInfo::Module &module : process.modules) {
        // Use the process's root: for a process in a container, the plain path names another file here.
        module.buildId = buildIdOf(procPath(static_cast<pid_t>(process.pid), "root") + module.path);
        if (module.buildId.empty())
            module.buildId = buildIdOf(module.path);
    }
}

bool mayBeKept(std::string_view variable)
{
    constexpr std::array<std::string_view, 7> kNames{"LANG",         "LC_ALL",        "TZ",          "ASAN_OPTIONS",
                                                     "TSAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"};
    constexpr std::array<std::string_view, 3> kBeginnings{"CTP_", "COROTRACER_", "MALLOC_"};
    const auto begins = [&](std::string_view beginning) { return variable.starts_with(beginning); };
    return std::find(kNames.begin(), kNames.end(), variable) != kNames.end() ||
           std::any_of(kBeginnings.begin(), kBeginnings.end(), begins);
}

std::map<std::string, std::string> keptEnvironment(pid_t pid)
{
    std::map<std::string, std::string> kept;
    std::istringstream all(contentOf(procPath(pid, "environ")));
    for (std::string variable; std::getline(all, variable, '\0');) {
        const std::size_t equals = variable.find('=');
        if (equals != std::string::npos && mayBeKept(std::string_view(variable).substr(0, equals)))
            kept[variable.substr(0, equals)] = variable.substr(equals + 1);
    }
    return kept;
}

std::string randomSessionId()
{
    std::random_device random;
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%08x%08x", random(), random());
    return text.data();
}

}  // namespace ct
