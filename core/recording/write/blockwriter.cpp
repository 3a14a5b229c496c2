// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#define XXH_STATIC_LINKING_ONLY  // a state on the stack
#include "core/recording/write/blockwriter.h"

#include "core/recording/format/checksum.h"

#include <algorithm>
#include <ctime>
#include <sys/random.h>
#include <zstd.h>

namespace ct::ctr {

namespace {

/// Smaller payloads, in bytes, stay uncompressed: compression would cost more than it saves.
constexpr std::size_t kWorthCompressing = 64;

std::uint64_t realtimeNow()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t randomNumber(std::uint64_t otherwise)
{
    std::uint64_t number = 0;
    return ::getrandom(&number, sizeof(number), 0) == sizeof(number) ? number : otherwise;
}

}  // namespace

void BlockWriter::FreeContext::operator()(ZSTD_CCtx_s *context) const
{
    ZSTD_freeCCtx(context);
}

BlockWriter::BlockWriter(std::unique_ptr<AppendFile> file, const Identity &identity)
    : m_file(std::move(file)), m_context(ZSTD_createCCtx()), m_identity(identity)
{
    ZSTD_CCtx_setParameter(m_context.get(), ZSTD_c_compressionLevel, kLevel);
}

BlockWriter::~BlockWriter() = default;

BlockWriter::Identity BlockWriter::newIdentity()
{
    const std::uint64_t now = realtimeNow();
    return {randomNumber(now), 0, now};
}

Result<std::unique_ptr<BlockWriter>> BlockWriter::open(const std::string &path, FileAccess access)
{
    return open(path, newIdentity(), access);
}

Result<std::unique_ptr<BlockWriter>> BlockWriter::open(const std::string &path, const Identity &identity,
                                                       FileAccess access)
{
    Result<std::unique_ptr<AppendFile>> file = AppendFile::open(path, AppendFile::Unit::Write, access);
    if (!file)
        return file.error();
    if (Result<void> claimed = (*file)->claim(); !claimed)
        return claimed.error();
    return std::unique_ptr<BlockWriter>(new BlockWriter(std::move(*file), identity));
}

Result<void> BlockWriter::beginFile()
{
    if (m_file->size() != 0)
        return {};
    FileHead head;
    head.recording = m_identity.recording;
    head.segment = m_identity.segment;
    head.begun = m_identity.begun;
    head.check = checkOf(head);
    return m_file->append(reinterpret_cast<const char *>(&head), sizeof(head));
}

Result<void> BlockWriter::write(Kind kind, const ColumnWriter &payload, const BlockFacts &facts)
{
    if (payload.size() > kMostPayload)
        return Error{
            ErrorCode::Unsupported,
            m_file->path() +
                ": one pass of the capture takes more than 64 MiB, which no block can hold; give coroutines and "
                "threads shorter names, or record JSONL (-o FILE.jsonl)"};
    if (Result<void> begun = beginFile(); !begun)
        return begun;
    const std::size_t bound = ZSTD_compressBound(payload.size());
    reserve(bound);
    char *const payloadAt = reinterpret_cast<char *>(m_block.data()) + sizeof(BlockHead);
    std::size_t bytes = 0;
    if (payload.size() >= kWorthCompressing)
        bytes = ZSTD_compress2(m_context.get(), payloadAt, bound, payload.data(), payload.size());
    BlockHead head;
    if (bytes != 0 && !ZSTD_isError(bytes) && bytes < payload.size()) {
        head.flags = kCompressed;
    } else {
        bytes = payload.size();
        std::copy_n(payload.data(), bytes, payloadAt);  // not memcpy, which forbids nullptr even for 0 bytes
    }
    head.kind = kind;
    head.bytes = static_cast<std::uint32_t>(bytes);
    head.rawBytes = static_cast<std::uint32_t>(payload.size());
    head.transitions = facts.transitions;
    head.firstTs = facts.firstTs;
    head.lastTs = facts.lastTs;
    return appendBlock(head);
}

Result<void> BlockWriter::writeStored(const BlockHead &source, std::string_view stored)
{
    if (Result<void> begun = beginFile(); !begun)
        return begun;
    reserve(stored.size());
    std::copy_n(stored.data(), stored.size(), reinterpret_cast<char *>(m_block.data()) + sizeof(BlockHead));
    return appendBlock(source);
}

void BlockWriter::skip(std::uint32_t blocks, std::uint64_t transitions)
{
    m_sequence += blocks;
    m_transitions += transitions;
}

/// Makes m_block large enough for a head and `payload` bytes.
void BlockWriter::reserve(std::size_t payload)
{
    if (m_block.size() < sizeof(BlockHead) + payload)
        m_block.resize(sizeof(BlockHead) + payload);
}

/// Completes the head with the numbers of this file, and writes it with the payload that is in m_block already.
Result<void> BlockWriter::appendBlock(BlockHead head)
{
    head.recording = m_identity.recording;
    head.sequence = m_sequence;
    head.transitionsBefore = m_transitions;
    const char *const payloadAt = reinterpret_cast<const char *>(m_block.data()) + sizeof(head);
    head.check = checkOf(head, {payloadAt, head.bytes});
    std::memcpy(m_block.data(), &head, sizeof(head));
    const std::uint64_t offset = m_file->size();
    Result<void> written = m_file->append(reinterpret_cast<const char *>(m_block.data()), sizeof(head) + head.bytes);
    if (written) {
        m_locations.push_back(
            {offset, static_cast<std::uint16_t>(head.kind), head.transitions, head.firstTs, head.lastTs});
        skip(1, head.transitions);
    }
    return written;
}

Result<void> BlockWriter::finish()
{
    // A section has at most kMostRows rows, so the index leaves out all later blocks.
    std::vector<BlockLocation> locations = m_locations;
    locations.resize(std::min<std::size_t>(locations.size(), kMostRows));
    ColumnWriter payload;
    BlockLocationLayout::write(locations, payload);
    if (Result<void> begun = beginFile(); !begun)
        return begun;
    Trailer trailer;
    trailer.endBlock = m_file->size();
    if (Result<void> written = write(Kind::End, payload, {}); !written)
        return written;
    trailer.recording = m_identity.recording;
    trailer.check = checkOf(trailer);
    if (Result<void> written = m_file->append(reinterpret_cast<const char *>(&trailer), sizeof(trailer)); !written)
        return written;
    return m_file->close();
}

}  // namespace ct::ctr
