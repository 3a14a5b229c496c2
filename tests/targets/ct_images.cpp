// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One process, several probes. The program has no probe itself. It loads shared objects that have one each: in C, in
// C++ and in Rust, of each compiler, with hidden visibility. In each round, one thread per module switches its probe on
// and publishes events, all at the same time. After each round, the modules are unloaded.
#include "images/module.h"
#include "support/arguments.h"
#include "support/report.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <latch>
#include <new>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// File names of the modules, in the directory of this program.
constexpr const char *kModules[] = {CT_IMAGE_MODULES};

/// Counts of this process and its child.
struct Counts {
    std::atomic<std::uint64_t> events{0};
    std::atomic<std::uint64_t> traced{0};
    std::atomic<std::uint64_t> untraced{0};
};

class Module {
public:
    explicit Module(const std::filesystem::path &path) : m_library(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    {
        if (m_library == nullptr) {
            std::fprintf(stderr, "%s\n", ::dlerror());
            std::exit(1);
        }
        m_init = reinterpret_cast<decltype(&module_init)>(::dlsym(m_library, "module_init"));
        m_events = reinterpret_cast<decltype(&module_events)>(::dlsym(m_library, "module_events"));
        m_state = reinterpret_cast<decltype(&module_state)>(::dlsym(m_library, "module_state"));
        if (m_init == nullptr || m_events == nullptr || m_state == nullptr)
            std::exit(1);
    }
    Module(const Module &) = delete;
    Module &operator=(const Module &) = delete;
    Module(Module &&other) noexcept
        : m_library(std::exchange(other.m_library, nullptr)),
          m_init(other.m_init),
          m_events(other.m_events),
          m_state(other.m_state)
    {
    }
    Module &operator=(Module &&) = delete;
    ~Module()
    {
        if (m_library != nullptr)
            ::dlclose(m_library);
    }

    void run(std::uint64_t events, Counts &counts) const
    {
        m_init();
        const std::uint64_t published = m_events(events);
        counts.events += published;
        ++(published != 0 ? counts.traced : counts.untraced);
    }
    const void *state() const { return m_state(); }

private:
    void *m_library;
    decltype(&module_init) m_init = nullptr;
    decltype(&module_events) m_events = nullptr;
    decltype(&module_state) m_state = nullptr;
};

std::vector<Module> loadAll()
{
    const std::filesystem::path directory = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::vector<Module> modules;
    for (const char *name : kModules)
        modules.emplace_back(directory / name);
    return modules;
}

/// Each module on a thread of its own, and then all on this thread, which outlives the modules.
void runRound(std::uint64_t events, Counts &counts, std::uint64_t &states)
{
    const std::vector<Module> modules = loadAll();
    std::latch start(static_cast<std::ptrdiff_t>(modules.size()));
    std::vector<std::jthread> threads;
    for (const Module &module : modules) {
        threads.emplace_back([&] {
            start.arrive_and_wait();
            module.run(events, counts);
        });
    }
    threads.clear();
    std::set<const void *> distinct;
    for (const Module &module : modules) {
        module.run(events, counts);
        distinct.insert(module.state());
    }
    states = distinct.size();
}

/// Runs all modules in a child. It inherits the parent's states, all off, and switches them on for itself.
bool runInChild(const std::vector<Module> &modules, std::uint64_t events, Counts &counts)
{
    const pid_t child = ::fork();
    if (child == 0) {
        for (const Module &module : modules)
            module.run(events, counts);
        ::_exit(0);
    }
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char **argv)
{
    targets::Arguments arguments("several probes in one process: modules in C and C++ that share no state");
    arguments.number("--events", 1000, 1, 1'000'000, "events of each coroutine")
        .number("--rounds", 3, 1, 10'000, "times that the modules are loaded, run and unloaded")
        .flag("--fork", "at the end, run them in a child, and then again here")
        .flag("--kill", "end by SIGKILL");
    arguments.parse(argc, argv);

    void *const shared = ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    Counts &counts = *new (shared) Counts;
    std::uint64_t states = 0;
    bool succeeded = true;
    for (std::uint64_t round = 0; round < arguments.value("--rounds"); ++round)
        runRound(arguments.value("--events"), counts, states);
    const std::vector<Module> modules = loadAll();
    for (const Module &module : modules)
        module.run(arguments.value("--events"), counts);
    if (arguments.isSet("--fork")) {
        succeeded = runInChild(modules, arguments.value("--events"), counts);
        for (const Module &module : modules)
            module.run(arguments.value("--events"), counts);
    }
    std::printf("%zu modules, %llu probes\n", std::size(kModules), static_cast<unsigned long long>(states));
    std::fflush(stdout);
    targets::Truth truth;
    truth.emitted = counts.events;
    truth.traced = counts.traced;
    truth.untraced = counts.untraced;
    truth.more = {{"probes", states}};
    succeeded = targets::writeReport(truth) && succeeded;
    if (arguments.isSet("--kill"))
        ::raise(SIGKILL);
    return succeeded ? 0 : 1;
}
