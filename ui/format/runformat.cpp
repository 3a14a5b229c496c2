// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/runformat.h"

#include "core/playback/replaygate.h"
#include "core/recording/read/recordingoverview.h"
#include "core/session/run.h"
#include "core/session/runjudge.h"
#include "ui/format/followformat.h"
#include "ui/format/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace ct::format {

namespace {

struct RunText {
    Q_DECLARE_TR_FUNCTIONS(RunText)
};

/// "Replay, 2 ×".
QString replayState(const Run &run)
{
    if (run.state() == RunState::Ended)
        return RunText::tr("Replay, at its end");
    if (!run.gate()->isPlaying())
        return RunText::tr("Replay, paused");
    return RunText::tr("Replay, %1 ×").arg(run.gate()->speed());
}

QString recordingState(const Run &run)
{
    const bool ended = run.state() == RunState::Ended;
    if (run.isReplay())
        return replayState(run);
    if (run.isCutShort() || (ended && run.isPart() && !run.isGrowing()))
        return RunText::tr("Part of a recording");
    if (!run.isGrowing())
        return ended ? RunText::tr("Recording") : RunText::tr("Loading");
    if (ended)
        return run.readingEnd().inOrder ? RunText::tr("Recording") : RunText::tr("Recording, not completed");
    return run.kind() == RunKind::Input ? RunText::tr("Receiving") : RunText::tr("Following");
}

}  // namespace

QString runState(const Run &run, const QString &exit)
{
    const bool ended = run.state() == RunState::Ended;
    if (!run.readsRecording())
        return ended && !exit.isEmpty() ? RunText::tr("Target %1").arg(exit) : runStateName(run.state());
    const QString state = recordingState(run);
    return ended && !exit.isEmpty() ? RunText::tr("%1; target %2").arg(state, exit) : state;
}

QString judgedInstant(const Run &run, bool isPaused)
{
    const bool ended = run.state() == RunState::Ended;
    const std::shared_ptr<const Judgement> judgement = run.judge() ? run.judge()->latest() : nullptr;
    if (judgement && judgement->isDecided) {
        const std::uint64_t now = run.population()->now();
        const QString later = duration(now - std::min(now, judgement->judgedAt));
        return ended ? RunText::tr("when the end of the run was decided, %1 before its end").arg(later)
                     : RunText::tr("when the end of the run was decided");
    }
    if (isPaused)
        return RunText::tr("when the view was paused");
    if (run.isReplay())
        return ended ? RunText::tr("at the end of the replay") : RunText::tr("at the moment that the replay shows");
    if (!run.readsRecording())
        return !ended         ? RunText::tr("at present")
               : run.isPast() ? RunText::tr("at the region's last event")
                              : RunText::tr("at the end of the run");
    if (run.isPart())
        return RunText::tr("at the last event that was read");
    return run.knowsDeaths() ? RunText::tr("at the end of the recording")
                             : RunText::tr("at the recording's last event");
}

ReadingText readingEnd(const Run &run)
{
    const ReadingEnd end = run.readingEnd();
    const QString path = QString::fromStdString(run.recordingPath());
    if (end.isCutShort) {
        const std::shared_ptr<const RecordingOverview> whole = run.overview();
        return {cutShort(path, run.accounting().captured, whole ? whole->transitions : 0), false};
    }
    if (run.isGrowing())
        return {followEnd({path, end.inOrder, end.wasStopped, end.error, end.isDamaged, run.kind() == RunKind::Input,
                           end.input, end.inputMessage}),
                end.input == InputSpool::End::NoRecording};
    // The error of a replay was shown when the file was opened.
    return {end.error, !end.error.isEmpty() && !run.isReplay()};
}

}  // namespace ct::format
