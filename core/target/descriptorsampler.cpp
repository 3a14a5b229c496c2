// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/descriptorsampler.h"

#include "core/base/monotonic.h"

#include <algorithm>
#include <array>
#include <climits>
#include <sys/stat.h>
#include <tuple>
#include <unordered_set>

namespace ct {

namespace {

constexpr std::string_view kEpoll = "anon_inode:[eventpoll]";
/// A deadline is computed from the time that is left, some time after the kernel has computed that. Smaller differences
/// are no change.
constexpr std::uint64_t kSameDeadlineNs = 5'000'000;

DescriptorKind kindOfTarget(std::string_view target)
{
    if (target == kEpoll)
        return DescriptorKind::Epoll;
    if (target == "anon_inode:[timerfd]")
        return DescriptorKind::Timer;
    if (target == "anon_inode:[eventfd]")
        return DescriptorKind::Event;
    if (target == "anon_inode:[signalfd]")
        return DescriptorKind::Signal;
    if (target.starts_with("socket:"))
        return DescriptorKind::Socket;
    if (target.starts_with("pipe:"))
        return DescriptorKind::Pipe;
    if (target.starts_with("/dev/tty") || target.starts_with("/dev/pts/") || target == "/dev/console")
        return DescriptorKind::Terminal;
    return target.empty() ? DescriptorKind::Unknown : DescriptorKind::Other;
}

/// Sockets and pipes have inodes of their own. All eventfds, timers and the like share one.
bool hasOwnInode(DescriptorKind kind)
{
    return kind == DescriptorKind::Socket || kind == DescriptorKind::Listener || kind == DescriptorKind::Pipe;
}

bool isNear(std::uint64_t a, std::uint64_t b)
{
    return (a > b ? a - b : b - a) < kSameDeadlineNs;
}

auto contentOf(const DescriptorSample &row)
{
    return std::tie(row.kind, row.events, row.pending, row.deadline, row.tcpState, row.readEnds, row.canWrite);
}

/// The rest of the line that begins with `name`.
std::string_view lineOf(std::string_view text, std::string_view name)
{
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos)
        return {};
    text.remove_prefix(at + name.size());
    return text.substr(0, text.find('\n'));
}

}  // namespace

DescriptorSampler::DescriptorSampler(std::uint32_t pid, const ProcFile &process, SocketQueues &sockets)
    : m_pid(pid),
      m_socketQueues(sockets),
      m_descriptors(process.fd(), "fd", O_DIRECTORY),
      m_infos(process.fd(), "fdinfo", O_DIRECTORY)
{
    struct stat ours {};
    struct stat its {};
    m_isOurNetwork = ::stat("/proc/self/ns/net", &ours) == 0 && ::fstatat(process.fd(), "ns/net", &its, 0) == 0 &&
                     ours.st_ino == its.st_ino;
}

