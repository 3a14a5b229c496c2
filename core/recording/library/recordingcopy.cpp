// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/library/recordingcopy.h"

#include "core/base/fileremedy.h"
#include "core/recording/read/blockreader.h"
#include "core/recording/read/keyframereader.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/blockwriter.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

namespace ct {

using namespace ctr;

namespace {

using Readers = std::vector<std::unique_ptr<BlockReader>>;

/// The oldest segment can be removed between its listing and its opening.
constexpr int kAttempts = 20;

/// True if a segment has no block yet. The writer may not have ended the segment before then.
bool isJustBegun(const std::string &path)
{
    std::error_code failed;
    return std::filesystem::file_size(path, failed) <= sizeof(FileHead) && !failed;
}

/// Opens all segments at once. Segments that are removed later can still be read.
Result<Readers> openAll(const std::string &from)
{
    Error error{ErrorCode::NotFound, from + " cannot be opened: No such file or directory; check its name"};
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        std::error_code failed;
        const bool isFile = std::filesystem::exists(from, failed);
        if (failed)
            return readError(failed.value(), from + " cannot be opened");
        const std::vector<std::string> named = isFile && segmentNameOf(from) ? std::vector{from} : segmentsOf(from);
        if (named.empty())
            return error;
        if (isFile && !named.empty() && named.front() != from)
            return Error{ErrorCode::InvalidArgument,
                         from + " is the name of two recordings, of this file and of a run (" +
                             std::filesystem::path(named.front()).filename().string() + " and more); rename this file"};
        Readers readers;
        std::vector<std::string> files = segmentsAround(named.front());
        if (files.size() > 1 && isJustBegun(files.back()))
            files.pop_back();
        for (const std::string &file : files) {
            Result<std::unique_ptr<BlockReader>> reader = BlockReader::open(file);
            if (!reader) {
                error = reader.error();
                break;
            }
            readers.push_back(std::move(*reader));
        }
        if (readers.size() == files.size())
            return readers;
        if (error.code != ErrorCode::NotFound)
            return error;
    }
    return error;
}

class Copy {
public:
    Copy(Readers readers, std::unique_ptr<BlockWriter> writer, const CopyProgress &progress)
        : m_readers(std::move(readers)),
          m_writer(std::move(writer)),
          m_progress(progress),
          m_needsKeyframe(m_readers.front()->head().segment > 0)
    {
    }

    Result<CopiedRecording> run()
    {
        for (std::size_t i = 0; i < m_readers.size(); ++i) {
            if (Result<void> copied = copyFile(i); !copied)
                return copied.error();
        }
        if (Result<void> finished = m_writer->finish(); !finished)
            return finished.error();
        return CopiedRecording{m_transitions, m_writer->bytes()};
    }

private:
    Result<void> copyFile(std::size_t index);
    bool isRepeat(Kind kind, bool begins) const;
    bool continues(std::size_t index) const;

    const Readers m_readers;
    const std::unique_ptr<BlockWriter> m_writer;
    const CopyProgress &m_progress;
    KeyframeReader m_keyframe;
    bool m_needsKeyframe;   ///< the stream can only begin with a keyframe
    bool m_isLost = false;  ///< blocks or transitions were lost so far
    std::uint64_t m_transitions = 0;
};

bool Copy::continues(std::size_t index) const
{
    const double done = static_cast<double>(index) + m_readers[index]->progress();
    return !m_progress || m_progress(done / static_cast<double>(m_readers.size()));
}

/// True if a block of a later segment only repeats content that the copy already has. `begins`: only Infos come before
/// it in its segment.
bool Copy::isRepeat(Kind kind, bool begins) const
{
    return !m_isLost && (kind == Kind::Keyframe || (kind == Kind::Info && begins));
}

Result<void> Copy::copyFile(std::size_t index)
{
    BlockReader &reader = *m_readers[index];
    const std::uint64_t end = reader.size();  // size when all segments were opened
    std::uint32_t sequence = 0;
    std::uint64_t transitions = 0;
    bool begins = true;
    for (Block block;;) {
        if (!continues(index))
            return Error{ErrorCode::Cancelled, "the copy was cancelled"};
        const Result<bool> more = reader.nextStored(block);
        if (!more)
            return more.error();
        if (!*more || block.offset >= end)
            break;
        // Keep jumps in the numbers, so readers of the copy report the loss.
        const std::uint32_t blocksLost = block.head.sequence - sequence;
        const std::uint64_t transitionsLost = block.head.transitionsBefore - transitions;
        m_isLost |= blocksLost != 0 || transitionsLost != 0;
        m_writer->skip(blocksLost, transitionsLost);
        sequence = block.head.sequence + 1;
        transitions = block.head.transitionsBefore + block.head.transitions;
        begins = begins && block.head.kind == Kind::Info;
        const bool isWanted = block.head.kind == Kind::Keyframe && m_needsKeyframe;
        if (block.head.kind == Kind::End || (!isWanted && index > 0 && isRepeat(block.head.kind, begins)))
            continue;
        if (Result<void> written = m_writer->writeStored(block.head, block.payload); !written)
            return written;
        m_transitions += block.head.transitions;
        if (isWanted && reader.decompress(block) && m_keyframe.addPiece(block.payload) && m_keyframe.isWhole())
            m_needsKeyframe = false;
    }
    if (!reader.hasEnded() && index + 1 < m_readers.size()) {
        m_writer->skip(1, 0);  // an unknown number of blocks was lost: count one
        m_isLost = true;
    }
    return {};
}

}  // namespace

Result<CopiedRecording> copyRecording(const std::string &from, const std::string &to, const CopyProgress &progress)
{
    Result<Readers> readers = openAll(from);
    if (!readers)
        return readers.error();
    // The copy has its own recording number, so it cannot be mistaken for one of the segments.
    BlockWriter::Identity identity = BlockWriter::newIdentity();
    identity.segment = readers->front()->head().segment;
    identity.begun = readers->front()->head().begun;
    Result<std::unique_ptr<BlockWriter>> writer = BlockWriter::open(to, identity);
    if (!writer)
        return writer.error();
    return Copy(std::move(*readers), std::move(*writer), progress).run();
}

}  // namespace ct
