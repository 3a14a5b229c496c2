// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#define XXH_STATIC_LINKING_ONLY  // a state on the stack
#include "core/recording/read/blockreader.h"

#include "core/base/fileending.h"
#include "core/recording/format/batchcodec.h"
#include "core/recording/format/checksum.h"
#include "core/recording/read/filegrowth.h"
#include "core/recording/read/regularfile.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <zstd.h>

namespace ct::ctr {

namespace {

constexpr std::size_t kSearchWindow = 1U << 18;
/// Limit for the list of damages. Further ones are merged into the last, so a damaged file cannot fill the memory.
constexpr std::size_t kMostDamages = 1000;
/// Limit for the bytes that are read for candidates that are no blocks, as a multiple of the file's size.
constexpr std::uint64_t kPatience = 16;
/// A following reader waits for the rest of an incomplete block while the file has fewer bytes of the block than this.
/// With more bytes the length may be damaged, so the reader also searches for a later block.
constexpr std::uint64_t kHalfBlock = 1U << 20;

std::uint64_t patienceFor(std::uint64_t size)
{
    return std::max<std::uint64_t>(size, kMostPayload) * kPatience;
}

}  // namespace

void BlockReader::FreeContext::operator()(ZSTD_DCtx_s *context) const
{
    ZSTD_freeDCtx(context);
}

BlockReader::BlockReader(std::string path, int fd, std::uint64_t size, FileGrowth *growth)
    : m_path(std::move(path)),
      m_fd(fd),
      m_growth(growth),
      m_size(size),
      m_patience(patienceFor(size)),
      m_context(ZSTD_createDCtx())
{
}

BlockReader::~BlockReader()
{
    ::close(m_fd);
}

Result<std::unique_ptr<BlockReader>> BlockReader::open(const std::string &path, FileGrowth *growth)
{
    const Result<int> opened = openRegularFile(path, ".ctr");
    if (!opened)
        return opened.error();
    const int fd = *opened;
    struct stat info = {};
    if (fstat(fd, &info) != 0)
        info.st_size = 0;  // unknown, see m_size
    FileGrowth *const follows = growth && FileGrowth::isWritten(fd) ? growth : nullptr;
    auto reader =
        std::unique_ptr<BlockReader>(new BlockReader(path, fd, static_cast<std::uint64_t>(info.st_size), follows));
    if (follows) {
        follows->noteFollowed();
        reader->awaitMore(sizeof(FileHead));
    }
    // This segment may be complete while a later one is still being written.
    reader->m_progress = growth && growth->figures().followed ? growth : nullptr;
    if (Result<void> read = reader->readHead(); !read)
        return read.error();
    return reader;
}

Result<void> BlockReader::readHead()
{
    const Result<std::size_t> got = readAt(0, sizeof(m_head), reinterpret_cast<char *>(&m_head));
    if (!got)
        return got.error();
    const bool isRecording = *got >= sizeof(m_head.magic) && m_head.magic == kFileMagic;
    const bool isJsonl = m_head.magic.front() == '{' || hasEnding(withoutPacking(m_path), ".jsonl");
    if (!isRecording && isJsonl && !hasEnding(m_path, ".ctr"))
        return Error{ErrorCode::Unsupported, m_path +
                                                 " is JSONL; convert it to a recording (.ctr) first: "
                                                 "corotracer-gui --batch --input " +
                                                 m_path + " --export ctr"};
    if (!isRecording)
        return Error{ErrorCode::BadFormat, m_path + " is not a recording of coroutines (.ctr), or its beginning is "
                                                    "damaged; choose another file"};
    if (*got < sizeof(m_head))
        return Error{ErrorCode::BadFormat,
                     m_path + " was cut off within its first 64 bytes, so it has no events; choose another file"};
    constexpr std::uint32_t kOtherByteOrder = 0x04030201;
    static_assert(kOtherByteOrder == __builtin_bswap32(kByteOrder));
    if (m_head.byteOrder == kOtherByteOrder)
        return Error{ErrorCode::Unsupported,
                     m_path + " was written on a machine with another byte order; open it there"};
    // Check this before the version: a damaged head can have any version.
    if (m_head.byteOrder != kByteOrder || m_head.check != checkOf(m_head))
        return Error{ErrorCode::BadFormat,
                     m_path + ": its first 64 bytes are damaged; open an intact copy if there is one"};
    if (m_head.version > kVersion)
        return Error{ErrorCode::Unsupported,
                     m_path + " was written by a newer version of this program; open it with that version"};
    return {};
}

double BlockReader::progress() const
{
    return m_size == 0 ? 1.0 : std::min(1.0, static_cast<double>(m_position.offset) / static_cast<double>(m_size));
}

void BlockReader::setSize(std::uint64_t size)
{
    m_patience += size > m_size ? (size - m_size) * kPatience : 0;
    m_size = size;
}

/// Waits until the file has `bytes` bytes. Returns false when it will not.
bool BlockReader::awaitMore(std::uint64_t bytes)
{
    const bool more = m_growth->await(m_fd, bytes);
    struct stat info = {};
    if (fstat(m_fd, &info) == 0)
        setSize(static_cast<std::uint64_t>(info.st_size));
    return more;
}

/// Walks over the heads of the blocks that have arrived, to show how far this reader is behind. Does not check them.
void BlockReader::reportProgress()
{
    struct stat info = {};
    if (!m_progress || fstat(m_fd, &info) != 0)
        return;
    const auto size = static_cast<std::uint64_t>(info.st_size);
    m_ahead = std::max(m_ahead, m_position.offset);
    BlockHead head;
    while (m_ahead + sizeof(head) <= size) {
        const Result<std::size_t> got = readAt(m_ahead, sizeof(head), reinterpret_cast<char *>(&head));
        if (!got || *got < sizeof(head) || head.magic != kBlockMagic || head.recording != m_head.recording ||
            head.bytes > kMostPayload || m_ahead + sizeof(head) + head.bytes > size)
            break;
        m_ahead += sizeof(head) + head.bytes;
        m_latestTs = head.kind == Kind::Stream && head.lastTs != 0 ? head.lastTs : m_latestTs;
    }
    m_progress->note(size, m_position.offset, m_latestTs);
}

/// Reads `bytes` bytes, or fewer at the end of the file. Returns how many.
Result<std::size_t> BlockReader::readAt(std::uint64_t offset, std::size_t bytes, char *to) const
{
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got = ::pread(m_fd, to + done, bytes - done, static_cast<off_t>(offset + done));
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errnoError(errno, m_path + ": reading failed at byte " + std::to_string(offset + done),
                              "open an intact copy if there is one");
        done += static_cast<std::size_t>(got);
    }
    return done;
}

