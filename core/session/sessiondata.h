// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The members of a Session. Only session*.cpp include this.
#pragma once

#include "core/session/capturedregion.h"
#include "core/session/nothingtraced.h"
#include "core/session/observereffect.h"
#include "core/session/session.h"
#include "core/session/shortagenotices.h"
#include "core/target/evidencesampler.h"
#include "core/target/targetwatch.h"
#include "core/target/untraced.h"

#include <QStringList>
#include <QTimer>

#include <memory>
#include <string>
#include <vector>

namespace ct {

inline constexpr int kProgressMs = 100;  ///< interval of Session::checkProgress() while something happens

struct Session::Data {
    RunKind kind = RunKind::None;
    StartRequest request;  ///< for start()
    RunState state = RunState::Idle;
    EndReason endReason = EndReason::None;
    UntracedWatch untraced;
    std::vector<std::shared_ptr<Sink>> sinks{untraced.sink()};
    CapturedRegion region;                   // destroyed after the harvest thread, which reads it
    std::unique_ptr<HarvestThread> harvest;  // reset after the end
    std::shared_ptr<AddedNotes> samples = std::make_shared<AddedNotes>();
    EvidenceSampler evidence{samples};
    TargetProcess *process = nullptr;
    const std::shared_ptr<LatestSums> sums = std::make_shared<LatestSums>();
    std::string socketPath;
    QStringList notices;
    ShortageNotices shortageNotices;
    TargetWatch *targets = nullptr;
    bool untilIdle = false;
    bool anyCame = false;  ///< a target was seen, if only for a moment
    bool paused = false;   ///< as the user requested; the harvest follows
    bool limited = false;  ///< tracing is off to limit the observer effect
    ObserverEffect *effect = nullptr;
    bool postMortem = false;
    bool hadUnknownUser = false;  ///< an unknown process may have used the region when we attached
    bool reportedMayBeInUse = false;
    bool reportedLimit = false;
    bool leftOver = false;
    bool terminating = false;
    NothingTraced *nothingTraced = nullptr;
    QTimer *progressTimer = nullptr;
    int idleChecks = 0;          ///< in a row, of checkProgress()
    std::uint64_t activity = 0;  ///< a sum that grows while anything happens, at the latest checkProgress()
};

}  // namespace ct
