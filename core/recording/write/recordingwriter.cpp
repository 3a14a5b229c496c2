// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/recordingwriter.h"

#include "core/recording/write/batchsplitter.h"
#include "core/recording/write/numberlimit.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace ct {

using namespace ctr;

namespace {

/// Half of the promised second, because a batch can be up to 250 ms late.
constexpr std::uint64_t kFlushEveryNs = 500'000'000;
/// Limit for one piece of output, in bytes. A block can have twice as much output, or as many bytes of frame texts.
constexpr std::size_t kMostOutputBytes = 1U << 20;
/// Limit for output that waits while the disk accepts no data, in bytes.
constexpr std::size_t kMostWaitingOutput = 64U << 20;
/// Limit for frame locations that wait while the disk accepts no data. Each needs some 300 bytes.
constexpr std::size_t kMostWaitingFrames = 262'144;
/// Limit for the frame locations in one block.
constexpr std::size_t kMostFrameRows = 65'536;
/// Size limit, in bytes of JSON, for the processes that one Info block repeats at the beginning of a segment.
constexpr std::size_t kMostInfoBytes = 1U << 20;
/// Pieces of a batch that does not fit a block. They have few rows, because rows may have long texts.
constexpr PieceLimits kPieces{TransitionEncoder::kMostTransitions, kMostRestRows / 8};

/// Approximate size as JSON, in bytes.
std::size_t sizeOf(const RecordingInfo::Process &process)
{
    constexpr std::size_t kNumbers = 150;
    std::size_t bytes = kNumbers + process.executable.size();
    for (const Module &module : process.modules)
        bytes += kNumbers + module.path.size() + module.buildId.size();
    return bytes;
}

}  // namespace

RecordingWriter::RecordingWriter(std::unique_ptr<Rotation> rotation, bool hasLimit) : m_rotation(std::move(rotation))
{
    if (hasLimit)
        m_present.emplace();
}

Result<std::shared_ptr<RecordingWriter>> RecordingWriter::open(const std::string &path, const RecordingLimits &limits,
                                                               FileAccess access)
{
    Result<std::unique_ptr<Rotation>> rotation = Rotation::open(path, limits, access);
    if (!rotation)
        return rotation.error();
    return std::shared_ptr<RecordingWriter>(new RecordingWriter(std::move(*rotation), limits.any()));
}

RecordingWriter::~RecordingWriter()
{
    if (m_begun && !m_over && !m_stream.isEmpty())
        static_cast<void>(writeStream(std::nullopt));
    close();
}

void RecordingWriter::setStreamIndex(std::shared_ptr<StreamIndex> streamIndex)
{
    m_streamIndex = std::move(streamIndex);
    m_streamIndex->setRecording(m_rotation->blocks().identity().recording);
}

void RecordingWriter::addInfo(const RecordingInfo &info)
{
    const std::lock_guard lock(m_mutex);
    if (!m_over)
        m_infos.push_back(info);
}

void RecordingWriter::addOutput(std::uint64_t ts, std::string bytes)
{
    const std::lock_guard lock(m_mutex);
    if (m_over)
        return;
    m_output.addPiece(ts, std::move(bytes));
}

void RecordingWriter::WaitingOutput::addPiece(std::uint64_t ts, std::string bytes)
{
    // Once output is left out, leave out all of it up to the next block. Then only one part is missing.
    if (leftOut != 0 || waiting + bytes.size() > kMostWaitingOutput) {
        leftOutTs = leftOut == 0 ? ts : leftOutTs;
        leftOut += bytes.size();
        return;
    }
    waiting += bytes.size();
    while (bytes.size() > kMostOutputBytes) {
        pieces.push_back({ts, bytes.substr(0, kMostOutputBytes)});
        bytes.erase(0, kMostOutputBytes);
    }
    pieces.push_back({ts, std::move(bytes)});
}

std::vector<OutputPiece> RecordingWriter::WaitingOutput::takePieces()
{
    if (leftOut != 0)
        pieces.push_back({leftOutTs, "\r\n[" + std::to_string(leftOut) +
                                         " bytes of output were left out here: the disk was too slow]\r\n"});
    return std::exchange(*this, WaitingOutput()).pieces;
}

void RecordingWriter::addFrames(const std::vector<FrameLocation> &frames)
{
    const std::lock_guard lock(m_mutex);
    if (m_over)
        return;
    const std::size_t most = kMostWaitingFrames - std::min(kMostWaitingFrames, m_frames.size());
    m_frames.insert(m_frames.end(), frames.begin(),
                    frames.begin() + static_cast<std::ptrdiff_t>(std::min(most, frames.size())));
}

Result<void> RecordingWriter::writeInfo(const RecordingInfo &info)
{
    m_payload.clear();
    m_payload.bytes(toJson(info));
    return m_rotation->blocks().write(Kind::Info, m_payload, {});
}

