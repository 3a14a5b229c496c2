// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/recordingreader.h"

#include "core/recording/batchcodec.h"
#include "core/recording/streamguard.h"

#include <array>
#include <cstdio>

namespace ct {

using namespace ctr;

struct RecordingReader::Data {
    Data(std::string name, std::unique_ptr<BlockReader> reader) : path(std::move(name)), blocks(std::move(reader)) {}

    Result<bool> nextStream();
    bool takeBlock();
    Result<bool> atEnd();

    std::string path;
    std::unique_ptr<BlockReader> blocks;
    Block block;
    StreamDecoder decoder;
    StreamGuard guard;
    Accounting sums;  ///< of the session, the latest
    RecordingInfo info;
    TakeOutput takeOutput;
    bool inStream = false;  ///< the decoder has a block
    bool saidDamage = false;
};

/// False: what the block holds cannot be.
bool RecordingReader::Data::takeBlock()
{
    if (block.head.kind == Kind::Info) {
        const std::optional<RecordingInfo> more = recordingInfoOf(block.payload);
        if (more)
            info.add(*more);
        return more.has_value();
    }
    if (block.head.kind == Kind::Output && takeOutput) {
        std::vector<OutputPiece> pieces;
        if (!readOnly<OutputLayout>(block.payload, pieces))
            return false;
        for (const OutputPiece &piece : pieces)
            takeOutput(piece);
    }
    if (block.head.kind != Kind::Stream)
        return true;
    inStream = decoder.begin(block.payload) && decoder.transitions() == block.head.transitions;
    if (inStream && decoder.sums())
        sums = *decoder.sums();
    return inStream;
}

/// On to the next block of the stream.
Result<bool> RecordingReader::Data::nextStream()
{
    while (!inStream) {
        const Result<bool> more = blocks->next(block);
        if (!more || !*more)
            return more;
        if (!takeBlock())
            blocks->refuse(block);
        guard.setLostBlocks(blocks->lostBlocks());
    }
    return true;
}

Result<bool> RecordingReader::Data::atEnd()
{
    if (blocks->damages().empty() || std::exchange(saidDamage, true))
        return false;
    std::uint64_t bytes = 0;
    std::uint64_t transitions = 0;
    for (const Damage &damage : blocks->damages()) {
        bytes += damage.bytes;
        transitions += damage.transitions;
    }
    const Damage &first = blocks->damages().front();
    const std::string rest = "; everything else was read";
    if (blocks->damages().size() == 1 && first.atEnd)
        return Error{ErrorCode::BadFormat, path + ": the recording was interrupted or is still being written, " +
                                               std::to_string(bytes) + " bytes at its end are no whole block" + rest};
    return Error{ErrorCode::BadFormat,
                 path + " is damaged from byte " + std::to_string(first.offset) + " on: " + std::to_string(bytes) +
                     " bytes with " + std::to_string(transitions) + " transitions were left out in " +
                     std::to_string(blocks->damages().size()) + " place(s)" + rest + "; a copy may be whole"};
}

RecordingReader::RecordingReader(std::unique_ptr<Data> data) : m_data(std::move(data)) {}

RecordingReader::~RecordingReader() = default;

bool RecordingReader::isRecording(const std::string &path)
{
    std::array<char, kFileMagic.size()> magic{};
    if (std::FILE *file = std::fopen(path.c_str(), "rbe")) {
        const bool whole = std::fread(magic.data(), 1, magic.size(), file) == magic.size();
        std::fclose(file);
        if (whole && magic == kFileMagic)
            return true;
    }
    return path.ends_with(".ctr");
}

Result<std::unique_ptr<RecordingReader>> RecordingReader::open(const std::string &path, TakeOutput takeOutput)
{
    Result<std::unique_ptr<BlockReader>> blocks = BlockReader::open(path);
    if (!blocks)
        return blocks.error();
    auto data = std::make_unique<Data>(path, std::move(*blocks));
    data->takeOutput = std::move(takeOutput);
    if (const Result<bool> first = data->nextStream(); !first)
        return first.error();
    return std::unique_ptr<RecordingReader>(new RecordingReader(std::move(data)));
}

Result<bool> RecordingReader::next(Batch &batch)
{
    Data &data = *m_data;
    for (;;) {
        const Result<bool> more = data.nextStream();
        if (!more)
            return more;
        if (!*more) {
            batch.clear();
            return data.atEnd();
        }
        data.inStream = data.decoder.next(batch);
        if (!data.inStream)
            continue;
        if (data.guard.admit(batch))
            return true;
        data.inStream = false;
        data.blocks->refuse(data.block);
        data.guard.setLostBlocks(data.blocks->lostBlocks());
    }
}

double RecordingReader::progress() const
{
    return m_data->blocks->progress();
}

Accounting RecordingReader::accounting() const
{
    const Accounting &read = m_data->guard.sums();
    Accounting all = m_data->sums;
    all.captured = read.captured;
    all.lost = read.lost;
    all.missedBeforeAttach = read.missedBeforeAttach;
    all.coroutines = read.coroutines;
    all.flaggedStations = read.flaggedStations;
    return all;
}

const RecordingInfo &RecordingReader::info() const
{
    return m_data->info;
}

const std::vector<Damage> &RecordingReader::damages() const
{
    return m_data->blocks->damages();
}

bool RecordingReader::hasEnded() const
{
    return m_data->blocks->hasEnded();
}

}  // namespace ct
