// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/schema.h"

#include <array>

namespace ct {

namespace {

using enum ColumnType;

constexpr bool kNullable = true;

// The first columns are those of the existing collector.
constexpr Column kEvents[] = {
    {"id", Integer},        {"probe_id", UnsignedText}, {"tid", Integer},           {"addr", Address},
    {"seq", Unsigned},      {"is_active", Boolean},     {"ts", Unsigned},           {"n", Unsigned},
    {"coroutine", Integer}, {"pid", Integer, true},     {"site_id", Integer, true}, {"kind", Word},
};
constexpr Column kCoroutines[] = {
    {"coroutine", Integer},
    {"probe_id", UnsignedText},
    {"pid", Integer, kNullable},
    {"station", Integer},
    {"generation", Integer},
    {"dialect", Word},
    {"birth_ts", Unsigned, kNullable},
    {"death_ts", Unsigned, kNullable},
    {"flagged", Boolean},
    {"events", Unsigned},
    {"lost", Unsigned},
    {"missed_before_attach", Unsigned},
    {"dropped", Unsigned},
    {"name", Text, kNullable},
    {"parent", Integer, kNullable},
    {"finish_ts", Unsigned, kNullable},
    {"finish_site_id", Integer, kNullable},
    {"born_after_event", Integer},
    {"died_after_event", Integer, kNullable},
    {"finished_after_event", Integer, kNullable},
};
constexpr Column kSites[] = {
    {"site_id", Integer},           {"file", Text},     {"line", Integer, kNullable},
    {"column", Integer, kNullable}, {"function", Text},
};
constexpr Column kAddresses[] = {
    {"coroutine", Integer},         {"addr", Address},           {"depth", Integer},
    {"function", Text, kNullable},  {"file", Text, kNullable},   {"line", Integer, kNullable},
    {"column", Integer, kNullable}, {"module", Text, kNullable}, {"line_since", Unsigned, kNullable},
    {"gap", Text, kNullable},
};
constexpr Column kProcesses[] = {
    {"process", Integer},
    {"pid", Integer},
    {"name", Text, kNullable},
    {"first_ts", Unsigned, kNullable},
    {"end_ts", Unsigned, kNullable},
    {"after_event", Integer, kNullable},  // NULL: only its coroutines name the process
    {"ended_after_event", Integer, kNullable},
};
constexpr Column kThreads[] = {{"pid", Integer}, {"tid", Integer}, {"name", Text}};
constexpr Column kWaits[] = {
    {"coroutine", Integer},         {"n", Unsigned}, {"kind", Word},        {"object", Object, kNullable},
    {"target", Integer, kNullable}, {"mode", Word},  {"position", Integer}, {"after_event", Integer},
};
constexpr Column kWakes[] = {
    {"coroutine", Integer},
    {"n", Unsigned},
    {"ts", Unsigned},
    {"by_coroutine", Integer, kNullable},
    {"pid", Integer, kNullable},
    {"tid", Integer, kNullable},
    {"after_event", Integer},
};
constexpr Column kUses[] = {
    {"kind", Word},
    {"object", Address},
    {"ts", Unsigned},
    {"by_coroutine", Integer, kNullable},
    {"n", Unsigned},
    {"site_id", Integer, kNullable},
    {"pid", Integer, kNullable},
    {"tid", Integer, kNullable},
    {"after_event", Integer},
};
constexpr Column kWakersLeft[] = {
    {"coroutine", Integer}, {"n", Unsigned}, {"ts", Unsigned}, {"wakers", Unsigned}, {"after_event", Integer},
};
constexpr Column kGaps[] = {
    {"coroutine", Integer}, {"first_n", Unsigned}, {"events", Unsigned}, {"kind", Word}, {"after_event", Integer},
};
constexpr Column kDrops[] = {
    {"pid", Integer},       {"tid", Integer},      {"records", Unsigned},
    {"first_ts", Unsigned}, {"last_ts", Unsigned}, {"after_event", Integer},
};
constexpr Column kFlags[] = {{"coroutine", Integer}, {"reason", Word}, {"after_event", Integer}};
constexpr Column kSwitches[] = {{"pid", Integer}, {"ts", Unsigned}, {"is_on", Boolean}, {"after_event", Integer}};
constexpr Column kThreadSamples[] = {
    {"pid", Integer},
    {"tid", Integer},
    {"ts", Unsigned},
    {"state", Word},
    {"call", Word},
    {"is_timed", Boolean},
    {"object", Unsigned, kNullable},
    {"cpu_ns", Unsigned},
    {"run_delay_ns", Unsigned, kNullable},
    {"after_event", Integer},
};
constexpr Column kDescriptorSamples[] = {
    {"pid", Integer},
    {"descriptor", Integer},
    {"epoll", Integer},
    {"ts", Unsigned},
    {"kind", Word},
    {"events", Integer},
    {"pending", Unsigned, kNullable},
    {"deadline", Unsigned, kNullable},
    {"tcp_state", Integer, kNullable},
    {"read_ends", Boolean},
    {"can_write", Boolean},
    {"after_event", Integer},
};
constexpr Column kProcessSamples[] = {
    {"pid", Integer},
    {"ts", Unsigned},
    {"descriptors_ts", Unsigned, kNullable},
    {"threads", Integer},
    {"stopped_since", Unsigned, kNullable},
    {"threads_known", Boolean},
    {"calls_known", Boolean},
    {"descriptors_known", Boolean},
    {"machine_suspended_ns", Unsigned},
    {"after_event", Integer},
};
constexpr Column kFindings[] = {
    {"finding", Integer},
    {"rule", Word},
    {"severity", Word},
    {"confidence_percent", Integer},
    {"fingerprint", Word},
    {"function", Text, kNullable},
    {"file", Text, kNullable},
    {"line", Integer, kNullable},
    {"pid", Integer, kNullable},
    {"coroutines", Integer},
    {"since_ts", Unsigned, kNullable},
    {"judged_ts", Unsigned},
    {"message", Text},
    {"evidence", Text, kNullable},
};
constexpr Column kFindingCoroutines[] = {{"finding", Integer}, {"coroutine", Integer}};
constexpr Column kSessions[] = {
    {"name", Text, kNullable},           {"program", Text, kNullable},
    {"command", Text, kNullable},        {"machine", Text, kNullable},
    {"target_pid", Integer, kNullable},  {"first_ts", Unsigned, kNullable},
    {"last_ts", Unsigned, kNullable},    {"realtime_offset", Integer, kNullable},
    {"decided_ts", Unsigned, kNullable}, {"info", Text, kNullable},
};
constexpr Column kTraceInfo[] = {{"name", Word}, {"value", Unsigned}};

constexpr std::array<TableSchema, kTables> kSchemas = {{
    {"coro_trace_events", kEvents, "id", true},
    {"coroutines", kCoroutines, "coroutine", true},
    {"sites", kSites, "site_id", true},
    {"addresses", kAddresses, "coroutine, addr, depth"},
    {"processes", kProcesses, "process", true},
    {"threads", kThreads, "pid, tid"},
    {"waits", kWaits, {}},
    {"wakes", kWakes, {}},
    {"uses", kUses, {}},
    {"wakers_left", kWakersLeft, {}},
    {"gaps", kGaps, {}},
    {"drops", kDrops, {}},
    {"flags", kFlags, {}},
    {"switches", kSwitches, {}},
    {"thread_samples", kThreadSamples, {}},
    {"descriptor_samples", kDescriptorSamples, {}},
    {"process_samples", kProcessSamples, {}},
    {"findings", kFindings, "finding", true},
    {"finding_coroutines", kFindingCoroutines, "finding, coroutine"},
    {"sessions", kSessions, {}},
    {"trace_info", kTraceInfo, "name"},
}};

constexpr IndexSchema kIndexes[] = {
    {Table::Events, "idx_coro_trace_events_probe_seq", "probe_id, seq"},
    {Table::Events, "idx_coro_trace_events_tid_ts", "tid, ts"},
    {Table::Events, "idx_coro_trace_events_ts", "ts"},
    {Table::Events, "idx_coro_trace_events_coroutine_n", "coroutine, n"},
    {Table::Waits, "idx_waits_coroutine_n", "coroutine, n"},
    {Table::Wakes, "idx_wakes_coroutine_n", "coroutine, n"},
    {Table::Coroutines, "idx_coroutines_parent", "parent"},
};

}  // namespace

const TableSchema &schemaOf(Table table)
{
    return kSchemas[static_cast<std::size_t>(table)];
}

std::string_view serverNameOf(Table table)
{
    return table == Table::Events ? "events" : schemaOf(table).name;
}

std::span<const IndexSchema> tableIndexes()
{
    return kIndexes;
}

}  // namespace ct
