// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Loads a recording into sinks, on a thread of its own; can be cancelled. A recording that is still being written is
// followed: the sinks get new data as they arrive, until the writer ends the file or disappears.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/playback/replayedoutput.h"
#include "core/playback/replaygate.h"
#include "core/recording/format/recordinginfo.h"
#include "core/recording/read/filegrowth.h"
#include "core/recording/read/recordingoverview.h"
#include "core/recording/read/streamindex.h"
#include "core/recording/write/fileclaim.h"
#include "core/stream/stream.h"

#include <QString>
#include <QThread>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace ct {

class StreamFile;
struct FileFacts;

class FileLoader final : public QThread {
    Q_OBJECT
public:
    /// Sinks are called on the loader's thread only; their readers may read while it loads. Begin with start().
    FileLoader(std::string path, std::vector<std::shared_ptr<Sink>> sinks, QObject *parent = nullptr);
    ~FileLoader() override;  ///< cancels and waits

    /// Gets the modules and frames from the file, on the loader's thread. Call it before start().
    void setResolver(std::shared_ptr<AddressResolver> resolver) { m_resolver = std::move(resolver); }

    /// Makes this a replay: each batch waits until it is due. Call it before start().
    void setGate(std::shared_ptr<ReplayGate> gate) { m_gate = std::move(gate); }
    /// Called on the loader's thread with the instant at which the end of the run was decided (ns, CLOCK_MONOTONIC), in
    /// front of the batches that are later. Call it before start().
    void setWhenDecided(std::function<void(std::uint64_t)> whenDecided) { m_whenDecided = std::move(whenDecided); }
    ReplayGate *gate() const { return m_gate.get(); }  ///< nullptr: no replay

    void cancel();  ///< any thread
    /// Any thread. Waits for no more data, but still reads what the file has by now.
    void stopFollowing();
    double progress() const;  ///< 0..1, any thread
    Accounting accounting() const;
    /// Index of the transitions that the sinks have consumed: where they are in the file.
    std::shared_ptr<const StreamIndex> streamIndex() const { return m_streamIndex; }
    /// After finished(): empty, or why loading ended early. What was read before stays valid.
    QString errorMessage() const;
    bool wasCutShort() const;  ///< after finished(): cancelled before all was read
    bool isFollowing() const;  ///< any thread: the recording was being written when it was opened
    FileGrowth::Figures figures() const { return m_growth.figures(); }  ///< any thread
    bool endedInOrder() const;  ///< after finished(): the writer ended the file in order
    bool isDamaged() const;     ///< after finished(): a part inside the file was left out
    /// Overview of the recording, before and while it is loaded. nullptr: not known yet, or not available, because the
    /// format has none or the file is followed. Any thread.
    std::shared_ptr<const RecordingOverview> overview() const;

    /// Returns the target's terminal output that has become due since the last call. Only a replay delays it. Any
    /// thread.
    ReplayedOutput::DueOutput takeOutput() { return m_output.takeDueOutput(); }
    /// Facts about the run, as far as the file was read.
    struct RunFacts {
        std::uint64_t begun = 0;     ///< first clock reading: ns, CLOCK_MONOTONIC; 0 = unknown
        std::uint64_t ended = 0;     ///< latest clock reading: ns, CLOCK_MONOTONIC; 0 = unknown
        std::int64_t wallClock = 0;  ///< CLOCK_REALTIME minus CLOCK_MONOTONIC of the first one, ns; 0 = unknown
        std::optional<RecordingInfo::Exit> exit;
    };
    /// Any thread.
    RunFacts aboutRun() const;
    /// All facts that the file has, as far as it was read. Any thread.
    RecordingInfo info() const;

Q_SIGNALS:
    void followed();                        ///< on the loader's thread: isFollowing() has become true
    void overviewKnown();                   ///< on the loader's thread; before the first batch
    void progressChanged(double progress);  ///< on the loader's thread, at most some 30 times a second

protected:
    void run() override;

private:
    void readOverview();
    Result<void> load();
    void claim();
    void publish(const Accounting &accounting);
    Result<void> consume(const Batch &batch);
    Result<void> deliver(const Batch &batch, const StreamFile &reader);
    void releaseOutput(std::uint64_t until, const ReplayGate::Consume &passTime);
    std::optional<FileFacts> takeFacts(StreamFile &reader) const;
    void applyFacts(const FileFacts &facts);

    const std::string m_path;
    const std::vector<std::shared_ptr<Sink>> m_sinks;
    const std::shared_ptr<StreamIndex> m_streamIndex = std::make_shared<StreamIndex>();
    std::shared_ptr<AddressResolver> m_resolver;
    std::function<void(std::uint64_t)> m_whenDecided;  ///< may be empty
    ctr::ReadClaim m_claim;  ///< keeps the files from being removed while they may be read again
    std::shared_ptr<ReplayGate> m_gate;
    ReplayedOutput m_output;
    std::uint64_t m_delivered = 0;          ///< transitions that the sinks have consumed; the loader's thread
    std::uint64_t m_now = 0;                ///< stream time of a replay, ns; the loader's thread
    std::atomic<bool> m_cancelled = false;  // relaxed: only a hint to stop soon
    std::atomic<double> m_progress = 0;     // relaxed: for display
    std::atomic<bool> m_following = false;  // relaxed: for display
    FileGrowth m_growth;
    /// Guards the members below.
    mutable std::mutex m_mutex;
    Accounting m_accounting;
    QString m_errorMessage;
    bool m_endedInOrder = false;
    bool m_isDamaged = false;
    bool m_cutShort = false;
    std::shared_ptr<const RecordingOverview> m_overview;
    RunFacts m_run;
    RecordingInfo m_info;
};

}  // namespace ct
