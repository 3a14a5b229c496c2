// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of Capture for files: loading, following, and replaying them.
#include "core/playback/fileloader.h"
#include "core/playback/inputspool.h"
#include "core/playback/replaygate.h"
#include "core/recording/read/recordingoverview.h"
#include "core/recording/read/segments.h"
#include "core/session/runrecording.h"
#include "core/session/session.h"
#include "ui/capture.h"
#include "ui/format/followformat.h"

namespace ct {

void Capture::watch(FileLoader &loader)
{
    connect(&loader, &FileLoader::finished, this, [this, &loader] {
        if (m_loader.get() == &loader)  // else another capture has replaced it
            onLoaded(loader);
    });
    connect(&loader, &FileLoader::followed, this, [this, &loader] {
        if (m_loader.get() == &loader)
            Q_EMIT followed();
    });
}

/// Emits the recorded output as if it were live.
void Capture::takeOutput(FileLoader &loader)
{
    const RecordedOutput::Taken taken = loader.takeOutput();
    if (taken.linesLeftOut > 0)
        Q_EMIT outputLeftOut(taken.linesLeftOut);
    if (taken.pieces.empty())
        return;
    const std::uint64_t begun = loader.aboutRun().begun;
    if (m_startedAt == 0)
        m_startedAt = static_cast<std::int64_t>(begun != 0 ? begun : taken.pieces.front().ts);
    for (const ctr::OutputPiece &piece : taken.pieces)
        Q_EMIT outputReady(QByteArray::fromStdString(piece.bytes), static_cast<qint64>(piece.ts));
}

void Capture::reportExit(const FileLoader &loader)
{
    const FileLoader::Run run = loader.aboutRun();
    if (!run.exit || (!run.exit->status && !run.exit->signal))
        return;
    if (m_startedAt == 0)
        m_startedAt = static_cast<std::int64_t>(run.begun);
    const ExitStatus status{static_cast<int>(run.exit->status.value_or(0)),
                            static_cast<int>(run.exit->signal.value_or(0))};
    Q_EMIT targetExited(status, static_cast<qint64>(run.ended));
}

void Capture::onLoaded(FileLoader &loader)
{
    takeOutput(loader);
    if (!loader.wasCutShort())
        reportExit(loader);
    const InputSpool::End input = m_input ? m_input->end() : InputSpool::End::None;
    if (loader.wasCutShort()) {
        const std::shared_ptr<const RecordingOverview> whole = loader.overview();
        Q_EMIT noticeAdded(format::cutShort(QString::fromStdString(m_openedPath), loader.accounting().captured,
                                            whole ? whole->transitions : 0));
    } else if (isFollowed()) {
        const QString inputMessage = m_input ? QString::fromStdString(m_input->message()) : QString();
        const QString text =
            format::followEnd({QString::fromStdString(m_openedPath), loader.endedInOrder(), m_stopAsked,
                               loader.errorMessage(), loader.isDamaged(), isInput(), input, inputMessage});
        if (input == InputSpool::End::NoRecording)
            Q_EMIT failed(text);
        else
            Q_EMIT noticeAdded(text);
    } else if (!loader.errorMessage().isEmpty() && loader.gate()) {
        Q_EMIT noticeAdded(loader.errorMessage());  // the same error was shown when the file was opened
    } else if (!loader.errorMessage().isEmpty()) {
        Q_EMIT failed(loader.errorMessage());
    }
    m_loaded = true;
    Q_EMIT stateChanged(state());
}

bool Capture::isFollowed() const
{
    return m_input || (m_loader && m_loader->isFollowing());
}

FileGrowth::Figures Capture::followFigures() const
{
    return m_loader ? m_loader->figures() : FileGrowth::Figures();
}

ReplayGate *Capture::gate() const
{
    return m_loader ? m_loader->gate() : nullptr;
}

bool Capture::canReplay() const
{
    return !gate() && state() == SessionState::Ended && !isCutShort() && m_population->size() > 0 &&
           !replayPath().empty();
}

std::string Capture::replayPath() const
{
    if (m_loader)
        return m_openedPath;
    if (!m_recording || m_recording->hasFailed())
        return {};
    const std::vector<std::string> files = ctr::segmentsOf(m_recording->path());
    return files.empty() ? std::string() : files.front();
}

std::optional<RecordingInfo::Judged> Capture::judged() const
{
    return m_loader ? m_loader->aboutRun().judged : m_judged;
}

bool Capture::isCutShort() const
{
    return m_loader && m_loader->isFinished() && m_loader->wasCutShort();
}

bool Capture::endedInOrder() const
{
    return m_loader && m_loader->endedInOrder();
}

double Capture::fileProgress() const
{
    return m_loader ? m_loader->progress() : 1;
}

std::shared_ptr<const RecordingOverview> Capture::fileOverview() const
{
    return m_loader ? m_loader->overview() : nullptr;
}

}  // namespace ct
