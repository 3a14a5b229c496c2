// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/recordedsource.h"

#include "core/base/startthread.h"
#include "core/databases/openstream.h"
#include "core/playback/replaygate.h"
#include "core/recording/read/recordingoverview.h"
#include "core/session/recordingsdirectory.h"

#include <QFileInfo>

#include <ctime>
#include <unistd.h>
#include <utility>

namespace ct {

namespace {

constexpr int kOutputIntervalMs = 33;

/// Returns an unused path for the recording of standard input, among the recordings of other runs.
Result<std::string> inputPath(QStringList &notices)
{
    const QString directory = recordingsDirectory();
    const Result<std::string> made = makeRecordingsDirectory(directory);
    if (!made)
        return made.error();
    notices << QString::fromStdString(*made);
    const std::string first = directory.toStdString() + '/' + recordingFileName(std::time(nullptr), "stdin");
    std::string path = first;
    for (int i = 2; QFileInfo::exists(QString::fromStdString(path)); ++i)
        path = first.substr(0, first.size() - 4) + '-' + std::to_string(i) + ".ctr";
    return path;
}

std::shared_ptr<ReplayGate> gateFor(const ReplayRequest &request)
{
    auto gate = std::make_shared<ReplayGate>();
    gate->setSpeed(request.speed);
    if (!request.playing)
        gate->pause();
    gate->runTo(request.through);
    return gate;
}

}  // namespace

RecordedSource::RecordedSource(const StartRequest &request) : m_kind(request.kind()), m_path(request.inputPath())
{
    if (const ReplayRequest *replay = request.replay())
        m_gate = gateFor(*replay);
    m_outputTimer.setInterval(kOutputIntervalMs);
    connect(&m_outputTimer, &QTimer::timeout, this, &RecordedSource::emitOutput);
}

RecordedSource::~RecordedSource()
{
    if (m_loader)
        m_loader->disconnect(this);
}

void RecordedSource::addSink(std::shared_ptr<Sink> sink)
{
    m_sinks.push_back(std::move(sink));
}

Result<void> RecordedSource::start()
{
    if (m_kind == RunKind::Input) {
        if (Result<void> started = startInput(); !started)
            return started;
    }
    m_isDatabase = isDatabase(m_path);
    m_loader = std::make_unique<FileLoader>(m_path, m_sinks);
    m_loader->setResolver(m_resolver);
    m_loader->setGate(m_gate);
    m_loader->setWhenDecided(m_whenDecided);
    connect(m_loader.get(), &FileLoader::finished, this, &RecordedSource::onFinished);
    connect(m_loader.get(), &FileLoader::followed, this, &RecordedSource::grows);
    if (Result<void> started = startQThread(*m_loader, "to read " + m_path); !started)
        return started;
    m_state = RunState::Capturing;
    m_outputTimer.start();
    return {};
}

Result<void> RecordedSource::startInput()
{
    // Get the descriptor first: if recording fails, closing it gives the writer a broken pipe.
    const Result<int> input = InputSpool::detachStandardInput();
    if (!input)
        return input.error();
    Result<std::string> path = inputPath(m_notices);
    if (!path) {
        ::close(*input);
        return path.error();
    }
    Result<std::unique_ptr<InputSpool>> spool = InputSpool::start(*input, *path);
    if (!spool)
        return spool.error();
    m_input = std::move(*spool);
    m_path = std::move(*path);
    return {};
}

void RecordedSource::stop()
{
    if (!m_loader || m_state == RunState::Ended)
        return;
    if (!isGrowing() || std::exchange(m_wasStopped, true))
        m_loader->cancel();  // also: does not wait for the rest of a growing recording
    else if (m_input)
        m_input->stop();
    else
        m_loader->stopFollowing();
}

Accounting RecordedSource::accounting() const
{
    return m_loader ? m_loader->accounting() : Accounting();
}

bool RecordedSource::isGrowing() const
{
    return m_input || (m_loader && m_loader->isFollowing());
}

/// Emits the recorded output that has become due, as if it were live.
void RecordedSource::emitOutput()
{
    const ReplayedOutput::DueOutput taken = m_loader->takeOutput();
    if (taken.linesLeftOut > 0)
        Q_EMIT outputLeftOut(taken.linesLeftOut);
    if (taken.pieces.empty())
        return;
    const std::uint64_t begun = m_loader->aboutRun().begun;
    if (m_startedAt == 0)
        m_startedAt = static_cast<std::int64_t>(begun != 0 ? begun : taken.pieces.front().ts);
    for (const ctr::OutputPiece &piece : taken.pieces)
        Q_EMIT outputReady(QByteArray::fromStdString(piece.bytes), static_cast<qint64>(piece.ts));
}

void RecordedSource::emitExit()
{
    const FileLoader::RunFacts run = m_loader->aboutRun();
    if (!run.exit || (!run.exit->status && !run.exit->signal))
        return;
    if (m_startedAt == 0)
        m_startedAt = static_cast<std::int64_t>(run.begun);
    const ExitStatus status{static_cast<int>(run.exit->status.value_or(0)),
                            static_cast<int>(run.exit->signal.value_or(0))};
    Q_EMIT targetExited(status, static_cast<qint64>(run.ended));
}

void RecordedSource::onFinished()
{
    m_outputTimer.stop();
    emitOutput();
    m_state = RunState::Ended;
    // A database has the exit of the target from the beginning.
    const ReadingEnd end = readingEnd();
    const bool hasReachedExit = end.inOrder || (end.error.isEmpty() && !end.wasStopped && !m_isDatabase);
    if (!end.isCutShort && hasReachedExit)
        emitExit();
    Q_EMIT readingEnded();
    Q_EMIT stateChanged(m_state);
}

ReadingEnd RecordedSource::readingEnd() const
{
    ReadingEnd end;
    end.inOrder = m_loader->endedInOrder();
    end.isCutShort = m_loader->wasCutShort();
    end.wasStopped = m_wasStopped;
    end.isDamaged = m_loader->isDamaged();
    end.error = m_loader->errorMessage();
    if (m_input) {
        end.input = m_input->endOfInput();
        end.inputMessage = QString::fromStdString(m_input->message());
    }
    end.isPart = end.isCutShort || !end.error.isEmpty() || end.input == InputSpool::End::Failed || !end.inOrder ||
                 m_loader->info().part;
    return end;
}

}  // namespace ct
