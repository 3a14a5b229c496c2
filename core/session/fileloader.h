// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Loads a recording into sinks, on a thread of its own, cancellable. One that is still being written is followed: the
// sinks get what comes as it comes, until its writer ends it, or is gone.
#pragma once

#include "core/recording/fileclaim.h"
#include "core/recording/filegrowth.h"
#include "core/recording/recordinginfo.h"
#include "core/recording/recordingoverview.h"
#include "core/recording/streamplaces.h"
#include "core/session/places.h"
#include "core/session/recordedoutput.h"
#include "core/session/replaygate.h"
#include "core/trace/stream.h"

#include <QString>
#include <QThread>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace ct {

class FileSource;
struct FileFacts;

class FileLoader final : public QThread {
    Q_OBJECT
public:
    /// Sinks are called on the loader's thread only; readers of theirs may look on meanwhile. Call start().
    FileLoader(std::string path, std::vector<std::shared_ptr<Sink>> sinks, QObject *parent = nullptr);
    ~FileLoader() override;  ///< cancels and waits

    /// Gets what the file says of modules and frames, on the loader's thread. Call it before start().
    void setAddresses(std::shared_ptr<Places> places) { m_addresses = std::move(places); }

    /// A replay: what is read waits for its time. Call it before start().
    void setGate(std::shared_ptr<ReplayGate> gate) { m_gate = std::move(gate); }
    ReplayGate *gate() const { return m_gate.get(); }  ///< nullptr: no replay

    void cancel();  ///< any thread
    /// Any thread: no more is waited for; what is there by now is still read.
    void stopFollowing();
    double progress() const;  ///< 0..1, any thread
    Accounting accounting() const;
    /// Where the transitions that the sinks got are in the file.
    std::shared_ptr<const StreamPlaces> places() const { return m_places; }
    /// After finished(): empty, or why it ended early. What was read before stays valid.
    QString errorMessage() const;
    bool wasCutShort() const;  ///< after finished(): cancelled before all was read
    bool isFollowing() const;  ///< any thread: somebody wrote the file when it was opened
    FileGrowth::Figures figures() const { return m_growth.figures(); }  ///< any thread
    bool endedInOrder() const;                                          ///< after finished()
    bool isDamaged() const;  ///< after finished(): something within was left out
    /// What the recording is about, before and while it is loaded. nullptr: not known yet, or not at all: the file's
    /// format does not tell, or it is followed. Any thread.
    std::shared_ptr<const RecordingOverview> overview() const;

    /// What the target wrote to its terminal, that has become due since the last call; in a replay, in its time. Any
    /// thread.
    RecordedOutput::Taken takeOutput() { return m_output.take(); }
    /// What the file says of the run; its end, as soon as it is read. Any thread.
    struct Run {
        std::uint64_t begun = 0;  ///< ns, CLOCK_MONOTONIC; 0 = unknown
        std::uint64_t ended = 0;  ///< the same: when that was last said
        std::optional<RecordingInfo::Exit> exit;
        std::optional<RecordingInfo::Judged> judged;
    };
    Run aboutRun() const;

Q_SIGNALS:
    void followed();                        ///< on the loader's thread: isFollowing() has become true
    void overviewKnown();                   ///< on the loader's thread; before the first batch
    void progressChanged(double progress);  ///< on the loader's thread, at most some 30 times a second

protected:
    void run() override;

private:
    void look();
    Result<void> load();
    void claim();
    void publish(const Accounting &accounting);
    Result<void> consume(const Batch &batch);
    Result<void> give(const Batch &batch, const FileSource &reader);
    void giveOutput(std::uint64_t until, const ReplayGate::Consume &tellTime);
    void takeFacts(FileSource &reader);

    const std::string m_path;
    const std::vector<std::shared_ptr<Sink>> m_sinks;
    const std::shared_ptr<StreamPlaces> m_places = std::make_shared<StreamPlaces>();
    std::shared_ptr<Places> m_addresses;
    ctr::ReadClaim m_claim;  ///< as long as it may be looked into again
    std::shared_ptr<ReplayGate> m_gate;
    RecordedOutput m_output;
    std::uint64_t m_given = 0;              ///< transitions, to the sinks; the loader's thread
    std::uint64_t m_now = 0;                ///< of a replay, the stream's time, ns; the loader's thread
    std::atomic<bool> m_cancelled = false;  // relaxed: only a hint to stop soon
    std::atomic<double> m_progress = 0;     // relaxed: for people
    std::atomic<bool> m_following = false;  // relaxed: for people
    FileGrowth m_growth;
    mutable std::mutex m_mutex;
    Accounting m_accounting;
    QString m_errorMessage;
    bool m_endedInOrder = false;
    bool m_isDamaged = false;
    bool m_cutShort = false;
    std::shared_ptr<const RecordingOverview> m_overview;
    Run m_run;
};

}  // namespace ct
