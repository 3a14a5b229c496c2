// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is known about a finding, as text: its sentence, and its evidence.
#pragma once

#include "core/analysis/circumstances.h"
#include "core/reporting/judgement.h"

#include <QString>

namespace ct {

/// Where the texts come from. All must outlive the call.
struct FindingSubject {
    const Population &population;
    const History &history;
    AddressResolver *resolver = nullptr;  ///< may be null
    std::uint64_t origin = 0;             ///< ns, CLOCK_MONOTONIC, of time 0 in the texts
    std::uint64_t judgedAt = 0;           ///< ns, CLOCK_MONOTONIC
    /// Wall-clock time of the moment 0 of CLOCK_MONOTONIC, ns since 1970; 0 = unknown, then times are relative to
    /// `origin`.
    std::int64_t wallClock = 0;
};

namespace format {

/// "47 coroutines suspended at async_read net.cpp:88, the first since 12:03:04.123; before that, 99 % came back within
/// 3 ms".
QString findingSentence(const FindingSubject &subject, const ReportedFinding &reported);

/// The evidence about one coroutine of the finding, as HTML. `found` is nullptr if it is not known, because the
/// coroutine has changed its state since the judgement. Links to coroutines are "coroutine:17".
QString findingEvidence(const FindingSubject &subject, const ReportedFinding &reported, CoroutineId coroutine,
                        const Circumstances *found);

/// "12:03:04.123", or "+4.2 s".
QString instant(const FindingSubject &subject, std::uint64_t ts);

}  // namespace format
}  // namespace ct