/// Checks for a block at `offset`. Good: a whole block that may come next. Bad: no such block. Beyond: the file ends
/// within it. Nothing: the file ends at `offset`. The payload stays compressed.
Result<BlockReader::BlockState> BlockReader::readBlock(std::uint64_t offset, Block &block)
{
    const Result<std::size_t> got = readAt(offset, sizeof(block.head), reinterpret_cast<char *>(&block.head));
    if (!got)
        return got.error();
    const BlockHead &head = block.head;
    m_wanted = offset + sizeof(head);
    if (*got < sizeof(head))
        return *got == 0 ? BlockState::Nothing : BlockState::Beyond;
    if (head.magic != kBlockMagic || head.recording != m_head.recording || head.bytes > kMostPayload ||
        head.rawBytes > kMostPayload || head.sequence < m_position.sequence ||
        head.transitionsBefore < m_position.transitions)
        return BlockState::Bad;
    m_wanted += head.bytes;
    if (m_size != 0 && m_wanted > m_size) {
        // Check before allocating memory: the length may be damaged, or the file may have grown.
        struct stat info = {};
        if (fstat(m_fd, &info) == 0)
            setSize(static_cast<std::uint64_t>(info.st_size));
        if (m_wanted > m_size)
            return BlockState::Beyond;
    }
    m_stored.resize(head.bytes);
    const Result<std::size_t> stored = readAt(offset + sizeof(head), head.bytes, m_stored.data());
    if (!stored)
        return stored.error();
    if (*stored < head.bytes)
        return BlockState::Beyond;
    block.offset = offset;
    block.payload = m_stored;
    return head.check == checkOf(head, m_stored) ? BlockState::Good : BlockState::Bad;
}

