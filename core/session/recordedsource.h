// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The source of a run that was recorded: a file that is loaded, or followed while it grows, or replayed at the pace of
// its capture; or a recording that arrives on standard input.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/playback/fileloader.h"
#include "core/playback/inputspool.h"
#include "core/session/source.h"
#include "core/session/startrequest.h"

#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ct {

/// End of the reading of a recording: complete, stopped, damaged or failed.
struct ReadingEnd {
    bool inOrder = false;     ///< the writer completed the recording, and all of it was read
    bool isCutShort = false;  ///< stop() ended the loading of a complete file: only a part was read
    bool wasStopped = false;  ///< stop() ended the reading of a growing recording
    bool isDamaged = false;   ///< more is damaged than an incomplete block at the end
    bool isPart = false;      ///< not all of the run was read: stopped, failed, or the file has only a part
    QString error;            ///< why the reading ended early; empty: it did not
    InputSpool::End input = InputSpool::End::None;  ///< standard input only
    QString inputMessage;                           ///< standard input only; see InputSpool::message()
};

class RecordedSource final : public Source {
    Q_OBJECT
public:
    /// For an OpenRequest, an InputRequest or a ReplayRequest.
    explicit RecordedSource(const StartRequest &request);
    ~RecordedSource() override;  ///< cancels the reading, and waits

    void addSink(std::shared_ptr<Sink> sink) override;
    /// The resolver gets the modules and frames of the recording. Call it before start().
    void setResolver(std::shared_ptr<AddressResolver> resolver) { m_resolver = std::move(resolver); }
    /// See FileLoader. Call it before start().
    void setWhenDecided(std::function<void(std::uint64_t)> whenDecided) { m_whenDecided = std::move(whenDecided); }
    Result<void> start() override;
    void stop() override;
    RunState state() const override { return m_state; }
    Accounting accounting() const override;

    /// The file that is read. For standard input: the recording that is written; empty before start().
    const std::string &path() const { return m_path; }
    /// Notices from the start: a directory that was made.
    const QStringList &notices() const { return m_notices; }
    /// The index of the transitions that the sinks have consumed. After start().
    std::shared_ptr<const StreamIndex> streamIndex() const { return m_loader->streamIndex(); }
    /// nullptr unless this is a replay.
    ReplayGate *gate() const { return m_gate.get(); }
    /// True for standard input, and for a file that was still being written when it was opened. Stays true after the
    /// end.
    bool isGrowing() const;
    FileGrowth::Figures growth() const { return m_loader->figures(); }
    double progress() const { return m_loader->progress(); }  ///< 0..1
    /// nullptr if not known (yet).
    std::shared_ptr<const RecordingOverview> overview() const { return m_loader->overview(); }
    /// Start of the run: ns, CLOCK_MONOTONIC; 0 until output or an exit was read.
    std::int64_t startedAt() const { return m_startedAt; }
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC of the run, ns; 0 = unknown.
    std::int64_t wallClock() const { return m_loader->aboutRun().wallClock; }
    RecordingInfo info() const { return m_loader->info(); }
    /// Valid once the state is Ended.
    ReadingEnd readingEnd() const;

Q_SIGNALS:
    void grows();  ///< isGrowing() has become true
    /// The reading has ended: see readingEnd(). Emitted in the state Ended, just before stateChanged().
    void readingEnded();

private:
    Result<void> startInput();
    void emitOutput();
    void emitExit();
    void onFinished();

    const RunKind m_kind;
    std::string m_path;
    QStringList m_notices;
    std::vector<std::shared_ptr<Sink>> m_sinks;
    std::shared_ptr<AddressResolver> m_resolver;
    std::function<void(std::uint64_t)> m_whenDecided;
    std::shared_ptr<ReplayGate> m_gate;
    std::unique_ptr<InputSpool> m_input;   ///< writes standard input to a file
    std::unique_ptr<FileLoader> m_loader;  ///< reads the file; set by start()
    QTimer m_outputTimer;
    RunState m_state = RunState::Idle;
    std::int64_t m_startedAt = 0;
    bool m_wasStopped = false;
    bool m_isDatabase = false;
};

}  // namespace ct
