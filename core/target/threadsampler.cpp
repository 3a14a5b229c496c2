// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/threadsampler.h"

#include <algorithm>
#include <array>
#include <sys/stat.h>
#include <tuple>

namespace ct {

namespace {

constexpr std::uint64_t kFilesOfThread = 3;

ThreadState stateOf(char letter)
{
    switch (letter) {
    case 'R': return ThreadState::Running;
    case 'S':
    case 'I':
    case 'P': return ThreadState::Sleeping;
    case 'D': return ThreadState::Uninterruptible;
    case 'T': return ThreadState::Stopped;
    case 't': return ThreadState::Traced;
    case 'Z':
    case 'X': return ThreadState::Ended;
    default: return ThreadState::Unknown;
    }
}

std::uint64_t ticksToNs(std::uint64_t ticks)
{
    static const auto kTickNs = 1'000'000'000U / static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
    return ticks * kTickNs;
}

auto stateAndCallOf(const ThreadSample &row)
{
    return std::tie(row.state, row.call, row.isTimed, row.object);
}

/// Everything but the time of the sample.
auto contentOf(const ThreadSample &row)
{
    return std::tuple_cat(stateAndCallOf(row), std::tie(row.cpuNs, row.runDelayNs));
}

}  // namespace

ThreadSampler::ThreadSampler(std::uint32_t pid, const ProcFile &process, KeptFiles &kept)
    : m_pid(pid), m_kept(kept), m_tasks(process.fd(), "task", O_DIRECTORY)
{
}

ThreadSampler::~ThreadSampler()
{
    for (const auto &[tid, thread] : m_threads)
        m_kept.left += thread.isKept ? kFilesOfThread : 0;
}

bool ThreadSampler::sample(std::uint64_t ts, bool isComplete, std::vector<ThreadSample> &rows)
{
    // The number of links is that of the threads, + 2.
    struct stat tasks {};
    if (!m_tasks.isOpen() || ::fstat(m_tasks.fd(), &tasks) != 0 || tasks.st_nlink <= 2)
        return false;
    m_areKnown = true;
    if (m_wantsList || isComplete || tasks.st_nlink - 2 != m_listed) {
        m_listed = tasks.st_nlink - 2;
        m_wantsList = false;
        listThreads();
    }
    m_areCallsKnown = true;
    m_isUnchanged = true;
    m_usedNs = 0;
    m_running = m_stopped = 0;
    m_epolls.clear();
    for (auto at = m_threads.begin(); at != m_threads.end();) {
        Thread &thread = at->second;
        if (thread.latest.state == ThreadState::Ended) {  // the main thread, whose number stays in the list
            ++at;
            continue;
        }
        ThreadSample sample = thread.latest;
        visit(thread, isComplete, sample);
        if (thread.isNew || contentOf(sample) != contentOf(thread.latest)) {
            sample.ts = ts;
            rows.push_back(sample);
            m_isUnchanged = m_isUnchanged && !thread.isNew && stateAndCallOf(sample) == stateAndCallOf(thread.latest);
            m_usedNs += sample.cpuNs - std::min(sample.cpuNs, thread.latest.cpuNs);
            thread.latest = sample;
            thread.isNew = false;
        }
        m_stopped += sample.isStopped();
        m_areCallsKnown = m_areCallsKnown && !(sample.isSleeping() && sample.call == ThreadCall::Unknown);
        if (sample.call == ThreadCall::Epoll)
            m_epolls.push_back(static_cast<std::uint32_t>(sample.object));
        const bool hasEnded = sample.state == ThreadState::Ended;
        m_running += !hasEnded;
        // After an end, the list is read again even if the number of threads is unchanged: a new thread may have begun
        // since.
        m_wantsList = m_wantsList || hasEnded;
        // A main thread that has ended before the others keeps its number until the process ends.
        at = hasEnded && at->first != m_pid ? remove(at) : std::next(at);
    }
    if (m_running == 0)
        findLateThreads();
    return m_running != 0;
}

/// The last known thread has ended, but may have started another one after the threads were counted.
void ThreadSampler::findLateThreads()
{
    const bool wereKnown = m_areKnown;
    listThreads();
    m_areKnown = wereKnown;
    m_running = static_cast<std::uint32_t>(std::count_if(m_threads.begin(), m_threads.end(), [](const auto &thread) {
        return thread.second.latest.state != ThreadState::Ended;
    }));
}

void ThreadSampler::listThreads()
{
    m_areKnown = forEachEntry(m_tasks, [this](std::string_view name) {
        const auto tid = static_cast<std::uint32_t>(ProcWords::numberOf(name));
        if (tid != 0 && !m_threads.contains(tid))
            addThread(tid);
    });
}

void ThreadSampler::addThread(std::uint32_t tid)
{
    Thread &thread = m_threads[tid];
    thread.latest.pid = m_pid;
    thread.latest.tid = tid;
    if (m_kept.left < kFilesOfThread)
        return;
    const std::string directory = std::to_string(tid) + '/';
    thread.schedule = ProcFile(m_tasks.fd(), directory + "schedstat");
    thread.stat = ProcFile(m_tasks.fd(), directory + "stat");
    thread.call = ProcFile(m_tasks.fd(), directory + "syscall");
    thread.isKept = true;
    m_kept.left -= kFilesOfThread;
}

ThreadSampler::Threads::iterator ThreadSampler::remove(Threads::iterator thread)
{
    m_kept.left += thread->second.isKept ? kFilesOfThread : 0;
    return m_threads.erase(thread);
}

/// Reads a file of a thread: `kept` if it is open.
std::string_view ThreadSampler::read(const Thread &thread, const ProcFile &kept, const char *name,
                                     std::span<char> buffer) const
{
    if (kept.isOpen())
        return kept.read(buffer);
    const ProcFile file(m_tasks.fd(), std::to_string(thread.latest.tid) + '/' + name);
    return file.isOpen() ? file.read(buffer) : std::string_view();
}

/// Fills `sample`, which holds the latest row.
void ThreadSampler::visit(Thread &thread, bool isComplete, ThreadSample &sample)
{
    std::array<char, 128> buffer;
    ProcWords schedule(read(thread, thread.schedule, "schedstat", buffer));
    const std::uint64_t cpuNs = schedule.number();
    const std::uint64_t runDelayNs = schedule.number();
    const std::uint64_t turns = schedule.number();
    const bool hasSchedule = turns != 0;  // each thread has had a turn, if the kernel counts them
    // A thread that has not got a processor since the latest visit still sleeps where it slept, or waits for one.
    const bool mayHaveRun = !hasSchedule || turns != thread.turns || cpuNs != sample.cpuNs || thread.isNew ||
                            sample.state == ThreadState::Running || sample.state == ThreadState::Unknown;
    if (!mayHaveRun && !isComplete)
        return;
    if (hasSchedule) {
        thread.turns = turns;
        sample.cpuNs = cpuNs;
        sample.runDelayNs = runDelayNs;
    }
    readStat(thread, sample, hasSchedule);
    const bool mayBeInCall = sample.isSleeping() || sample.isStopped();
    setCall(sample, mayBeInCall ? readCall(thread) : SystemCall{ThreadCall::None});
}

void ThreadSampler::readStat(const Thread &thread, ThreadSample &sample, bool hasSchedule)
{
    std::array<char, 1024> buffer;
    errno = 0;
    const std::string_view text = read(thread, thread.stat, "stat", buffer);
    // Field 2, the name, may contain any characters. Field 3, the state, follows the last parenthesis.
    const std::size_t name = text.rfind(')');
    if (name == std::string_view::npos || name + 2 >= text.size()) {
        const bool hasEnded = errno == ENOENT || errno == ESRCH;
        sample.state = hasEnded ? ThreadState::Ended : ThreadState::Unknown;
        m_areKnown = m_areKnown && hasEnded;
        return;
    }
    ProcWords fields(text.substr(name + 1));
    sample.state = stateOf(fields.next().front());
    if (hasSchedule)
        return;
    fields.skip(10);  // to utime and stime, fields 14 and 15
    const std::uint64_t user = fields.number();
    sample.cpuNs = ticksToNs(user + fields.number());
}

/// The call of a thread that sleeps or is stopped.
SystemCall ThreadSampler::readCall(Thread &thread) const
{
    std::array<char, 256> buffer;
    const std::string_view text = read(thread, thread.call, "syscall", buffer);
    const std::string_view arguments = text.substr(std::min(text.find(' '), text.size()));
    const std::optional<SystemCall> call = systemCallOf(text);
    // After an interruption, the kernel continues a call under another number, but with the same registers.
    if (!call)
        return arguments == thread.arguments ? thread.entered : SystemCall{};
    thread.entered = *call;
    thread.arguments = arguments;
    return *call;
}

void ThreadSampler::setCall(ThreadSample &sample, const SystemCall &call)
{
    sample.call = call.call;
    sample.isTimed = call.isTimed;
    sample.object = call.object;
}

}  // namespace ct
