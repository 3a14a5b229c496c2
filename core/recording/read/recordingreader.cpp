// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/read/recordingreader.h"

#include "core/base/fileending.h"
#include "core/recording/format/batchcodec.h"
#include "core/recording/read/filegrowth.h"
#include "core/recording/read/keyframereader.h"
#include "core/recording/read/regularfile.h"
#include "core/recording/read/renumbering.h"
#include "core/recording/read/segments.h"
#include "core/recording/read/streamguard.h"

#include <array>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace ct {

using namespace ctr;

namespace {

bool isClaimed(const std::string &path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const bool written = fd >= 0 && FileGrowth::isWritten(fd);
    if (fd >= 0)
        ::close(fd);
    return written;
}

}  // namespace

struct RecordingReader::Data {
    Data(std::vector<std::string> files, std::unique_ptr<BlockReader> reader)
        : paths(std::move(files)), blocks(std::move(reader)), needsKeyframe(blocks->head().segment > 0)
    {
    }

    Result<bool> nextStream();
    Result<bool> nextFile();
    Result<bool> openNext(const std::string &path);
    Result<bool> followToNext();
    bool handleBlock();
    void indexBlock();
    bool readKeyframe();
    bool readFrames();
    bool emitBatch(Batch &batch);
    void refuse();
    void updateDamages();
    std::string damageText() const;
    Result<bool> atEnd();
    Error failure(Error why);

    std::vector<std::string> paths;  ///< all known segments
    std::size_t at = 0;              ///< index in `paths` of the segment that is being read
    FileGrowth *growth = nullptr;    ///< passed to open(); nullptr = do not follow the recording
    std::unique_ptr<BlockReader> blocks;
    Block block;
    StreamDecoder decoder;
    StreamGuard guard;
    Accounting sums;        ///< latest sums of the run
    Accounting sumsBefore;  ///< `sums` before the decoder's block
    RecordingInfo info;
    bool keepsFrames = true;
    std::vector<FrameLocation> frames;  ///< frame locations that takeFacts() has not returned yet
    std::uint64_t frameBytes = 0;       ///< bytes of the texts in `frames`
    bool hasNewFacts = false;           ///< takeFacts() has something new to return
    OutputHandler handleOutput;
    std::shared_ptr<StreamIndex> streamIndex;
    std::uint64_t emitted = 0;        ///< transitions that next() has returned
    std::uint64_t emittedBefore = 0;  ///< `emitted` before the latest block
    bool needsKeyframe;               ///< the stream can only begin with a keyframe
    KeyframeReader keyframe;
    std::deque<Batch> fromKeyframe;  ///< the next batches to return
    Renumbering renumbering;
    std::vector<Damage> damages;    ///< damages in all files so far
    std::string damagedPath;        ///< file of the first damage
    std::uint64_t lostBefore = 0;   ///< blocks lost in earlier files
    std::size_t damagesBefore = 0;  ///< number of damages in earlier files
    bool inStream = false;          ///< the decoder has a block
    bool hasReportedDamage = false;
    bool readAll = false;
};

/// Handles `block` according to its kind. Returns false when its content is not valid.
bool RecordingReader::Data::handleBlock()
{
    emittedBefore = emitted;
    if (block.head.kind == Kind::Info) {
        const std::optional<RecordingInfo> more = recordingInfoOf(block.payload);
        if (more)
            info.mergeLater(*more);
        hasNewFacts = hasNewFacts || more;
        return more.has_value();
    }
    if (block.head.kind == Kind::Frames)
        return readFrames();
    if (block.head.kind == Kind::Output && handleOutput) {
        std::vector<OutputPiece> pieces;
        if (!readOnly<OutputLayout>(block.payload, pieces))
            return false;
        for (const OutputPiece &piece : pieces)
            handleOutput(piece);
    }
    if (block.head.kind == Kind::Keyframe && needsKeyframe)
        return readKeyframe();
    if (block.head.kind != Kind::Stream)
        return true;
    inStream = !needsKeyframe && decoder.beginBlock(block.payload) && decoder.transitions() == block.head.transitions;
    if (inStream) {
        sumsBefore = sums;
        sums = decoder.sums().value_or(sums);
        indexBlock();
    }
    return inStream;
}

/// Adds the decoder's block to the stream index.
void RecordingReader::Data::indexBlock()
{
    if (streamIndex)
        streamIndex->addBlock(paths[at], block.offset, emitted);
}

bool RecordingReader::Data::readFrames()
{
    std::vector<FrameLocation> locations;
    if (!readOnly<FrameLayout>(block.payload, locations))
        return false;
    if (!keepsFrames || needsKeyframe)
        return true;
    std::uint64_t bytes = frameBytes;
    for (const FrameLocation &location : locations)
        bytes += location.file.size() + location.function.size();
    // A few compressed kilobytes can expand to gigabytes of text, even when all rows have one text in common.
    if (bytes > StreamGuard::kMostFrameBytes || !guard.admit(locations))
        return false;
    frameBytes = bytes;
    for (FrameLocation &location : locations) {
        location.coroutine = renumbering.of(location.coroutine);
        if (location.coroutine != kNoCoroutine)
            frames.push_back(std::move(location));
    }
    hasNewFacts = true;
    return true;
}

