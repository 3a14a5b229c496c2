// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/recordinginfowriter.h"

#include "core/recording/write/systemfacts.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

namespace ct {

namespace {

constexpr int kFirstReadMs = 20;  // by then the dynamic linker is done
constexpr int kReadMs = 1000;
constexpr int kIdleReads = 10;  ///< while no event comes, processes are read at every tenth of these times
constexpr int kClockMs = 60'000;

}  // namespace

RecordingInfo aboutRun(const StartRequest &request, const std::string &session)
{
    RecordingInfo about;
    about.session = session.empty() ? randomSessionId() : session;
    about.program = QCoreApplication::applicationName().toStdString();
    about.version = QCoreApplication::applicationVersion().toStdString();
    if (const LaunchSpec *target = request.launchSpec())
        about.command =
            target->argv.empty() ? std::vector<std::string>{"/bin/sh", "-c", target->shellLine} : target->argv;
    return about;
}

RecordingInfoWriter::RecordingInfoWriter(Session &session, std::shared_ptr<const Population> population,
                                         std::shared_ptr<RecordingWriter> writer, const RecordingInfo &about,
                                         std::shared_ptr<LatestInfo> latestInfo, QObject *parent)
    : QObject(parent),
      m_session(session),
      m_population(std::move(population)),
      m_writer(std::move(writer)),
      m_latestInfo(std::move(latestInfo))
{
    RecordingInfo info = about;
    info.machine = machineFacts();
    info.clocks = {clocksNow()};
    m_startedAt = info.clocks.front().monotonic;
    add(info);
    // Captures the sums, not the session: a disk that hangs may come back after the session's end.
    if (m_writer)
        m_writer->setSums([sums = session.sums()] { return sums->get(); });
    connect(&m_processTimer, &QTimer::timeout, this, [this] {
        m_processTimer.setInterval(kReadMs);
        const std::uint64_t events = m_population->captured();
        const bool isIdle = events == std::exchange(m_eventsAtRead, events);
        m_idleReads = isIdle ? (m_idleReads + 1) % kIdleReads : 0;
        if (m_idleReads == 0)
            readProcesses();
    });
    connect(&m_clockTimer, &QTimer::timeout, this, &RecordingInfoWriter::recordClocks);
    connect(&session, &Session::stateChanged, this, &RecordingInfoWriter::onState);
    connect(&session, &Session::targetDiscovered, this, &RecordingInfoWriter::readProcesses);
}

RecordingInfoWriter::~RecordingInfoWriter()
{
    if (m_readThread.joinable())
        m_readThread.join();
}

/// Adds facts to the recording and for the exports. On the session's thread, or on that of readWanted().
void RecordingInfoWriter::add(const RecordingInfo &info)
{
    if (m_writer)
        m_writer->addInfo(info);
    if (m_latestInfo)
        m_latestInfo->merge(info);
}

void RecordingInfoWriter::started()
{
    if (const TargetProcess *target = m_session.target(); target && m_writer) {
        connect(target, &TargetProcess::outputReady, this, [this](const QByteArray &bytes, qint64 monotonicNs) {
            m_writer->addOutput(static_cast<std::uint64_t>(monotonicNs), bytes.toStdString());
        });
    }
    readProcesses();
    m_processTimer.start(kFirstReadMs);
    m_clockTimer.start(kClockMs);
}

void RecordingInfoWriter::recordFrameLocations(const std::shared_ptr<AddressResolver> &resolver)
{
    if (!m_writer)
        return;
    resolver->addListener([to = m_writer](const std::vector<FrameLocation> &frames) { to->addFrames(frames); }, true);
    m_writer->setLastFrames([from = std::weak_ptr<AddressResolver>(resolver)] {
        const std::shared_ptr<AddressResolver> there = from.lock();
        return there ? there->compareRest() : std::vector<FrameLocation>();
    });
}

void RecordingInfoWriter::onState(RunState state)
{
    if (state == RunState::Capturing)
        readProcesses();
    // When draining begins, the file is still open. Later, this is not certain.
    if (state == RunState::Draining)
        recordEnd();
}

/// Starts reading about all processes that are known now, and records the target's pid.
void RecordingInfoWriter::readProcesses()
{
    std::set<pid_t> pids;
    if (const TargetProcess *target = m_session.target(); target && target->isRunning())
        pids.insert(target->pid());
    for (const pid_t pid : m_session.targetPids())
        pids.insert(pid);
    for (const ProcessSnapshot &process : m_population->processes()) {
        if (process.endTs == 0 && process.pid != 0)
            pids.insert(static_cast<pid_t>(process.pid));
    }
    bool isReading = false;
    {
        const std::lock_guard lock(m_readMutex);
        m_wanted = std::move(pids);
        isReading = std::exchange(m_isReading, true);
    }
    if (!isReading) {
        if (m_readThread.joinable())
            m_readThread.join();
        try {
            m_readThread = std::thread([this] { readWanted(); });
        } catch (const std::system_error &) {
            readWanted();  // the system has no more threads
        }
    }
    if (const pid_t target = m_session.targetPid(); target != 0 && std::exchange(m_recordedTarget, target) != target) {
        RecordingInfo info;
        info.target = static_cast<std::uint32_t>(target);
        add(info);
    }
}

/// Reads until no process is wanted. On the reading thread, or on the session's if the system has no thread.
void RecordingInfoWriter::readWanted()
{
    for (;;) {
        std::set<pid_t> pids;
        {
            const std::lock_guard lock(m_readMutex);
            m_isReading = m_wanted.has_value();
            if (!m_isReading)
                return;
            pids.swap(*m_wanted);
            m_wanted.reset();
        }
        std::erase_if(m_recorded, [&](const auto &recorded) { return !pids.contains(recorded.first); });
        for (const pid_t pid : pids)
            readProcess(pid);
    }
}

/// Records the new facts about a process. On the thread of readWanted().
void RecordingInfoWriter::readProcess(pid_t pid)
{
    RecordingInfo::Process process = processFacts(pid);
    if (process.executable.empty() && process.modules.empty())
        return;  // it has ended, or we may not read its files
    RecordingInfo info;
    if (RecordingInfo::Process &recorded = m_recorded[pid]; recorded != process) {
        recorded = process;
        addBuildIds(process);
        info.processes = {std::move(process)};
    }
    // During exec(2), a process has an executable, but no environment yet.
    if (!m_environmentRecorded) {
        info.environment = keptEnvironment(pid);
        m_environmentRecorded = !info.environment.empty();
    }
    if (!info.processes.empty() || !info.environment.empty())
        add(info);
}

void RecordingInfoWriter::recordClocks()
{
    RecordingInfo info;
    info.clocks = {clocksNow()};
    add(info);
}

void RecordingInfoWriter::recordJudgement(std::uint64_t ts, std::uint64_t stuck)
{
    RecordingInfo info;
    info.judged = {ts, static_cast<std::uint32_t>(stuck)};  // ids of coroutines have 32 bits
    add(info);
}

void RecordingInfoWriter::recordDecision(std::uint64_t ts)
{
    RecordingInfo info;
    info.decided = ts;
    add(info);
}

void RecordingInfoWriter::recordEnd()
{
    if (std::exchange(m_ended, true))
        return;
    m_processTimer.stop();
    m_clockTimer.stop();
    // A target that outlives the capture may print without end.
    if (const TargetProcess *target = m_session.target())
        disconnect(target, nullptr, this, nullptr);
    readProcesses();
    if (m_readThread.joinable())
        m_readThread.join();
    RecordingInfo info;
    info.clocks = {clocksNow()};
    if (m_session.target() && m_session.target()->exitStatus()) {
        const ExitStatus status = *m_session.target()->exitStatus();
        info.exit.emplace();
        if (status.signal != 0)
            info.exit->signal = static_cast<std::uint32_t>(status.signal);
        else
            info.exit->status = static_cast<std::uint32_t>(status.code);
    }
    const Accounting sums = m_session.accounting();
    info.effect = {static_cast<std::uint64_t>(std::llround(sums.eventNs * 1e3)), sums.targetCpuNs, sums.limitedNs};
    add(info);
}

}  // namespace ct
