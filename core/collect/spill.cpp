// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/spill.h"

#include "core/base/monotonic.h"
#include "core/base/precedence.h"
#include "core/base/startthread.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <pthread.h>
#include <utility>

namespace ct {

namespace {

/// Chunks go to the file while more than this is in use, or more than half of a small budget. A disk costs less than
/// memory that was not used before.
constexpr std::uint64_t kInMemory = std::uint64_t{32} << 20;
constexpr std::uint64_t kAtOnce = SpillFile::kMostChunks / 2;  ///< chunks that wake the writer
constexpr std::size_t kAddedAtOnce = 1024;                     ///< chunks that are allocated together
constexpr std::uint64_t kMostPending = 4096;                   ///< chunks that the writer may have
constexpr std::uint64_t kPauseNs = 1'000'000'000;              ///< after an error, before the next attempt

/// A sum of products, in eight parts that do not wait for each other. Finds a chunk of another time, or of zeros.
std::uint64_t checksumOf(const std::byte *packets)
{
    constexpr std::uint64_t kFactor = 0x9E37'79B9'7F4A'7C15;
    std::array<std::uint64_t, 8> parts{1, 2, 3, 4, 5, 6, 7, 8};
    for (std::size_t at = 0; at < RawChunk::kBytes; at += sizeof parts) {
        std::array<std::uint64_t, 8> words;
        std::memcpy(words.data(), packets + at, sizeof words);
        for (std::size_t i = 0; i < parts.size(); ++i)
            parts[i] = (parts[i] ^ words[i]) * kFactor;
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t part : parts)
        sum = (sum ^ part >> 29) * kFactor + part;
    return sum;
}

}  // namespace

Spill::Spill(ChunkPool &pool, std::string folder)
    : m_pool(pool), m_folder(std::move(folder)), m_inMemory(std::min(pool.budget() / 2, kInMemory))
{
}

Spill::~Spill()
{
    m_ends.store(true, std::memory_order_relaxed);  // published by raise()
    m_wake.raise();
    if (m_writer.joinable())
        m_writer.join();
}

Result<void> Spill::start()
{
    if (!m_folder.empty() && !startThread(m_writer, [this] { run(); }))
        return noThread("to write the spill file in " + m_folder);
    return {};
}

bool Spill::isWanted() const
{
    // The memory of an offered chunk is not free before the writer is done with it, even if the decoder has read the
    // chunk meanwhile. The limit keeps a slow disk from holding the whole budget.
    return m_writer.joinable() && m_pool.bytesInUse() > m_inMemory &&
           m_pending.load(std::memory_order_relaxed) < kMostPending &&
           monotonicNow() >= m_pausedUntil.load(std::memory_order_relaxed);
}

void Spill::offer(RawChunk &chunk)
{
    // Few large writes cost less than many small ones. A rest stays in memory.
    const bool isMuch = m_pending.fetch_add(1, std::memory_order_relaxed) + 1 >= kAtOnce;
    m_offered.push(&chunk);
    if (isMuch)
        m_wake.raise();
}

const std::byte *Spill::enter(RawChunk &chunk, std::vector<std::byte> &buffer)
{
    {
        const std::lock_guard lock(m_lock);
        if (chunk.spill.position == SpillState::kNotInFile) {
            chunk.spill.isEntered = true;
            return chunk.packets;
        }
    }
    // The chunk is in the file, so the writer no longer uses it.
    buffer.resize(RawChunk::kBytes);
    const std::span<std::byte, RawChunk::kBytes> room(buffer);
    Result<void> read = m_file->read(chunk.spill.position, room);
    if (read && checksumOf(buffer.data()) != chunk.spill.checksum)
        read = Error{ErrorCode::InputOutput, "the spill file in " + m_folder +
                                                 " has other contents than were written; check the disk, or record on "
                                                 "another one"};
    if (read)
        return buffer.data();
    if (!std::exchange(m_hasReportedLoss, true))
        m_notice(read.error().message);
    return nullptr;
}

void Spill::leave(RawChunk &chunk)
{
    const std::lock_guard lock(m_lock);
    if (chunk.spill.position != SpillState::kNotInFile) {
        m_file->release(chunk.spill.position);
        if (--m_inFile == 0)
            m_wake.raise();  // to give the disk back
    }
    chunk.spill.isLeft = true;
    if (!chunk.spill.isOffered)
        release(chunk);
}

void Spill::release(RawChunk &chunk)
{
    if (chunk.packets)
        m_pool.releaseChunk(&chunk);
    else
        m_releasedBare.push(&chunk);
}

void Spill::wait()
{
    m_wake.raise();
    for (std::uint64_t pending = m_pending.load(std::memory_order_acquire); pending != 0;
         pending = m_pending.load(std::memory_order_acquire))
        m_pending.wait(pending, std::memory_order_acquire);
}

void Spill::run()
{
    (void)pthread_setname_np(pthread_self(), "spill");
    giveWay();
    while (!m_ends.load(std::memory_order_relaxed)) {
        m_wake.waitFor(std::chrono::hours(1));
        for (takeOffered(); !m_waiting.empty() && !m_ends.load(std::memory_order_relaxed); takeOffered())
            write();
        truncateIfEmpty();
    }
}

void Spill::truncateIfEmpty()
{
    if (!m_file)
        return;
    std::unique_lock lock(m_lock);
    const bool isEmpty = m_file->reset();
    lock.unlock();
    if (isEmpty)
        m_file->truncate();
}

/// Adds what was offered to m_waiting.
void Spill::takeOffered()
{
    const auto before = static_cast<std::ptrdiff_t>(m_waiting.size());
    for (RawChunk *offered = m_offered.takeAll(); offered; offered = offered->below)
        m_waiting.push_back(offered);
    std::reverse(m_waiting.begin() + before, m_waiting.end());
}

/// Writes the first chunks of m_waiting, as many as fit into one write. Chunks that the decoder already reads, or has
/// read, stay in memory. So do all of these chunks if there is no file to write to.
void Spill::write()
{
    const bool isReady = prepareFile();
    addBare();
    SpillFile::Room room;
    m_writing.clear();
    {
        const std::lock_guard lock(m_lock);
        for (; !m_waiting.empty() && m_writing.size() < SpillFile::kMostChunks; m_waiting.pop_front()) {
            RawChunk *const chunk = m_waiting.front();
            if (isReady && !chunk->spill.isEntered && !chunk->spill.isLeft)
                m_writing.push_back(chunk);
            else
                handBack(*chunk);
        }
        if (m_writing.empty())
            return;
        room = m_file->reserve(m_writing.size());
    }
    for (; m_writing.size() > room.chunks; m_writing.pop_back())
        m_waiting.push_front(m_writing.back());
    std::array<const std::byte *, SpillFile::kMostChunks> packets;
    for (std::size_t i = 0; i < room.chunks; ++i) {
        packets[i] = m_writing[i]->packets;
        m_writing[i]->spill.checksum = checksumOf(packets[i]);
    }
    const Result<void> written = m_file->write(room, packets);
    if (!written)
        pauseAfter(written.error());
    const std::lock_guard lock(m_lock);
    if (!written)
        m_file->abandon(room);
    for (std::size_t i = 0; i < room.chunks; ++i) {
        const SpillState &state = m_writing[i]->spill;
        const std::uint64_t position = room.position + i * RawChunk::kBytes;
        if (written && !state.isEntered && !state.isLeft)
            moveToFile(*m_writing[i], position);
        else if (written)
            m_file->release(position);
        handBack(*m_writing[i]);
    }
}

/// Creates the file, if there is none. Returns false if it cannot take anything.
bool Spill::prepareFile()
{
    if (!m_file) {
        Result<std::unique_ptr<SpillFile>> made = SpillFile::create(m_folder);
        if (!made) {
            pauseAfter(made.error());
            return false;
        }
        const std::lock_guard lock(m_lock);
        m_file = std::move(*made);
    }
    const Result<void> space = m_file->checkSpace();
    if (!space)
        pauseAfter(space.error());
    return static_cast<bool>(space);
}

/// Provides chunks without memory for one write.
void Spill::addBare()
{
    for (RawChunk *chunk = m_releasedBare.takeAll(); chunk; chunk = chunk->below)
        m_bare.push_back(chunk);
    if (m_bare.size() >= SpillFile::kMostChunks)
        return;
    const auto &chunks = m_added.emplace_back(std::make_unique<RawChunk[]>(kAddedAtOnce));
    for (std::size_t i = 0; i < kAddedAtOnce; ++i)
        m_bare.push_back(&chunks[i]);
}

/// Another chunk gets the memory, and goes back to the pool. Under the lock.
void Spill::moveToFile(RawChunk &chunk, std::uint64_t position)
{
    RawChunk *const free = m_bare.back();
    m_bare.pop_back();
    free->packets = std::exchange(chunk.packets, nullptr);
    chunk.spill.position = position;
    ++m_inFile;
    m_pool.releaseChunk(free);
}

/// The writer is done with a chunk. Under the lock.
void Spill::handBack(RawChunk &chunk)
{
    chunk.spill.isOffered = false;
    if (chunk.spill.isLeft)
        release(chunk);
    if (m_pending.fetch_sub(1, std::memory_order_acq_rel) == 1)  // partner: wait()
        m_pending.notify_all();
}

void Spill::pauseAfter(const Error &error)
{
    m_pausedUntil.store(monotonicNow() + kPauseNs, std::memory_order_relaxed);
    if (!std::exchange(m_hasReportedError, true))
        m_notice(error.message);
}

}  // namespace ct
