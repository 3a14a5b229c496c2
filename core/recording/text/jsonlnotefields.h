// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The note lines of a JSONL recording: their names and fields. Writing and reading use the same lists.
//
// forEachField(row, visit) calls one of these for each field, in the order of the line:
//   visit.coroutine(name, id)       the coroutine that the note is about
//   visit.other(name, id)           another one; left out if there is none
//   visit.number(name, value)       a number
//   visit.known(name, value)        a number that is left out if it is 0
//   visit.flag(name, value)         true or false
//   visit.text(name, value)         a text; left out if it is empty
//   visit.word(name, value, names)  an enum, by its index in `names`
//   visit.object(value, isNumber)   an object: a number, else an address that is left out if it is 0
//   visit.part(part)                WaitsOn::part
//   visit.firstNumber(dialect)      number of a coroutine's first event; left out if it is 0
//   visit.site(id)                  file, line, function and column, if the site is known
#pragma once

#include "core/recording/text/coroutinesums.h"
#include "core/stream/causenames.h"
#include "core/stream/stream.h"
#include "core/stream/unselected.h"

#include <concepts>
#include <string_view>
#include <type_traits>

namespace ct::jsonl {

template <class T, class Of>
concept Row = std::same_as<std::remove_const_t<T>, Of>;

/// A row's name is the value of the line's field `note`.
template <class T>
inline constexpr std::string_view kNoteName = {};
template <>
inline constexpr std::string_view kNoteName<Birth> = "birth";
template <>
inline constexpr std::string_view kNoteName<CoroutineSums::EndGap> = "gap";
template <>
inline constexpr std::string_view kNoteName<Death> = "death";
template <>
inline constexpr std::string_view kNoteName<Process> = "process";
template <>
inline constexpr std::string_view kNoteName<ProcessEnd> = "process_end";
template <>
inline constexpr std::string_view kNoteName<ThreadName> = "thread";
template <>
inline constexpr std::string_view kNoteName<CoroutineName> = "name";
template <>
inline constexpr std::string_view kNoteName<Parent> = "parent";
template <>
inline constexpr std::string_view kNoteName<WaitsOn> = "wait";
template <>
inline constexpr std::string_view kNoteName<Wake> = "wake";
template <>
inline constexpr std::string_view kNoteName<Use> = "use";
template <>
inline constexpr std::string_view kNoteName<WakersLeft> = "wakers_left";
template <>
inline constexpr std::string_view kNoteName<Finish> = "finish";
template <>
inline constexpr std::string_view kNoteName<Drop> = "drop";
template <>
inline constexpr std::string_view kNoteName<Switch> = "switch";
template <>
inline constexpr std::string_view kNoteName<Unselected> = "selection";

/// Only what the first event line of a coroutine has as well.
template <Row<Birth> T, class Visit>
void forEachField(T &birth, Visit &visit)
{
    visit.number("coroutine", birth.coroutine);  // a reader does not know it yet
    visit.firstNumber(birth.dialect);
    visit.number("probe_id", birth.probeId);
    visit.known("birth_ts", birth.birthTs);
    visit.known("pid", birth.pid);
}

template <Row<CoroutineSums::EndGap> T, class Visit>
void forEachField(T &gap, Visit &visit)
{
    visit.number("coroutine", gap.coroutine);  // the reader needs the id of the file
    visit.number("n", gap.n);
    visit.known("lost_before", gap.lost);
    visit.known("missed_before", gap.missed);
    visit.known("dropped_before", gap.unexplained);
    visit.known("not_selected_before", gap.notSelected);
}

template <Row<Death> T, class Visit>
void forEachField(T &death, Visit &visit)
{
    visit.coroutine("coroutine", death.coroutine);
    visit.number("ts", death.ts);
}

template <Row<Process> T, class Visit>
void forEachField(T &process, Visit &visit)
{
    visit.number("pid", process.pid);
    visit.known("ts", process.ts);
    visit.text("name", process.name);
}

template <Row<ProcessEnd> T, class Visit>
void forEachField(T &end, Visit &visit)
{
    visit.number("pid", end.pid);
    visit.number("ts", end.ts);
}

template <Row<ThreadName> T, class Visit>
void forEachField(T &thread, Visit &visit)
{
    visit.number("pid", thread.pid);
    visit.number("tid", thread.tid);
    visit.text("name", thread.name);
}

template <Row<CoroutineName> T, class Visit>
void forEachField(T &name, Visit &visit)
{
    visit.coroutine("coroutine", name.coroutine);
    visit.text("name", name.name);
}

template <Row<Parent> T, class Visit>
void forEachField(T &parent, Visit &visit)
{
    visit.coroutine("coroutine", parent.coroutine);
    visit.coroutine("parent", parent.parent);
}

template <Row<WaitsOn> T, class Visit>
void forEachField(T &waits, Visit &visit)
{
    visit.coroutine("coroutine", waits.coroutine);
    visit.number("n", waits.n);
    visit.word("kind", waits.kind, kWaitKindNames);
    visit.object(waits.object, isNumberOfObject(waits.kind));
    visit.other("target", waits.target);
    visit.part(waits.part);
}

template <Row<Wake> T, class Visit>
void forEachField(T &wake, Visit &visit)
{
    visit.coroutine("coroutine", wake.coroutine);
    visit.number("n", wake.n);
    visit.number("ts", wake.ts);
    visit.other("by", wake.by);
    visit.known("pid", wake.pid);
    visit.known("tid", wake.tid);
}

template <Row<Use> T, class Visit>
void forEachField(T &use, Visit &visit)
{
    visit.word("kind", use.kind, kUseKindNames);
    visit.object(use.object, false);
    visit.number("ts", use.ts);
    visit.other("by", use.by);
    visit.number("n", use.n);
    visit.site(use.site);
    visit.known("pid", use.pid);
    visit.known("tid", use.tid);
}

template <Row<WakersLeft> T, class Visit>
void forEachField(T &left, Visit &visit)
{
    visit.coroutine("coroutine", left.coroutine);
    visit.number("n", left.n);
    visit.number("ts", left.ts);
    visit.number("wakers", left.count);
}

template <Row<Finish> T, class Visit>
void forEachField(T &finish, Visit &visit)
{
    visit.coroutine("coroutine", finish.coroutine);
    visit.number("ts", finish.ts);
    visit.site(finish.site);
}

template <Row<Drop> T, class Visit>
void forEachField(T &drop, Visit &visit)
{
    visit.number("pid", drop.pid);
    visit.number("tid", drop.tid);
    visit.number("records", drop.records);
    visit.number("first_ts", drop.firstTs);
    visit.number("last_ts", drop.lastTs);
}

template <Row<Switch> T, class Visit>
void forEachField(T &change, Visit &visit)
{
    visit.number("pid", change.pid);
    visit.number("ts", change.ts);
    visit.flag("is_on", change.on);
}

/// Only for writing.
template <Row<Unselected> T, class Visit>
void forEachField(T &unselected, Visit &visit)
{
    visit.known("from", unselected.from);
    if (unselected.to != Unselected().to)
        visit.number("to", unselected.to);
    visit.number("events_not_selected", unselected.events);
    visit.number("coroutines_not_selected", unselected.coroutines);
    visit.number("causes_not_selected", unselected.causes);
}

}  // namespace ct::jsonl
