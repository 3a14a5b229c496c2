// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/untraced.h"

#include "core/target/programrights.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace ct {

namespace {

constexpr std::size_t kMostPeers = 64;

struct Cause {
    bool (*applies)(const UntracedFacts &);
    const char *sentence;  ///< %1: the program that drops the environment, or that gains rights
};

/// The first row that applies names the cause.
constexpr std::array<Cause, 8> kCauses{{
    {[](const UntracedFacts &facts) { return facts.hasEntry; },
     QT_TRANSLATE_NOOP("ct::Untraced",
                       "the program has the probe, but ran no coroutine of a traced type; promise types must derive "
                       "from corotracer::PromiseMixin")},
    {[](const UntracedFacts &facts) { return facts.mapped; },
     QT_TRANSLATE_NOOP("ct::Untraced",
                       "the program mapped the region, but ran no coroutine of a traced type; promise types must "
                       "derive from the PromiseMixin of its SDK")},
    {[](const UntracedFacts &facts) { return facts.livesUnmapped; },
     QT_TRANSLATE_NOOP("ct::Untraced",
                       "the program connected, but could not map the region; likely it runs as another user, under a "
                       "memory limit (ulimit -v), or in a container without the region's directory")},
    {[](const UntracedFacts &facts) { return facts.connected; },
     QT_TRANSLATE_NOOP("ct::Untraced",
                       "the program connected and ended at once; it could not map the region, or ran no coroutine of "
                       "a traced type")},
    {[](const UntracedFacts &facts) { return !facts.dropsEnvironment.empty(); },
     QT_TRANSLATE_NOOP("ct::Untraced", "the program never connected; likely %1 dropped CTP_SHM_PATH, CTP_SOCK_PATH and "
                                       "CTP_MAX_STATIONS from its environment")},
    {[](const UntracedFacts &facts) { return !facts.gainsRights.empty(); },
     QT_TRANSLATE_NOOP("ct::Untraced",
                       "the program never connected; likely %1 ignores the CTP_ variables, because it has more rights "
                       "than its caller (setuid, setgid or file capabilities); trace a copy of it that has none of "
                       "these")},
    {[](const UntracedFacts &facts) { return facts.lacksVariables; },
     QT_TRANSLATE_NOOP("ct::Untraced",
                       "the program never connected; it runs without CTP_SHM_PATH, CTP_SOCK_PATH and CTP_MAX_STATIONS "
                       "in its environment")},
    {[](const UntracedFacts &) { return true; },
     QT_TRANSLATE_NOOP("ct::Untraced",
                       "the program never connected; likely it is built without the probe, or does not start it (C++: "
                       "InitTracer(), C: corotracer_init(), Rust: the first traced future)")},
}};

/// Programs that start another program with an environment of their own choice.
bool dropsAlways(std::string_view program)
{
    constexpr std::array<std::string_view, 9> kPrograms{"sudo",        "su",     "pkexec", "runuser", "ssh",
                                                        "systemd-run", "docker", "podman", "flatpak"};
    return std::find(kPrograms.begin(), kPrograms.end(), program) != kPrograms.end();
}

bool emptiesEnvironment(std::string_view option)
{
    return option == "-" || option == "-i" || option == "--ignore-environment";
}

bool hasVariable(const std::string &environment)
{
    return environment.starts_with("CTP_SHM_PATH=") ||
           environment.find(std::string("\0CTP_SHM_PATH=", 14)) != std::string::npos;
}

/// Returns true if the process belongs to the group and has no CTP_SHM_PATH. False if its environment cannot be read.
bool lacksVariable(pid_t pid, pid_t group)
{
    if (::getpgid(pid) != group)
        return false;
    std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return !environment.empty() && !hasVariable(environment);
}

bool groupLacksVariable(pid_t group)
{
    std::error_code failed;
    for (std::filesystem::directory_iterator at("/proc", failed), end; !failed && at != end; at.increment(failed)) {
        const pid_t pid = std::atoi(at->path().filename().c_str());
        if (pid > 0 && lacksVariable(pid, group))
            return true;
    }
    return false;
}

}  // namespace

QString Untraced::why(const UntracedFacts &facts)
{
    const auto cause =
        std::find_if(kCauses.begin(), kCauses.end(), [&](const Cause &row) { return row.applies(facts); });
    QString sentence = tr(cause->sentence);
    if (sentence.contains(QLatin1String("%1")))
        sentence = sentence.arg(
            QString::fromStdString(facts.dropsEnvironment.empty() ? facts.gainsRights : facts.dropsEnvironment));
    return tr("No coroutine was seen: %1.").arg(sentence);
}

std::string environmentDropper(const LaunchSpec &command)
{
    std::vector<std::string> words = command.argv;
    if (words.empty()) {
        std::istringstream line(command.shellLine);
        words.assign(std::istream_iterator<std::string>(line), {});
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string program = std::filesystem::path(words[i]).filename().string();
        if (program == "env" && i + 1 < words.size() && emptiesEnvironment(words[i + 1]))
            return "env " + words[i + 1];
        // In an argument vector, only the first word is a program; arguments may have any name.
        if (dropsAlways(program) && (i == 0 || command.argv.empty()))
            return program;
    }
    return {};
}

/// consume() runs on the harvest thread, any() on the main thread.
class UntracedWatch::Entries final : public Sink {
public:
    Result<void> consume(const Batch &batch) override
    {
        if (!batch.notes.processes.empty())
            m_any.store(true, std::memory_order_relaxed);
        return {};
    }
    Result<void> finish(const Accounting &) override { return {}; }
    bool any() const { return m_any.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> m_any = false;  // relaxed: no other data depends on it
};

UntracedWatch::UntracedWatch() : m_entries(std::make_shared<Entries>()) {}

std::shared_ptr<Sink> UntracedWatch::sink() const
{
    return m_entries;
}

void UntracedWatch::launched(const LaunchSpec &command, pid_t pid)
{
    m_dropper = environmentDropper(command);
    m_privileged = privilegedProgram(command);
    m_launched = pid;
}

void UntracedWatch::connected(int pid)
{
    if (pid > 0 && isEngine(pid))
        return;
    m_connected = true;
    if (pid > 0 && m_peers.size() < kMostPeers)
        m_peers.insert(pid);
}

UntracedFacts UntracedWatch::facts(const FileIdentity &region, bool mapped) const
{
    UntracedFacts facts;
    facts.hasEntry = m_entries->any();
    facts.connected = m_connected;
    facts.livesUnmapped = std::any_of(m_peers.begin(), m_peers.end(),
                                      [&](pid_t pid) { return processRuns(pid) && !processMaps(pid, region); });
    facts.mapped = mapped;
    facts.dropsEnvironment = m_dropper;
    facts.gainsRights = m_privileged;
    facts.lacksVariables = !m_connected && m_launched != 0 && groupLacksVariable(m_launched);
    return facts;
}

}  // namespace ct
