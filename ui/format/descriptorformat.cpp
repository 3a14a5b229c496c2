// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/descriptorformat.h"

#include "ui/format/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace ct::format {

namespace {

constexpr qsizetype kMostDescriptors = 12;

QString tr(const char *text)
{
    return QCoreApplication::translate("DescriptorFormat", text);
}

QString callName(const ThreadSample &thread)
{
    const QString number = QString::number(static_cast<qulonglong>(thread.object));
    switch (thread.call) {
    case ThreadCall::None: return tr("outside of a system call");
    case ThreadCall::Futex: return tr("in a lock or a condition variable");
    case ThreadCall::Epoll: return tr("in epoll %1").arg(number);
    case ThreadCall::Poll: return tr("in poll");
    case ThreadCall::Sleep: return tr("for a time");
    case ThreadCall::Descriptor: return tr("in a call for descriptor %1").arg(number);
    case ThreadCall::Process: return tr("until a process ends");
    case ThreadCall::Signal: return tr("until a signal comes");
    case ThreadCall::Ring: return tr("in io_uring %1").arg(number);
    case ThreadCall::Other: return tr("in another system call");
    case ThreadCall::Unknown: break;
    }
    return tr("in a system call that is not known");
}

QString activity(const ThreadSample &thread)
{
    if (thread.isStopped())
        return tr("stopped");
    if (thread.state == ThreadState::Running)
        return tr("running");
    if (!thread.isSleeping())
        return tr("in an unknown state");
    const bool canBeTimed =
        thread.call != ThreadCall::Unknown && thread.call != ThreadCall::None && thread.call != ThreadCall::Sleep;
    const QString text = tr("asleep %1").arg(callName(thread));
    if (!canBeTimed)
        return text;
    return thread.isTimed ? tr("%1, with a timeout").arg(text) : tr("%1, without a timeout").arg(text);
}

QString kindName(DescriptorKind kind)
{
    switch (kind) {
    case DescriptorKind::Epoll: return tr("epoll");
    case DescriptorKind::Timer: return tr("timer");
    case DescriptorKind::Event: return tr("eventfd");
    case DescriptorKind::Signal: return tr("signalfd");
    case DescriptorKind::Socket: return tr("socket");
    case DescriptorKind::Listener: return tr("listening socket");
    case DescriptorKind::Pipe: return tr("pipe");
    case DescriptorKind::Terminal: return tr("terminal");
    case DescriptorKind::Closed:
    case DescriptorKind::Removed:
    case DescriptorKind::Other:
    case DescriptorKind::Unknown: break;
    }
    return tr("descriptor");
}

QString stateOf(const DescriptorSample &row, std::uint64_t now)
{
    if (row.kind == DescriptorKind::Closed)
        return tr("closed");
    if (row.kind == DescriptorKind::Removed)
        return tr("removed from it");
    if (row.kind == DescriptorKind::Timer && row.pending == 0)
        return row.deadline == 0    ? tr("not armed")
               : row.deadline > now ? tr("due in %1").arg(duration(row.deadline - now))
                                    : tr("due %1 ago").arg(duration(now - row.deadline));
    if (row.pending != 0 && row.pending != DescriptorSample::kUnknown)
        return row.kind == DescriptorKind::Socket ? tr("%1 bytes not fetched").arg(count(row.pending))
                                                  : tr("%1 not fetched").arg(count(row.pending));
    if (!row.isArmed())
        return tr("reported once, and not armed any more");
    return row.pending == 0 ? tr("nothing to fetch") : QString();
}

}  // namespace

std::vector<std::pair<QString, std::vector<std::uint32_t>>> threadsByActivity(const std::vector<ThreadSample> &threads)
{
    std::vector<std::pair<QString, std::vector<std::uint32_t>>> groups;
    for (const ThreadSample &thread : threads) {
        const QString text = activity(thread);
        const auto same =
            std::find_if(groups.begin(), groups.end(), [&](const auto &one) { return one.first == text; });
        if (same != groups.end())
            same->second.push_back(thread.tid);
        else
            groups.push_back({text, {thread.tid}});
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto &a, const auto &b) { return a.second.size() > b.second.size(); });
    return groups;
}

QStringList descriptorLines(const std::vector<DescriptorSample> &descriptors, std::uint64_t now)
{
    QStringList lines;
    for (const DescriptorSample &row : descriptors) {
        if (lines.size() == kMostDescriptors) {
            lines << tr("%1 more descriptors").arg(static_cast<qsizetype>(descriptors.size()) - kMostDescriptors);
            break;
        }
        const QString state = stateOf(row, now);
        const QString name = tr("%1 %2 in epoll %3").arg(kindName(row.kind)).arg(row.descriptor).arg(row.epoll);
        lines << (state.isEmpty() ? name : tr("%1: %2").arg(name, state));
    }
    return lines;
}

}  // namespace ct::format
