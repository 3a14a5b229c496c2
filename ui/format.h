// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Raw values as people read them. Pure functions; the language is the application's.
#pragma once

#include "core/recording/recordingoverview.h"
#include "core/session/places.h"
#include "core/session/session.h"
#include "core/trace/population.h"

#include <QString>

namespace ct::format {

/// "0 ns", "850 ns", "12.3 µs", "1.1 ms", "4.2 s", "3 min 12 s", "2 h 5 min", "4 d 3 h".
QString duration(std::uint64_t ns);
/// Digits in groups of three, with a narrow no-break space: "1 234 567".
QString count(std::uint64_t value);
/// "950/s", "12.3 k/s", "4.56 M/s".
QString rate(double perSecond);
/// "64 KiB", "1.5 GiB".
QString bytes(std::uint64_t size);
/// "0x7ffd1234"; 0 gives an empty text.
QString address(std::uint64_t value);

/// "39 captured, 2 lost, 5 missed before attach"; what is 0 is left out, but for the first two.
QString eventCounts(const CoroutineSnapshot &coroutine);
/// "5 events lost, 3 missed before attach".
QString missing(const MissingEvents &events);
/// Its number among its kind.
QString station(const CoroutineSnapshot &coroutine);
/// "72 873"; from a million on three digits, "1.23 M".
QString briefCount(std::uint64_t value);
/// "1 coroutine", "2 coroutines".
QString coroutines(std::uint64_t value);
/// "530"; "2 000 of 4 096" once a twentieth is used.
QString slotCount(const Accounting &sums);

QString fileName(const Site &site);  ///< without its directories
/// The name of a function without its parameters, its result and its scopes: "read" of "Task<int>
/// net::Conn::read(int)".
QString shortFunction(const std::string &function);
/// What a target calls something, fit for one line: invalid UTF-8 replaced, control characters and line breaks gone.
QString targetName(const std::string &name);
/// What a coroutine is called: the name that the target gave it, else its function with scopes, without parameters,
/// as its first suspension tells it, or what is known of its address; empty while nothing is known. `places`: may be
/// null, here and below; with it, what is not known yet is asked for.
QString coroutineName(const Population &population, const CoroutineSnapshot &coroutine, Places *places = nullptr);
/// "async_read server.cpp:88" of a site, else the address, else an empty text.
QString place(const Site *site, std::uint64_t addr);
/// The same with everything known: function with parameters, whole path, line and column, address.
QString placeDetails(const Site *site, std::uint64_t addr);

/// Long texts lose their middle: for tooltips and links, which nothing else shortens.
QString shortened(const QString &text, qsizetype most = 80);
/// For a label, a tool tip or a box: what comes from outside, even where it looks like HTML.
QString verbatim(const QString &text);
/// printable() of each line.
QString printableLines(const QString &text);
/// "parse_request #17", or "#17" without a name, shortened; kNoCoroutine gives an empty text.
QString coroutineTitle(const Population &population, CoroutineId id, Places *places = nullptr);

/// "worker-3 (28667)", or "28667"; 0 gives an empty text.
QString thread(const Population *population, std::uint32_t pid, std::uint32_t tid);
/// "server (28660)", or "28660"; 0 gives an empty text.
QString process(const std::string &name, std::uint32_t pid);
/// "lock 0x7ffd1234", "timer, in 1.2 s", "descriptor 7", "coroutine parse #17".
QString waitsOn(const Population &population, const WaitsOn &wait, std::uint64_t now);
/// "by parse #17, 1.2 s ago, from thread worker-3 (28667)".
QString wake(const Population &population, const Wake &wake, std::uint64_t now);

QString stateName(CoroutineState state);
QString pointKindName(PointKind kind);
QString dialectName(Dialect dialect);
QString sessionStateName(SessionState state);
/// "exited with status 3", "killed by signal 11 (Segmentation fault)".
QString exitText(const ExitStatus &status);
/// `progress`: 0..1; `overview`: nullptr = not known.
QString loading(double progress, const RecordingOverview *overview);

}  // namespace ct::format