/// Repeats the Info of the run at the beginning of a segment. Uses several blocks, because a target may start more
/// processes than fit into one.
Result<void> RecordingWriter::writeRepeatedInfo()
{
    std::vector<RecordingInfo::Process> processes = std::exchange(m_repeatedInfo.processes, {});
    RecordingInfo piece = m_repeatedInfo;
    m_repeatedInfo.processes = std::move(processes);
    std::size_t bytes = 0;
    for (const RecordingInfo::Process &process : m_repeatedInfo.processes) {
        bytes += sizeOf(process);
        if (bytes > kMostInfoBytes && !piece.processes.empty()) {
            if (Result<void> written = writeInfo(piece); !written)
                return written;
            piece = {};
            bytes = sizeOf(process);
        }
        piece.processes.push_back(process);
    }
    return writeInfo(piece);
}

/// Discards Info that later segments need not repeat, because a target may start any number of processes.
void RecordingWriter::removeEndedProcesses()
{
    const std::set<std::uint32_t> gone = m_present->endedProcesses();
    std::erase_if(m_repeatedInfo.processes, [&](const RecordingInfo::Process &process) {
        return gone.contains(process.pid) && process.pid != m_repeatedInfo.target;
    });
    m_present->removeProcesses(gone);
    // One reading comes each minute. The first and the latest are enough for the drift.
    if (m_repeatedInfo.clocks.size() > 2)
        m_repeatedInfo.clocks.erase(m_repeatedInfo.clocks.begin() + 1, m_repeatedInfo.clocks.end() - 1);
}

/// Moves on to the next segment, and writes its preface.
Result<void> RecordingWriter::turn()
{
    if (Result<void> turned = m_rotation->turn(); !turned)
        return turned;
    removeEndedProcesses();
    if (Result<void> written = writeRepeatedInfo(); !written)
        return written;
    Result<void> written = writeKeyframe();
    m_rotation->endPreface();
    return written;
}

/// Writes a keyframe between two Stream blocks. The encoder must be empty.
Result<void> RecordingWriter::writeKeyframe()
{
    const Batch whole = m_present->keyframe();
    std::vector<Batch> pieces;
    if (!fitsOneBlock(whole))
        pieces = piecesOf(whole, kPieces);
    const std::span<const Batch> all = pieces.empty() ? std::span(&whole, 1) : std::span<const Batch>(pieces);
    for (std::size_t i = 0; i < all.size(); ++i) {
        m_stream.beginBlock();
        m_stream.addBatch(all[i]);
        m_payload.clear();
        m_stream.write(std::nullopt, m_payload);
        KeyframeLayout::write(
            {{m_present->born(), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(all.size())}}, m_payload);
        const BlockFacts facts{0, m_stream.firstTs(), m_stream.lastTs()};
        m_stream.beginBlock();
        if (Result<void> written = m_rotation->blocks().write(Kind::Keyframe, m_payload, facts); !written)
            return written;
    }
    return writeLatestFrames();
}

/// Writes the Info, output and frame locations that other threads have added.
Result<void> RecordingWriter::writeAside()
{
    std::vector<RecordingInfo> infos;
    std::vector<OutputPiece> outputs;
    std::vector<FrameLocation> frames;
    {
        const std::lock_guard lock(m_mutex);
        if (!m_begun && m_output.isEmpty())
            return {};
        infos.swap(m_infos);
        outputs = m_output.takePieces();
        frames.swap(m_frames);
    }
    m_begun = true;
    for (const RecordingInfo &info : infos) {
        if (m_present)
            m_repeatedInfo.mergeLater(info);
        if (Result<void> written = writeInfo(info); !written)
            return written;
    }
    if (Result<void> written = writeOutputs(outputs); !written)
        return written;
    if (m_present)
        updateLatestFrames(frames);
    return writeFrames(frames);
}

Result<void> RecordingWriter::writeOutputs(const std::vector<OutputPiece> &outputs)
{
    for (auto begin = outputs.begin(); begin != outputs.end();) {
        std::size_t bytes = 0;
        const auto end = std::find_if(begin, outputs.end(), [&](const OutputPiece &piece) {
            return (bytes += piece.bytes.size()) > 2 * kMostOutputBytes;
        });
        m_payload.clear();
        OutputLayout::write({begin, end}, m_payload);
        if (Result<void> written = m_rotation->blocks().write(Kind::Output, m_payload, {0, begin->ts, (end - 1)->ts});
            !written)
            return written;
        begin = end;
    }
    return {};
}

Result<void> RecordingWriter::writeFrames(const std::vector<FrameLocation> &frames)
{
    for (auto begin = frames.begin(); begin != frames.end();) {
        std::size_t bytes = 0;
        std::size_t rows = 0;
        const auto end = std::find_if(begin, frames.end(), [&](const FrameLocation &location) {
            bytes += location.file.size() + location.function.size();
            return rows++ > 0 && (bytes > 2 * kMostOutputBytes || rows > kMostFrameRows);
        });
        m_payload.clear();
        FrameLayout::write({begin, end}, m_payload);
        if (Result<void> written = m_rotation->blocks().write(Kind::Frames, m_payload, {}); !written)
            return written;
        begin = end;
    }
    return {};
}

