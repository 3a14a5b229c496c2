// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rows of a stream as text, for comparisons.
#pragma once

#include "core/stream/stream.h"

#include <sstream>
#include <string>

namespace ct::test {

/// Returns every field of a transition as text, for comparison and for messages.
inline std::string textOf(const Transition &event)
{
    std::ostringstream out;
    out << "T " << event.coroutine << ' ' << event.n << ' ' << event.ts << ' ' << event.addr << ' ' << event.seq << ' '
        << event.tid << ' ' << event.site << ' ' << static_cast<int>(event.kind) << ' ' << event.active << '\n';
    return out.str();
}

inline void putNotes(std::ostream &out, const Notes &notes)
{
    for (const auto &row : notes.processes)
        out << "P " << row.pid << ' ' << row.ts << ' ' << row.name << '\n';
    for (const auto &row : notes.threadNames)
        out << "TN " << row.pid << ' ' << row.tid << ' ' << row.name << '\n';
    for (const auto &row : notes.names)
        out << "N " << row.coroutine << ' ' << row.name << '\n';
    for (const auto &row : notes.parents)
        out << "PA " << row.coroutine << ' ' << row.parent << '\n';
    for (const auto &row : notes.waits)
        out << "WO " << row.coroutine << ' ' << row.n << ' ' << static_cast<int>(row.kind) << ' ' << row.object << ' '
            << row.target << ' ' << row.part << '\n';
    for (const auto &row : notes.wakes)
        out << "W " << row.coroutine << ' ' << row.by << ' ' << row.n << ' ' << row.ts << ' ' << row.pid << ' '
            << row.tid << '\n';
    for (const auto &row : notes.uses)
        out << "U " << row.by << ' ' << row.n << ' ' << static_cast<int>(row.kind) << ' ' << row.object << ' '
            << row.site << ' ' << row.ts << ' ' << row.pid << ' ' << row.tid << '\n';
    for (const auto &row : notes.wakersLeft)
        out << "WL " << row.coroutine << ' ' << row.n << ' ' << row.count << ' ' << row.ts << '\n';
    for (const auto &row : notes.finishes)
        out << "FI " << row.coroutine << ' ' << row.ts << ' ' << row.site << '\n';
    for (const auto &row : notes.drops)
        out << "DR " << row.pid << ' ' << row.tid << ' ' << row.records << ' ' << row.firstTs << ' ' << row.lastTs
            << '\n';
    for (const auto &row : notes.switches)
        out << "SW " << row.pid << ' ' << row.ts << ' ' << row.on << '\n';
    for (const auto &row : notes.processEnds)
        out << "PE " << row.pid << ' ' << row.ts << '\n';
    for (const auto &row : notes.threadSamples)
        out << "TS " << row.pid << ' ' << row.tid << ' ' << row.ts << ' ' << static_cast<int>(row.state) << ' '
            << static_cast<int>(row.call) << ' ' << row.isTimed << ' ' << row.object << ' ' << row.cpuNs << ' '
            << row.runDelayNs << '\n';
    for (const auto &row : notes.descriptorSamples)
        out << "DS " << row.pid << ' ' << row.descriptor << ' ' << row.epoll << ' ' << row.ts << ' '
            << static_cast<int>(row.kind) << ' ' << row.events << ' ' << row.pending << ' ' << row.deadline << ' '
            << int{row.tcpState} << ' ' << row.readEnds << ' ' << row.canWrite << '\n';
    for (const auto &row : notes.processSamples)
        out << "PS " << row.pid << ' ' << row.ts << ' ' << row.descriptorsTs << ' ' << row.threads << ' '
            << row.stoppedSince << ' ' << row.areThreadsKnown << ' ' << row.areCallsKnown << ' '
            << row.areDescriptorsKnown << ' ' << row.machineSuspendedNs << '\n';
}

/// Returns every row of a batch as text.
inline std::string textOf(const Batch &batch)
{
    std::ostringstream out;
    out << "now " << batch.now << '\n';
    for (const auto &row : batch.sites)
        out << "S " << row.id << ' ' << row.line << ' ' << row.column << ' ' << row.file << ' ' << row.function << '\n';
    for (const auto &row : batch.births)
        out << "B " << row.coroutine << ' ' << row.station << ' ' << row.generation << ' ' << row.pid << ' '
            << static_cast<int>(row.dialect) << ' ' << row.probeId << ' ' << row.birthTs << '\n';
    for (const auto &row : batch.losses)
        out << "L " << row.coroutine << ' ' << row.firstN << ' ' << row.count << ' ' << row.beforeAttach << '\n';
    for (const auto &row : batch.transitions)
        out << textOf(row);
    for (const auto &row : batch.deaths)
        out << "D " << row.coroutine << ' ' << row.ts << '\n';
    for (const auto &row : batch.flags)
        out << "F " << row.coroutine << ' ' << static_cast<int>(row.reason) << '\n';
    putNotes(out, batch.notes);
    return out.str();
}

}  // namespace ct::test
