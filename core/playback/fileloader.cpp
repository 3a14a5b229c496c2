// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/playback/fileloader.h"

#include "core/databases/openstream.h"
#include "core/recording/read/readahead.h"
#include "core/recording/read/recordingreader.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/fileclaim.h"

#include <QElapsedTimer>

#include <algorithm>

namespace ct {

namespace {

constexpr qint64 kProgressMs = 33;

Error withoutEvents(const std::string &path)
{
    if (ctr::claimsOn(path).written)
        return {ErrorCode::BadFormat, path + " has no event yet: it is still being written; open it again later"};
    return {ErrorCode::BadFormat,
            path + " is empty: no event was recorded; choose another file, or record the target again"};
}

}  // namespace

FileLoader::FileLoader(std::string path, std::vector<std::shared_ptr<Sink>> sinks, QObject *parent)
    : QThread(parent), m_path(std::move(path)), m_sinks(std::move(sinks))
{
    setObjectName(QStringLiteral("loader"));
}

FileLoader::~FileLoader()
{
    cancel();
    wait();
}

void FileLoader::cancel()
{
    m_cancelled.store(true, std::memory_order_relaxed);
    m_growth.cancel();
    if (m_gate)
        m_gate->cancel();
}

void FileLoader::stopFollowing()
{
    m_growth.cancel();
}

bool FileLoader::isFollowing() const
{
    return m_following.load(std::memory_order_relaxed);
}

bool FileLoader::isDamaged() const
{
    const std::lock_guard lock(m_mutex);
    return m_isDamaged;
}

bool FileLoader::endedInOrder() const
{
    const std::lock_guard lock(m_mutex);
    return m_endedInOrder;
}

double FileLoader::progress() const
{
    return m_progress.load(std::memory_order_relaxed);
}

Accounting FileLoader::accounting() const
{
    const std::lock_guard lock(m_mutex);
    return m_accounting;
}

QString FileLoader::errorMessage() const
{
    const std::lock_guard lock(m_mutex);
    return m_errorMessage;
}

bool FileLoader::wasCutShort() const
{
    const std::lock_guard lock(m_mutex);
    return m_cutShort;
}

void FileLoader::run()
{
    if (const Result<void> loaded = load(); !loaded) {
        const std::lock_guard lock(m_mutex);
        m_errorMessage = QString::fromStdString(loaded.error().message);
    }
    m_streamIndex->close();
}

void FileLoader::publish(const Accounting &accounting)
{
    const std::lock_guard lock(m_mutex);
    m_accounting = accounting;
}

/// Claims all files of the recording that exist now.
void FileLoader::claim()
{
    if (!RecordingReader::isRecording(m_path))
        return;
    const std::optional<ctr::SegmentName> segment = ctr::segmentNameOf(m_path);
    m_claim = ctr::ReadClaim(segment ? ctr::segmentsOf(segment->path) : std::vector<std::string>{m_path});
}

std::shared_ptr<const RecordingOverview> FileLoader::overview() const
{
    const std::lock_guard lock(m_mutex);
    return m_overview;
}

/// Reads the overview, which takes some milliseconds. Errors are reported when the recording itself is read.
void FileLoader::readOverview()
{
    if (!RecordingReader::isRecording(m_path))
        return;
    Result<RecordingOverview> overview = overviewOf(m_path);
    if (!overview)
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_overview = std::make_shared<const RecordingOverview>(std::move(*overview));
    }
    Q_EMIT overviewKnown();
}

Result<void> FileLoader::consume(const Batch &batch)
{
    Result<void> outcome;
    for (const std::shared_ptr<Sink> &sink : m_sinks) {
        if (const Result<void> consumed = sink->consume(batch); !consumed && outcome)
            outcome = consumed;
    }
    return outcome;
}

/// Passes a batch to the sinks: at once, or in a replay when it is due. A replay publishes only what the sinks have
/// got.
Result<void> FileLoader::deliver(const Batch &batch, const StreamFile &reader)
{
    if (!m_gate)
        return consume(batch);
    Result<void> outcome;
    const auto publishDelivered = [&] {
        Accounting sums = reader.accounting();
        sums.captured = m_delivered;
        publish(sums);
    };
    const auto consumePiece = [&](const Batch &piece) {
        if (const Result<void> consumed = consume(piece); !consumed && outcome)
            outcome = consumed;
        m_delivered += piece.transitions.size();
        if (!piece.empty())
            publishDelivered();
    };
    releaseOutput(batch.now, consumePiece);
    if (m_gate->pass(batch, consumePiece))
        m_output.release(batch.now);
    m_now = std::max(m_now, batch.now);
    publishDelivered();
    return outcome;
}