bool RecordingReader::Data::readKeyframe()
{
    if (!keyframe.addPiece(block.payload))
        return false;
    if (keyframe.isWhole()) {
        needsKeyframe = false;
        renumbering.setStart(keyframe.living(), keyframe.born());
        if (streamIndex)
            streamIndex->setRenumbering(renumbering);
        fromKeyframe = keyframe.takeBatches();
    }
    return true;
}

void RecordingReader::Data::refuse()
{
    inStream = false;
    blocks->refuse(block, emitted - emittedBefore);
    guard.setLostBlocks(lostBefore + blocks->lostBlocks());
}

/// Moves on to the next valid Stream block, or to the batches of a keyframe. Returns false at the end.
Result<bool> RecordingReader::Data::nextStream()
{
    while (!inStream && fromKeyframe.empty()) {
        const Result<bool> more = blocks->next(block);
        if (!more)
            return more;
        if (!*more) {
            if (const Result<bool> another = nextFile(); !another || !*another)
                return another;
            continue;
        }
        if (handleBlock())
            guard.setLostBlocks(lostBefore + blocks->lostBlocks());
        else
            refuse();
    }
    return true;
}

Result<bool> RecordingReader::Data::nextFile()
{
    updateDamages();
    return at + 1 < paths.size() ? openNext(paths[at + 1]) : followToNext();
}

/// Moves on to a segment that is not in `paths` yet. The writer begins it before it ends the current one.
Result<bool> RecordingReader::Data::followToNext()
{
    const std::optional<std::string> path = segmentAfter(paths[at]);
    // Without an End block, the file is damaged or its writer is gone. After cancel(), the End block may only be
    // unread.
    if (!growth || !path || (growth->isCancelled() && !blocks->hasEnded()))
        return false;
    std::error_code ignored;
    if (std::filesystem::exists(*path, ignored)) {
        const Result<bool> opened = openNext(*path);
        if (opened && *opened)
            paths.push_back(*path);
        return opened;
    }
    constexpr int kMostTries = 64;  // several times the number of segments that a rotation keeps
    std::optional<std::string> later = path;
    for (int i = 0; i < kMostTries; ++i) {
        later = segmentAfter(*later);
        const Result<std::unique_ptr<BlockReader>> found = BlockReader::open(*later);
        if (found && (*found)->head().recording == blocks->head().recording)
            return Error{ErrorCode::NotFound, *path + " was removed by its recorder before it was read; open " +
                                                  *later + " to see the part that is kept"};
    }
    return false;
}

/// Opens the next segment. Returns false when the file belongs to another recording.
Result<bool> RecordingReader::Data::openNext(const std::string &path)
{
    Result<std::unique_ptr<BlockReader>> next = BlockReader::open(path, growth);
    if (!next)
        return next.error();
    if ((*next)->head().recording != blocks->head().recording)
        return false;
    ++at;
    // A file without an End block has lost an unknown number of blocks: count one.
    lostBefore += blocks->lostBlocks() + (blocks->hasEnded() ? 0 : 1);
    damagesBefore = damages.size();
    blocks = std::move(*next);
    return true;
}

/// Updates the damages of the current file.
void RecordingReader::Data::updateDamages()
{
    damages.resize(damagesBefore);
    for (Damage damage : blocks->damages()) {
        damage.file = static_cast<std::uint32_t>(at);
        damages.push_back(damage);
    }
    if (!damages.empty() && damagedPath.empty())
        damagedPath = paths[at];
}

/// Returns the next batch of the block or keyframe that nextStream() found. Returns false when there is no further
/// batch, or when the batch is not valid.
bool RecordingReader::Data::emitBatch(Batch &batch)
{
    if (fromKeyframe.empty()) {
        inStream = decoder.next(batch);
        if (!inStream)
            return false;
    } else {
        batch = std::move(fromKeyframe.front());
        fromKeyframe.pop_front();
    }
    renumbering.apply(batch);
    if (guard.admit(batch)) {
        emitted += batch.transitions.size();
        if (streamIndex)
            streamIndex->setEnd(emitted);
        return true;
    }
    if (inStream)
        sums = sumsBefore;
    refuse();
    return false;
}

/// Describes where and how much was left out. `damages` must not be empty.
std::string RecordingReader::Data::damageText() const
{
    std::uint64_t bytes = 0;
    std::uint64_t transitions = 0;
    for (const Damage &damage : damages) {
        bytes += damage.bytes;
        transitions += damage.transitions;
    }
    const Damage &first = damages.front();
    if (damages.size() == 1 && first.atEnd)
        return damagedPath + ": the recording was interrupted or is still being written; " + std::to_string(bytes) +
               " bytes at its end are not a complete block";
    return damagedPath + " is damaged from byte " + std::to_string(first.offset) + " on: " + std::to_string(bytes) +
           " bytes with " + std::to_string(transitions) + " transitions were left out in " +
           std::to_string(damages.size()) + (damages.size() == 1 ? " range" : " ranges");
}