/// Keeps frame locations for the next segment, also of coroutines whose births are not written yet: frames are read
/// ahead of the writing.
void RecordingWriter::updateLatestFrames(const std::vector<FrameLocation> &frames)
{
    for (const FrameLocation &location : frames) {
        if (location.coroutine >= m_present->born() || m_present->lives(location.coroutine))
            m_latestFrames[location.coroutine] = location;
    }
}

/// Repeats the frame locations of coroutines that are alive or still to be born. Discards all others.
Result<void> RecordingWriter::writeLatestFrames()
{
    std::vector<FrameLocation> frames;
    std::erase_if(m_latestFrames, [&](const auto &entry) {
        const auto &[id, location] = entry;
        const bool isWanted = id >= m_present->born() || m_present->lives(id);
        if (isWanted)
            frames.push_back(location);
        return !isWanted;
    });
    return writeFrames(frames);
}

Result<void> RecordingWriter::writeStream(const std::optional<Accounting> &sums)
{
    m_payload.clear();
    std::optional<Accounting> blockSums = sums;
    if (blockSums)
        blockSums->eventsNotWritten += m_leftOut;
    m_stream.write(blockSums, m_payload);
    const BlockFacts facts{static_cast<std::uint32_t>(m_stream.transitions()), m_stream.firstTs(), m_stream.lastTs()};
    m_stream.beginBlock();
    if (Result<void> written = m_rotation->blocks().write(Kind::Stream, m_payload, facts); !written)
        return written;
    m_inFile += facts.transitions;
    const std::uint64_t end = m_written + facts.transitions + std::exchange(m_leftOutHere, 0);
    if (m_streamIndex) {
        m_streamIndex->addBlock(m_rotation->blocks().path(), m_rotation->blocks().latestOffset(), m_written);
        m_streamIndex->setEnd(end);
    }
    m_written = end;
    return {};
}

/// Writes the collected batches as a block. Moves on to the next segment if this one is long enough. `now`: time of the
/// stream, in ns.
Result<void> RecordingWriter::flush(std::uint64_t now)
{
    if (Result<void> written = writeStream(m_sums ? std::optional(m_sums()) : std::nullopt); !written)
        return written;
    return m_present && m_rotation->isDue(now) ? turn() : Result<void>();
}

Result<void> RecordingWriter::append(const Batch &batch)
{
    if (!m_stream.hasSpaceFor(batch)) {
        if (Result<void> flushed = flush(batch.now); !flushed)
            return flushed;
    }
    if (fitsNumberRange(batch)) [[likely]] {
        addToBlock(batch);
    } else {
        // A reader would refuse the whole block because of these rows. Count them in the block where they would have
        // been, so later events keep their positions in the stream.
        Batch good = batch;
        const std::size_t leftOut = leaveOutBeyondRange(good);
        m_leftOut += leftOut;
        m_leftOutHere += leftOut;
        addToBlock(good);
    }
    const bool isDue = m_begun && batch.now >= m_stream.firstNow() + kFlushEveryNs;
    return isDue || m_stream.isFull() ? flush(batch.now) : Result<void>();
}

/// Adds a batch for which the encoder has room.
void RecordingWriter::addToBlock(const Batch &batch)
{
    m_stream.addBatch(batch);
    if (!m_present)
        return;
    m_present->consume(batch);
    for (const Death &death : batch.deaths)
        m_latestFrames.erase(death.coroutine);
}

Result<void> RecordingWriter::consume(const Batch &batch)
{
    m_begun = m_begun || !batch.empty();
    Result<void> done = writeAside();
    if (done)
        done = addInPieces(batch);
    if (!done)
        close();
    return done;
}

/// Adds a batch, in pieces if it does not fit one block.
Result<void> RecordingWriter::addInPieces(const Batch &batch)
{
    if (fitsOneBlock(batch))
        return append(batch);
    for (const Batch &piece : piecesOf(batch, kPieces)) {
        if (Result<void> done = append(piece); !done)
            return done;
    }
    return {};
}

/// Releases the file and all data that waits. Other owners may keep this object and continue to add data.
void RecordingWriter::close()
{
    m_rotation.reset();
    m_present.reset();
    m_latestFrames.clear();
    if (m_streamIndex)
        m_streamIndex->close();
    const std::lock_guard lock(m_mutex);
    m_over = true;
    m_infos = {};
    m_output = {};
    m_frames = {};
}

Result<void> RecordingWriter::finish(const Accounting &accounting)
{
    const Result<void> done = isDiscarded() ? Result<void>() : complete(accounting);
    close();
    return done;
}

bool RecordingWriter::isDiscarded()
{
    const std::lock_guard lock(m_mutex);
    return m_discardsEmpty && !m_begun && m_output.isEmpty();
}

Result<void> RecordingWriter::complete(const Accounting &accounting)
{
    m_begun = true;
    if (m_lastFrames)
        addFrames(m_lastFrames());
    if (Result<void> aside = writeAside(); !aside)
        return aside;
    if (Result<void> written = writeStream(accounting); !written)
        return written;
    return m_rotation->blocks().finish();
}

}  // namespace ct