/// In a replay, releases each piece of output at its time. Output from before the first event is released at once.
void FileLoader::releaseOutput(std::uint64_t until, const ReplayGate::Consume &passTime)
{
    Batch time;
    for (auto due = m_output.pendingSince(); due && *due <= until; due = m_output.pendingSince()) {
        time.now = *due;
        if (m_delivered > 0 && *due > m_now && !m_gate->pass(time, passTime))
            return;
        m_now = std::max(m_now, *due);
        m_output.release(*due);
    }
}

/// Takes the facts that were read with the latest batch. The decision to end the run lies in front of that batch, so it
/// is passed on before the sinks get the batch.
std::optional<FileFacts> FileLoader::takeFacts(StreamFile &reader) const
{
    std::optional<FileFacts> facts(std::in_place);
    if (!reader.takeFacts(*facts))
        return std::nullopt;
    if (m_whenDecided && facts->info.decided != 0)
        m_whenDecided(facts->info.decided);
    return facts;
}

void FileLoader::applyFacts(const FileFacts &facts)
{
    if (m_resolver) {
        m_resolver->addInfo(facts.info);
        m_resolver->addFrames(facts.frames);
    }
    const std::lock_guard lock(m_mutex);
    m_info = facts.info;
    m_run.exit = facts.info.exit;
    if (!facts.info.clocks.empty()) {
        m_run.begun = facts.info.clocks.front().monotonic;
        m_run.ended = facts.info.clocks.back().monotonic;
        m_run.wallClock = static_cast<std::int64_t>(facts.info.clocks.front().realtime - m_run.begun);
    }
}

FileLoader::RunFacts FileLoader::aboutRun() const
{
    const std::lock_guard lock(m_mutex);
    return m_run;
}

RecordingInfo FileLoader::info() const
{
    const std::lock_guard lock(m_mutex);
    return m_info;
}

Result<void> FileLoader::load()
{
    claim();
    if (!m_gate && RecordingReader::isRecording(m_path) && RecordingReader::isWritten(m_path)) {
        m_following.store(true, std::memory_order_relaxed);
        Q_EMIT followed();
    } else {
        readOverview();
    }
    Result<std::unique_ptr<StreamFile>> opened = openStream(
        m_path, m_streamIndex, m_gate ? nullptr : &m_growth, [this](const auto &piece) { m_output.addPiece(piece); },
        {false, [this] { return m_cancelled.load(std::memory_order_relaxed); }});
    if (!opened)
        return opened.error();
    const bool isText = !RecordingReader::isRecording(m_path) && !isDatabase(m_path);
    // Includes the start of the run, which must be known before its output.
    if (const std::optional<FileFacts> facts = takeFacts(**opened))
        applyFacts(*facts);
    if (!m_gate)
        m_output.release(ReplayedOutput::kAll);
    ReadAhead reader(std::move(*opened));
    QElapsedTimer sinceProgress;
    sinceProgress.start();
    Result<void> outcome;
    Batch batch;
    bool more = true;
    while (more && outcome && !m_cancelled.load(std::memory_order_relaxed)) {
        batch.clear();
        const Result<bool> next = reader.next(batch);
        const bool wasCancelled = !next && next.error().code == ErrorCode::Cancelled;
        more = wasCancelled || (next && *next);
        if (!next && !wasCancelled)
            outcome = next.error();
        const std::optional<FileFacts> facts = takeFacts(reader);
        if (const Result<void> delivered = deliver(batch, reader); !delivered && outcome)
            outcome = delivered;
        if (facts)
            applyFacts(*facts);
        m_progress.store(reader.progress(), std::memory_order_relaxed);
        if (!m_gate)
            publish(reader.accounting());
        if (sinceProgress.elapsed() >= kProgressMs || !more) {
            sinceProgress.restart();
            Q_EMIT progressChanged(progress());
        }
    }
    m_output.release(ReplayedOutput::kAll);
    if (m_following.load(std::memory_order_relaxed))
        claim();        // segments were added since
    m_growth.cancel();  // if a sink failed, the reader may still wait for more data
    {
        const std::lock_guard lock(m_mutex);
        m_endedInOrder = reader.hasEnded();
        m_isDamaged = reader.isDamaged();
        m_cutShort = more && outcome;
    }
    for (const std::shared_ptr<Sink> &sink : m_sinks) {
        if (const Result<void> finished = sink->finish(accounting()); !finished && outcome)
            outcome = finished;
    }
    if (outcome && !more && reader.accounting().captured == 0 && isText)
        return withoutEvents(m_path);
    return outcome;
}

}  // namespace ct