/// What the link in /proc/PID/fd says; empty if the descriptor is not open, or may not be read.
std::string DescriptorSampler::targetOf(std::uint32_t descriptor) const
{
    std::array<char, PATH_MAX> target;
    const ssize_t length =
        ::readlinkat(m_descriptors.fd(), std::to_string(descriptor).c_str(), target.data(), target.size());
    return {target.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

/// Reads the link once for each file system of the kernel, because a busy server has thousands of new sockets a second.
DescriptorKind DescriptorSampler::kindOf(std::uint32_t descriptor, std::uint64_t device)
{
    if (const auto known = m_kinds.find(device); known != m_kinds.end())
        return known->second;
    const DescriptorKind kind = kindOfTarget(targetOf(descriptor));
    if (hasOwnInode(kind))
        m_kinds[device] = kind;
    return kind;
}

void DescriptorSampler::findEpolls()
{
    m_hasFoundEpolls = forEachEntry(m_descriptors, [this](std::string_view name) {
        const auto descriptor = static_cast<std::uint32_t>(ProcWords::numberOf(name));
        if (targetOf(descriptor) == kEpoll)
            m_epolls.insert(descriptor);
    });
}

void DescriptorSampler::sample(std::uint64_t ts, std::vector<DescriptorSample> &rows)
{
    ++m_visit;
    m_areKnown = m_hasFoundEpolls;
    std::erase_if(m_epolls, [this](std::uint32_t epoll) { return !visitEpoll(epoll); });
    fillSockets();
    emitChanges(ts, rows);
}

/// Returns false if the descriptor is no epoll any more.
bool DescriptorSampler::visitEpoll(std::uint32_t epoll)
{
    if (targetOf(epoll) != kEpoll)
        return false;
    const std::string text = ProcFile(m_infos.fd(), std::to_string(epoll)).readAll();
    m_areKnown = m_areKnown && !text.empty();
    for (std::size_t at = text.find("tfd:"); at != std::string::npos;) {
        const std::size_t next = text.find("tfd:", at + 1);
        visitRegistration(epoll, std::string_view(text).substr(at, next == std::string::npos ? next : next - at));
        at = next;
    }
    return true;
}

/// `line`: "tfd: 7 events: 19 data: 0 pos:0 ino:505141 sdev:9"; everything but the descriptor is hexadecimal.
void DescriptorSampler::visitRegistration(std::uint32_t epoll, std::string_view line)
{
    ProcWords words(line);
    words.skip(1);
    const auto descriptor = static_cast<std::uint32_t>(words.number());
    words.skip(1);
    const auto events = static_cast<std::uint32_t>(words.number(16));
    std::uint64_t inode = 0;
    std::uint64_t device = 0;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (word.starts_with("ino:"))
            inode = ProcWords::numberOf(word.substr(4), 16);
        else if (word.starts_with("sdev:"))
            device = ProcWords::numberOf(word.substr(5), 16);
    }
    if (m_registrations.size() >= kMost && !m_registrations.contains({epoll, descriptor})) {
        m_areKnown = false;
        return;
    }
    Registration &registration = m_registrations[{epoll, descriptor}];
    DescriptorSample &present = registration.present;
    const bool isSameFile = !registration.isNew && registration.inode == inode && registration.device == device;
    const DescriptorKind kind = isSameFile && hasOwnInode(present.kind) ? present.kind : kindOf(descriptor, device);
    present = {m_pid, descriptor, epoll, 0, kind, events};
    registration.inode = inode;
    registration.device = device;
    registration.visit = m_visit;
    if (kind == DescriptorKind::Timer || kind == DescriptorKind::Event)
        readCounters(registration);
}

void DescriptorSampler::readCounters(Registration &registration) const
{
    DescriptorSample &present = registration.present;
    std::array<char, 1024> buffer;
    const ProcFile info(m_infos.fd(), std::to_string(present.descriptor));
    const std::string_view text = info.isOpen() ? info.read(buffer) : std::string_view();
    if (present.kind == DescriptorKind::Event) {
        if (const std::string_view count = lineOf(text, "eventfd-count:"); !count.empty())
            present.pending = ProcWords(count).number(16);
        return;
    }
    if (const std::string_view ticks = lineOf(text, "ticks:"); !ticks.empty())
        present.pending = ProcWords(ticks).number();
    // "it_value: (seconds, ns)": the time that is left.
    ProcWords left(lineOf(text, "it_value: ("));
    const std::uint64_t seconds = left.number();
    const std::uint64_t leftNs = seconds * 1'000'000'000 + left.number();
    if (leftNs == 0)
        return;
    present.deadline = monotonicNow() + leftNs;
    if (!registration.isNew && isNear(present.deadline, registration.emitted.deadline))
        present.deadline = registration.emitted.deadline;
}

void DescriptorSampler::fillSockets()
{
    const auto isSocket = [this](const Registration &registration) {
        return registration.visit == m_visit && (registration.present.kind == DescriptorKind::Socket ||
                                                 registration.present.kind == DescriptorKind::Listener);
    };
    std::unordered_set<std::uint64_t> inodes;
    for (const auto &[key, registration] : m_registrations) {
        if (isSocket(registration))
            inodes.insert(registration.inode);
    }
    if (!m_isOurNetwork || inodes.empty())
        return;
    const auto sockets = m_socketQueues.read(inodes);
    for (auto &[key, registration] : m_registrations) {
        const auto found = sockets.find(registration.inode);
        if (!isSocket(registration) || found == sockets.end())
            continue;
        registration.present.kind = found->second.isListener ? DescriptorKind::Listener : DescriptorKind::Socket;
        registration.present.pending = found->second.pending;
        registration.present.tcpState = found->second.tcpState;
        registration.present.readEnds = found->second.readEnds;
        registration.present.canWrite = found->second.canWrite;
    }
}

/// Why a registration is gone. The descriptor may be open again, for another file.
DescriptorKind DescriptorSampler::endOf(const Registration &registration) const
{
    struct stat file {};
    const std::string name = std::to_string(registration.present.descriptor);
    // Timers, eventfds and the like share an inode, so their kind is compared, too.
    const bool isSame = ::fstatat(m_descriptors.fd(), name.c_str(), &file, 0) == 0 &&
                        file.st_ino == registration.inode &&
                        (hasOwnInode(registration.present.kind) ||
                         kindOfTarget(targetOf(registration.present.descriptor)) == registration.present.kind);
    return isSame ? DescriptorKind::Removed : DescriptorKind::Closed;
}

void DescriptorSampler::emitChanges(std::uint64_t ts, std::vector<DescriptorSample> &rows)
{
    for (auto at = m_registrations.begin(); at != m_registrations.end();) {
        Registration &registration = at->second;
        const bool isGone = registration.visit != m_visit;
        DescriptorSample row = registration.present;
        if (isGone) {
            row = {row.pid, row.descriptor, row.epoll};
            row.kind = endOf(registration);
        }
        if (registration.isNew || isGone || contentOf(row) != contentOf(registration.emitted)) {
            row.ts = ts;
            rows.push_back(row);
            registration.emitted = row;
            registration.isNew = false;
        }
        at = isGone ? m_registrations.erase(at) : std::next(at);
    }
}

}  // namespace ct