bool BlockReader::decompress(Block &block)
{
    const BlockHead &head = block.head;
    if ((head.flags & kCompressed) == 0)
        return head.bytes == head.rawBytes;
    // A writer states the size of the content. Refuse any other size before allocating memory for it.
    if (ZSTD_getFrameContentSize(m_stored.data(), m_stored.size()) != head.rawBytes)
        return false;
    m_raw.resize(head.rawBytes);
    const std::size_t bytes =
        ZSTD_decompressDCtx(m_context.get(), m_raw.data(), m_raw.size(), m_stored.data(), m_stored.size());
    block.payload = m_raw;
    return !ZSTD_isError(bytes) && bytes == head.rawBytes;
}

/// Finds the first whole block at or behind `offset`. When there is none, `offset` becomes the start for the next
/// search.
Result<BlockReader::MaybeOffset> BlockReader::search(std::uint64_t &offset, Block &block)
{
    std::string window;
    const std::string_view magic(kBlockMagic.data(), kBlockMagic.size());
    MaybeOffset half;
    for (std::uint64_t from = offset;;) {
        window.resize(kSearchWindow);
        const Result<std::size_t> got = readAt(from, window.size(), window.data());
        if (!got)
            return got.error();
        window.resize(*got);
        if (*got < sizeof(BlockHead)) {
            offset = half.value_or(from);
            return MaybeOffset();
        }
        for (std::size_t at = window.find(magic); at != std::string::npos; at = window.find(magic, at + 1)) {
            const Result<BlockState> found = readBlock(from + at, block);
            if (!found)
                return found.error();
            if (*found == BlockState::Good)
                return MaybeOffset(from + at);
            if (*found == BlockState::Beyond && !half)
                half = from + at;
            // Count the bytes that were read for this candidate. An impossible head has cost only the head.
            const std::uint64_t cost = *found == BlockState::Bad ? m_wanted - (from + at) : 0;
            if (m_patience < cost)
                return MaybeOffset();
            m_patience -= cost;
        }
        from += *got - (magic.size() - 1);
    }
}

void BlockReader::addDamage(const Damage &damage)
{
    if (m_damages.size() < kMostDamages) {
        m_damages.push_back(damage);
        return;
    }
    m_damages.back().bytes += damage.bytes;
    m_damages.back().transitions += damage.transitions;
    m_damages.back().atEnd |= damage.atEnd;
}

/// Reports the bytes from the position to `end` as damage. `next` is the block behind them; nullptr = there is none.
void BlockReader::noteGap(std::uint64_t end, const Block *next)
{
    Damage damage{m_position.offset, end - m_position.offset, 0, next == nullptr};
    if (next) {
        damage.transitions = next->head.transitionsBefore - m_position.transitions;
        m_lostBlocks += next->head.sequence - m_position.sequence;
    }
    addDamage(damage);
}

/// Finds the next whole block, and waits for it while the file is being written. Returns nullopt when there is none.
Result<BlockReader::MaybeOffset> BlockReader::findBlock(Block &block)
{
    BlockState here = BlockState::Nothing;
    for (std::uint64_t from = m_position.offset + 1;;) {
        if (here != BlockState::Bad) {
            const Result<BlockState> now = readBlock(m_position.offset, block);
            if (!now)
                return now.error();
            here = *now;
        }
        if (here == BlockState::Good)
            return MaybeOffset(m_position.offset);
        const bool patient = m_growth && here == BlockState::Beyond && m_size < m_position.offset + kHalfBlock;
        std::uint64_t wanted = patient ? std::min(m_wanted, m_position.offset + kHalfBlock) : m_wanted;
        if (here != BlockState::Nothing && !patient) {
            const Result<MaybeOffset> later = search(from, block);
            if (!later || *later)
                return later;
            wanted = here == BlockState::Bad ? m_size + 1 : std::min(wanted, m_size + kHalfBlock);
        }
        if (!m_growth && here != BlockState::Nothing) {
            m_size = std::max(m_size, m_position.offset);
            noteGap(m_size, nullptr);
            m_position.offset = m_size;
        }
        if (!m_growth)
            return MaybeOffset();
        if (!awaitMore(wanted)) {
            // The file will not grow any more. Search once more without waiting.
            m_growth = nullptr;
            from = m_position.offset + 1;
        }
    }
}

/// Reads the next whole block and moves behind it. The payload stays compressed.
Result<bool> BlockReader::readNextBlock(Block &block)
{
    reportProgress();
    const Result<MaybeOffset> found = findBlock(block);
    if (!found)
        return found.error();
    if (!*found)
        return false;
    if (**found != m_position.offset || block.head.sequence != m_position.sequence ||
        block.head.transitionsBefore != m_position.transitions)
        noteGap(**found, &block);
    goBehind(block);
    return true;
}

