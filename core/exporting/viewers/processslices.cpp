// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/viewers/processslices.h"

#include "core/exporting/viewers/coroutineslices.h"
#include "core/stream/causenames.h"

#include <algorithm>
#include <string>

namespace ct::viewers {

namespace {

Slice offSlice(const Track &track, std::uint64_t ts)
{
    Slice slice{track, ts};
    slice.text = "tracing off";
    slice.category = Category::TracingOff;
    return slice;
}

}  // namespace

ProcessSlices::ProcessSlices(TrackEncoder &encoder, UnitOutput &output, Introduced &introduced, Tracks &tracks)
    : m_encoder(encoder), m_output(output), m_introduced(introduced), m_tracks(tracks), m_wake(introduced.text("wake"))
{
}

void ProcessSlices::addNames(const Notes &notes)
{
    for (const Process &process : notes.processes)
        m_tracks.nameProcess(process.pid, process.name);
    for (const ThreadName &thread : notes.threadNames)
        m_tracks.nameThread(thread.pid, thread.tid, thread.name);
}

void ProcessSlices::consume(const Notes &notes)
{
    const auto writeAll = [this](const auto &rows) {
        for (const auto &row : rows)
            write(row);
    };
    writeAll(notes.wakes);
    writeAll(notes.uses);
    writeAll(notes.drops);
    writeAll(notes.switches);
    writeAll(notes.processEnds);
}

char *ProcessSlices::beginPieces()
{
    return m_output.begin(2 * m_encoder.room());
}

void ProcessSlices::writeInstant(const Slice &slice)
{
    m_output.end(m_encoder.instant(beginPieces(), slice));
}

void ProcessSlices::write(const Wake &wake)
{
    Slice slice{m_tracks.thread(wake.pid, wake.tid), wake.ts, m_wake};
    slice.category = Category::Wake;
    slice.flow = flowOf(wake.coroutine, wake.n);
    slice.args.number(ArgName::Coroutine, wake.coroutine);
    slice.args.number(ArgName::N, wake.n);
    if (wake.by != kNoCoroutine)
        slice.args.number(ArgName::By, wake.by);
    writeInstant(slice);
}

void ProcessSlices::write(const Use &use)
{
    Slice slice{m_tracks.thread(use.pid, use.tid), use.ts};
    slice.text = useKindName(use.kind);
    slice.category = Category::Use;
    slice.location = m_introduced.ofSite(use.site);
    slice.args.address(ArgName::Object, use.object);
    if (use.by != kNoCoroutine)
        slice.args.number(ArgName::By, use.by);
    writeInstant(slice);
}

/// On a separate track below the thread's, because runs may begin or end during the drop.
void ProcessSlices::write(const Drop &drop)
{
    const Track thread = m_tracks.thread(drop.pid, drop.tid);
    Sequence &drops = m_drops[thread.id];
    if (!drops.track)
        drops.track = m_tracks.below(thread, "dropped records");
    const std::string text = "dropped " + std::to_string(drop.records) + " records";
    Slice slice{drops.track, std::max(drop.firstTs, drops.end)};
    slice.text = text;
    slice.category = Category::Dropped;
    slice.args.id(ArgName::Records, drop.records);
    slice.args.id(ArgName::FirstTs, drop.firstTs);
    slice.args.id(ArgName::LastTs, drop.lastTs);
    drops.end = std::max(drop.lastTs, slice.ts);
    m_output.end(m_encoder.end(m_encoder.begin(beginPieces(), slice), slice, drops.end, {}));
}

void ProcessSlices::write(const Switch &change)
{
    Sequence &off = m_off[change.pid];
    if (!change.on == off.isOpen)
        return;
    if (!off.track)
        off.track = m_tracks.below(m_tracks.process(change.pid), "tracing off");
    const std::uint64_t ts = std::max(change.ts, off.end);
    if (change.on)
        m_output.end(m_encoder.end(beginPieces(), offSlice(off.track, off.end), ts, {}));
    else
        m_output.end(m_encoder.begin(beginPieces(), offSlice(off.track, ts)));
    off.end = ts;
    off.isOpen = !change.on;
}

void ProcessSlices::write(const ProcessEnd &end)
{
    Slice slice{m_tracks.process(end.pid), end.ts};
    slice.text = "process ended";
    writeInstant(slice);
}

void ProcessSlices::end(std::uint64_t now)
{
    Args more;
    more.flag(ArgName::StillOpen);
    for (const auto &[pid, off] : m_off) {
        if (off.isOpen)
            m_output.end(m_encoder.end(beginPieces(), offSlice(off.track, off.end), std::max(now, off.end), more));
    }
}

}  // namespace ct::viewers
