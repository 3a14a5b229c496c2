// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Converts raw values to texts for the user. Pure functions; the language is that of the application.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/recording/read/recordingoverview.h"
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

/// "39 captured, 2 lost, 5 missed before attach"; counts of 0 are left out, except the first two.
QString eventCounts(const CoroutineSnapshot &coroutine);
/// "5 events lost, 3 missed before attach".
QString missing(const MissingEvents &lacking);
/// The station's number among the stations of its kind.
QString station(const CoroutineSnapshot &coroutine);
/// "72 873"; from a million on "1.23 M", with two decimals.
QString briefCount(std::uint64_t value);
/// "1 event", "2 events".
QString events(std::uint64_t value);
/// "1 coroutine", "2 coroutines".
QString coroutines(std::uint64_t value);
/// Number of used stations: "530", or "2 000 of 4 096" from a twentieth on.
QString stationCount(const RegionGauges &gauges);

QString fileName(const Site &site);  ///< without directories
/// The name of a function without its parameters, result and scopes: "read" for "Task<int> net::Conn::read(int)".
QString shortFunction(const std::string &function);
/// A name from the target, fit for one line: replaces invalid UTF-8, removes control characters and line breaks.
QString targetName(const std::string &name);
/// The name of a coroutine: the name that the target gave it, else its function with scopes and without parameters. The
/// function comes from its first suspension, or from its resolved address. Empty if nothing is known yet. `resolver`
/// may be null, here and below. If it is not null, unknown addresses are requested from it.
QString coroutineName(const Population &population, const CoroutineSnapshot &coroutine,
                      AddressResolver *resolver = nullptr);
/// "async_read server.cpp:88" for a site, else the address, else an empty text.
QString location(const Site *site, std::uint64_t addr);
/// All details of a site: function with parameters, whole path, line and column, address.
QString locationDetails(const Site *site, std::uint64_t addr);

/// Elides the middle of a long text. For tooltips and links, which do not elide by themselves.
QString shortened(const QString &text, qsizetype most = 80);
/// Makes labels, tooltips and boxes show untrusted text literally, even if it resembles HTML.
QString verbatim(const QString &text);
/// Applies printable() to each line.
QString printableLines(const QString &text);
/// "parse_request #17", or "#17" without a name, shortened; kNoCoroutine gives an empty text.
QString coroutineTitle(const Population &population, CoroutineId id, AddressResolver *resolver = nullptr);

/// "worker-3 (28667)", or "28667"; 0 gives an empty text.
QString thread(const Population *population, std::uint32_t pid, std::uint32_t tid);
/// "server (28660)", or "28660"; 0 gives an empty text.
QString process(const std::string &name, std::uint32_t pid);

QString stateName(CoroutineState state);
/// Sentence about a flagged coroutine.
QString contradiction();
QString pointKindName(PointKind kind);
QString dialectName(Dialect dialect);
QString runStateName(RunState state);
/// "exited with status 3", "killed by signal 11 (Segmentation fault)".
QString exitText(const ExitStatus &status);
/// Progress of loading a recording. `progress` is 0..1; `overview` is nullptr if not known.
QString loading(double progress, const RecordingOverview *overview);

}  // namespace ct::format