void BlockReader::goBehind(const Block &block)
{
    m_position.sequence = block.head.sequence + 1;
    m_position.transitions = block.head.transitionsBefore + block.head.transitions;
    m_position.offset = block.offset + sizeof(BlockHead) + block.head.bytes;
}

Result<bool> BlockReader::next(Block &block)
{
    for (;;) {
        const Result<bool> more = nextStored(block);
        if (!more || !*more)
            return more;
        if (decompress(block))
            return true;
        // The check is right, so a writer that does not follow the format wrote this payload.
        refuse(block);
    }
}

Result<bool> BlockReader::nextStored(Block &block)
{
    if (m_endBlock != EndBlock::Ahead)
        return false;
    const Result<bool> found = readNextBlock(block);
    if (!found)
        return found.error();
    if (!*found)
        m_endBlock = EndBlock::Missing;
    else if (block.head.kind == Kind::End)
        m_endBlock = EndBlock::Read;
    return *found;
}

/// Returns to the first block. Forgets the damages, which next() will report again.
void BlockReader::rewind()
{
    m_position = {};
    m_endBlock = EndBlock::Ahead;
    m_damages.clear();
    m_lostBlocks = 0;
    m_patience = patienceFor(m_size);
}

/// Reads only the head of the next block and moves behind the block. Returns false, and does not move, unless the head
/// directly follows the block before.
Result<bool> BlockReader::nextHead(Block &block)
{
    const Result<std::size_t> got =
        readAt(m_position.offset, sizeof(block.head), reinterpret_cast<char *>(&block.head));
    if (!got)
        return got.error();
    const BlockHead &head = block.head;
    block.offset = m_position.offset;
    const bool isNext = *got == sizeof(head) && head.magic == kBlockMagic && head.recording == m_head.recording &&
                        head.sequence == m_position.sequence && head.transitionsBefore == m_position.transitions &&
                        head.bytes <= kMostPayload && m_position.offset + sizeof(head) + head.bytes <= m_size;
    if (isNext)
        goBehind(block);
    return isNext;
}

Result<bool> BlockReader::read(const BlockLocation &location, Block &block)
{
    // The block may lie in front of the position of next(), so its sequence is not limited.
    const Position position = std::exchange(m_position, {});
    const Result<BlockState> found = readBlock(location.offset, block);
    m_position = position;
    if (!found)
        return found.error();
    return *found == BlockState::Good && static_cast<std::uint16_t>(block.head.kind) == location.kind &&
           decompress(block);
}

std::optional<Trailer> BlockReader::trailer() const
{
    Trailer found;
    if (m_size < sizeof(FileHead) + sizeof(found))
        return std::nullopt;
    const Result<std::size_t> got = readAt(m_size - sizeof(found), sizeof(found), reinterpret_cast<char *>(&found));
    if (!got || *got != sizeof(found) || found.magic != kEndMagic || found.recording != m_head.recording ||
        found.check != checkOf(found))
        return std::nullopt;
    return found;
}

/// Reads the list of blocks, without the End block, from the index at the end of the file. Returns false, and no
/// blocks, when the file has no index, or one that may lack blocks. Does not change the position of next(), but
/// invalidates the payload that next() returned.
bool BlockReader::readIndex(std::vector<BlockLocation> &blocks)
{
    blocks.clear();
    const std::optional<Trailer> end = trailer();
    if (!end)
        return false;
    BlockLocation location;
    location.offset = end->endBlock;
    location.kind = static_cast<std::uint16_t>(Kind::End);
    Block block;
    const Result<bool> found = read(location, block);
    const bool isComplete =
        found && *found && readOnly<BlockLocationLayout>(block.payload, blocks) && blocks.size() < kMostRows;
    if (!isComplete)
        blocks.clear();
    return isComplete;
}

void BlockReader::refuse(const Block &block, std::uint64_t emitted)
{
    const std::uint64_t left = block.head.transitions - std::min<std::uint64_t>(block.head.transitions, emitted);
    addDamage({block.offset, sizeof(BlockHead) + block.head.bytes, left, false});
    ++m_lostBlocks;
}

}  // namespace ct::ctr
