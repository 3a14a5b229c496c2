// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Converts the output of the installed reader library (reader/) to core types, for comparison.
#pragma once

#include "core/recording/format/rowlayouts.h"
#include "core/stream/stream.h"

#include <corotracer/recording/reader.h>

#include <string>
#include <vector>

namespace publicreader {

using corotracer::recording::view;

inline std::string text(const ctr_text &text)
{
    return std::string(view(text));
}

template <class To, class From, class Make>
void each(To &to, const From &from, Make &&make)
{
    for (const auto &row : from)
        to.push_back(make(row));
}

inline void addNotes(ct::Notes &notes, const corotracer::recording::batch &given)
{
    each(notes.processes, given.processes(), [](auto &row) { return ct::Process{row.pid, row.ts, text(row.name)}; });
    each(notes.threadNames, given.thread_names(), [](auto &row) {
        return ct::ThreadName{row.pid, row.tid, text(row.name)};
    });
    each(notes.names, given.names(), [](auto &row) { return ct::CoroutineName{row.coroutine, text(row.name)}; });
    each(notes.parents, given.parents(), [](auto &row) { return ct::Parent{row.coroutine, row.parent}; });
    each(notes.waits, given.waits(), [](auto &row) {
        return ct::WaitsOn{row.coroutine, row.n, static_cast<ct::WaitKind>(row.kind), row.object, row.target, row.part};
    });
    each(notes.wakes, given.wakes(),
         [](auto &row) { return ct::Wake{row.coroutine, row.by, row.n, row.ts, row.pid, row.tid}; });
    each(notes.uses, given.uses(), [](auto &row) {
        return ct::Use{row.by,  row.n,  static_cast<ct::UseKind>(row.kind), row.object, row.site, row.ts,
                       row.pid, row.tid};
    });
    each(notes.wakersLeft, given.wakers_left(), [](auto &row) {
        return ct::WakersLeft{row.coroutine, row.n, row.count, row.ts};
    });
    each(notes.finishes, given.finishes(), [](auto &row) { return ct::Finish{row.coroutine, row.ts, row.site}; });
    each(notes.drops, given.drops(), [](auto &row) {
        return ct::Drop{row.pid, row.tid, row.records, row.first_ts, row.last_ts};
    });
    each(notes.switches, given.switches(), [](auto &row) { return ct::Switch{row.pid, row.ts, row.on != 0}; });
    each(notes.processEnds, given.process_ends(), [](auto &row) { return ct::ProcessEnd{row.pid, row.ts}; });
    each(notes.threadSamples, given.thread_samples(), [](auto &row) {
        return ct::ThreadSample{row.pid,
                                row.tid,
                                row.ts,
                                static_cast<ct::ThreadState>(row.state),
                                static_cast<ct::ThreadCall>(row.call),
                                row.timed != 0,
                                row.object,
                                row.cpu_ns,
                                row.run_delay_ns};
    });
    each(notes.descriptorSamples, given.descriptor_samples(), [](auto &row) {
        return ct::DescriptorSample{row.pid,
                                    row.descriptor,
                                    row.epoll,
                                    row.ts,
                                    static_cast<ct::DescriptorKind>(row.kind),
                                    row.events,
                                    row.pending,
                                    row.deadline,
                                    static_cast<std::uint8_t>(row.tcp_state),
                                    row.read_ends != 0,
                                    row.can_write != 0};
    });
    each(notes.processSamples, given.process_samples(), [](auto &row) {
        return ct::ProcessSample{row.pid,
                                 row.ts,
                                 row.descriptors_ts,
                                 row.threads,
                                 row.stopped_since,
                                 row.threads_known != 0,
                                 row.calls_known != 0,
                                 row.descriptors_known != 0,
                                 row.machine_suspended};
    });
}

inline ct::Batch batchOf(const corotracer::recording::batch &given)
{
    ct::Batch batch;
    batch.now = given.now();
    each(batch.sites, given.sites(), [](auto &row) {
        return ct::Site{row.id, row.line, row.column, text(row.file), text(row.function)};
    });
    each(batch.births, given.births(), [](auto &row) {
        return ct::Birth{row.coroutine, row.station, row.generation, row.pid, static_cast<ct::Dialect>(row.dialect),
                         row.probe_id,  row.ts};
    });
    each(batch.losses, given.losses(), [](auto &row) {
        return ct::Loss{row.coroutine, row.first_n, row.count, row.before_attach != 0};
    });
    each(batch.transitions, given.transitions(), [](auto &row) {
        return ct::Transition{row.ts,         row.addr, row.n,    row.seq,
                              row.coroutine,  row.tid,  row.site, static_cast<ct::PointKind>(row.kind),
                              row.active != 0};
    });
    each(batch.deaths, given.deaths(), [](auto &row) { return ct::Death{row.coroutine, row.ts}; });
    each(batch.flags, given.flags(), [](auto &row) {
        return ct::Flag{row.coroutine, static_cast<ct::Flag::Reason>(row.reason)};
    });
    addNotes(batch.notes, given);
    return batch;
}

/// Everything that the library returns for a file.
struct Everything {
    std::vector<ct::Batch> batches;
    std::vector<ct::ctr::OutputPiece> output;
    std::string message;
    std::string info;
    corotracer::recording::status status{};
    ctr_sums sums{};
    std::vector<ctr_damage> damages;
    bool ended = false;
};

inline Everything readAll(const std::string &path)
{
    Everything all;
    corotracer::recording::reader reader(path);
    while (const auto batch = reader.next()) {
        for (const ctr_output &piece : batch.outputs())
            all.output.push_back({piece.ts, text(piece.bytes)});
        ct::Batch core = batchOf(batch);
        // Output behind the last events comes in a batch without events.
        if (!core.empty() || batch.outputs().empty())
            all.batches.push_back(std::move(core));
    }
    all.message = reader.message();
    all.info = reader.info();
    all.status = reader.status();
    all.sums = reader.sums();
    all.damages.assign(reader.damages().begin(), reader.damages().end());
    all.ended = reader.ended();
    return all;
}

}  // namespace publicreader
