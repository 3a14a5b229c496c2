// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The data of an HTML report, as its script reads them (html/data.js). Compact: a coroutine takes some 20 bytes, a step
// some 8.
//
// The numbers are unsigned, seven bits in a byte, lowest first; the top bit says that another byte follows. Times are
// ns relative to ReportedRun::startedAt. A signed number is twice its magnitude, plus one if it is negative.
#pragma once

#include "core/reporting/report.h"

#include <string>

namespace ct {

struct HtmlData {
    /// JSON: texts, names of states and threads, and the coroutines of each finding.
    std::string tables;
    /// For each coroutine: id minus the one before, state, function, where, name, thread, signed since, signed birth
    /// (or 0 0 if unknown, else 1 and the birth), events, events that are no steps, number of steps, and their bytes.
    std::string coroutines;
    /// For each step: signed time since the step before (the first one: since the start), type + 8 * thread, and for a
    /// suspension where, for missing events their count. Types: those of HistoryEvent, 4 = final suspension.
    std::string steps;
};

HtmlData htmlData(const Report &report);

}  // namespace ct