Result<bool> RecordingReader::Data::atEnd()
{
    readAll = true;
    if (damages.empty() || std::exchange(hasReportedDamage, true))
        return false;
    const bool cutOff = damages.size() == 1 && damages.front().atEnd;
    return Error{ErrorCode::BadFormat,
                 damageText() + "; everything else was read" + (cutOff ? "" : "; open an intact copy if there is one")};
}

/// Adds the damages so far to an error that ends the reading early.
Error RecordingReader::Data::failure(Error why)
{
    updateDamages();
    if (!damages.empty())
        why.message += "; before that, " + damageText();
    return why;
}

RecordingReader::RecordingReader(std::unique_ptr<Data> data) : m_data(std::move(data)) {}

RecordingReader::~RecordingReader() = default;

bool RecordingReader::isWritten(const std::string &path)
{
    return isClaimed(segmentsAround(path).back());
}

bool RecordingReader::isRecording(const std::string &path)
{
    std::array<char, kFileMagic.size()> magic{};
    if (const Result<int> file = openRegularFile(path); file) {
        const bool whole = ::read(*file, magic.data(), magic.size()) == static_cast<ssize_t>(magic.size());
        ::close(*file);
        if (whole && magic == kFileMagic)
            return true;
    }
    return hasEnding(path, ".ctr");
}

Result<std::unique_ptr<RecordingReader>> RecordingReader::open(const std::string &path, OutputHandler handleOutput,
                                                               FileGrowth *growth, Frames frames)
{
    std::vector<std::string> paths = segmentsAround(path);
    if (growth && isClaimed(paths.back()))
        growth->noteFollowed();
    Result<std::unique_ptr<BlockReader>> blocks = BlockReader::open(paths.front(), growth);
    if (!blocks)
        return blocks.error();
    auto data = std::make_unique<Data>(std::move(paths), std::move(*blocks));
    data->handleOutput = std::move(handleOutput);
    data->growth = growth;
    data->keepsFrames = frames == Frames::Kept;
    if (const Result<bool> first = data->nextStream(); !first)
        return first.error();
    return std::unique_ptr<RecordingReader>(new RecordingReader(std::move(data)));
}

void RecordingReader::setStreamIndex(std::shared_ptr<StreamIndex> streamIndex)
{
    m_data->streamIndex = std::move(streamIndex);
    // open() has read the first block already.
    m_data->streamIndex->setRenumbering(m_data->renumbering);
    m_data->streamIndex->setRecording(m_data->blocks->head().recording);
    if (m_data->inStream)
        m_data->indexBlock();
}

Result<bool> RecordingReader::next(Batch &batch)
{
    for (;;) {
        const Result<bool> more = m_data->nextStream();
        if (!more)
            return m_data->failure(more.error());
        if (!*more) {
            batch.clear();
            return m_data->atEnd();
        }
        if (m_data->emitBatch(batch))
            return true;
    }
}

double RecordingReader::progress() const
{
    return (static_cast<double>(m_data->at) + m_data->blocks->progress()) / static_cast<double>(m_data->paths.size());
}

Accounting RecordingReader::accounting() const
{
    const RunSums &read = m_data->guard.sums();
    Accounting all = m_data->sums;
    all.captured = read.captured;
    all.lost = read.lost + all.lostWithoutCoroutine;
    all.missedBeforeAttach = read.missedBeforeAttach + all.missedWithoutCoroutine;
    all.coroutines = read.coroutines;
    all.flaggedStations = read.flaggedStations;
    if (const std::optional<RecordingInfo::Effect> &effect = m_data->info.effect) {
        all.eventNs = static_cast<double>(effect->eventPs) / 1e3;
        all.targetCpuNs = effect->targetCpuNs;
        all.limitedNs = effect->limitedNs;
        all.recordedEvents = m_data->sums.captured + m_data->sums.lost;
    }
    return all;
}

bool RecordingReader::takeFacts(FileFacts &facts)
{
    if (!std::exchange(m_data->hasNewFacts, false))
        return false;
    facts.info = m_data->info;
    facts.frames = std::exchange(m_data->frames, {});
    m_data->frameBytes = 0;
    return true;
}

const RecordingInfo &RecordingReader::info() const
{
    return m_data->info;
}

const std::vector<Damage> &RecordingReader::damages() const
{
    m_data->updateDamages();
    return m_data->damages;
}

bool RecordingReader::isDamaged() const
{
    return std::any_of(m_data->damages.begin(), m_data->damages.end(), [](const Damage &one) { return !one.atEnd; });
}

bool RecordingReader::readAll() const
{
    return m_data->readAll;
}

bool RecordingReader::hasEnded() const
{
    return m_data->blocks->hasEnded();
}

}  // namespace ct
