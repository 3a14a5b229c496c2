// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/collect/spill.h"

#include "core/base/monotonic.h"
#include "core/base/startthread.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <pthread.h>
#include <utility>

namespace ct {

namespace {

/// Chunks go to the file while more than this is in use, or more than half of a small budget: less than memory that was
/// prepared, because a disk costs less than memory that was not used before.
constexpr std::uint64_t kInMemory = std::uint64_t{32} << 20;
constexpr std::uint64_t kAtOnce = SpillFile::kMostChunks / 2;  ///< chunks that wake the writer
constexpr std::size_t kAddedAtOnce = 1024;                     ///< chunks that are allocated together
constexpr std::uint64_t kPauseNs = 1'000'000'000;              ///< after an error, before the next attempt

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

bool Spill::isWanted() const
{
    return !m_folder.empty() && m_pool.bytesInUse() > m_inMemory &&
           monotonicNow() >= m_pausedUntil.load(std::memory_order_relaxed);
}

void Spill::offer(RawChunk &chunk)
{
    if (!startWriter())
        return;
    chunk.spill.isOffered = true;
    m_offered.push(&chunk);
    // Few large writes cost less than many small ones. A rest stays in memory.
    if (m_pending.fetch_add(1, std::memory_order_relaxed) + 1 >= kAtOnce)
        m_wake.raise();
}

/// Returns false if the system has no thread for this.
bool Spill::startWriter()
{
    if (m_writer.joinable())
        return true;
    if (startThread(m_writer, [this] { run(); }))
        return true;
    pauseAfter(noThread("to write the spill file in " + m_folder));
    return false;
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
    // The writer has no business with the chunk any more.
    buffer.resize(RawChunk::kBytes);
    const std::span<std::byte, RawChunk::kBytes> room(buffer);
    if (const Result<void> read = m_file->read(chunk.spill.position, room); !read) {
        if (!std::exchange(m_hasReportedLoss, true))
            m_notice(read.error().message);
        return nullptr;
    }
    return buffer.data();
}

void Spill::leave(RawChunk &chunk)
{
    const std::lock_guard lock(m_lock);
    if (chunk.spill.position != SpillState::kNotInFile)
        m_file->release(chunk.spill.position);
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
    while (!m_ends.load(std::memory_order_relaxed)) {
        m_wake.waitFor(std::chrono::hours(1));
        writeOffered();
    }
}

/// Writes what was offered, without what the decoder has reached meanwhile.
void Spill::writeOffered()
{
    m_youngest.clear();
    RawChunk *offered = m_offered.takeAll();
    {
        const std::lock_guard lock(m_lock);
        while (offered) {
            RawChunk *const below = offered->below;
            if (offered->spill.isEntered || offered->spill.isLeft)
                handBack(*offered);
            else
                m_youngest.push_back(offered);
            offered = below;
        }
    }
    std::reverse(m_youngest.begin(), m_youngest.end());
    for (std::span<RawChunk *const> left = m_youngest; !left.empty();)
        left = left.subspan(write(left));
}

/// Writes the first chunks. Hands back all of them if they cannot be written. Returns the number of those that are done
/// with.
std::size_t Spill::write(std::span<RawChunk *const> chunks)
{
    const Result<SpillFile::Room> reserved = reserve(chunks.size());
    if (!reserved) {
        pauseAfter(reserved.error());
        const std::lock_guard lock(m_lock);
        for (RawChunk *const chunk : chunks)
            handBack(*chunk);
        return chunks.size();
    }
    const SpillFile::Room room = *reserved;
    std::array<const std::byte *, SpillFile::kMostChunks> packets;
    for (std::size_t i = 0; i < room.chunks; ++i)
        packets[i] = chunks[i]->packets;
    const Result<void> written = m_file->write(room, packets);
    if (!written)
        pauseAfter(written.error());
    const std::lock_guard lock(m_lock);
    if (!written)
        m_file->abandon(room);
    for (std::size_t i = 0; i < room.chunks; ++i) {
        SpillState &state = chunks[i]->spill;
        const std::uint64_t position = room.position + i * RawChunk::kBytes;
        if (written && !state.isEntered && !state.isLeft)
            moveToFile(*chunks[i], position);
        else if (written)
            m_file->release(position);
        handBack(*chunks[i]);
    }
    return room.chunks;
}

/// Another chunk gets the memory, and goes back to the pool. Under the lock.
void Spill::moveToFile(RawChunk &chunk, std::uint64_t position)
{
    RawChunk *const free = takeBare();
    free->packets = std::exchange(chunk.packets, nullptr);
    chunk.spill.position = position;
    m_pool.releaseChunk(free);
}

/// Returns a chunk without memory.
RawChunk *Spill::takeBare()
{
    for (RawChunk *chunk = m_releasedBare.takeAll(); chunk;) {
        RawChunk *const below = chunk->below;
        chunk->below = m_bare;
        m_bare = chunk;
        chunk = below;
    }
    if (!m_bare) {
        const auto &chunks = m_added.emplace_back(std::make_unique<RawChunk[]>(kAddedAtOnce));
        for (std::size_t i = kAddedAtOnce; i-- > 0;) {
            chunks[i].below = m_bare;
            m_bare = &chunks[i];
        }
    }
    RawChunk *const chunk = m_bare;
    m_bare = chunk->below;
    return chunk;
}

Result<SpillFile::Room> Spill::reserve(std::size_t chunks)
{
    if (!m_file) {
        Result<std::unique_ptr<SpillFile>> made = SpillFile::create(m_folder);
        if (!made)
            return made.error();
        const std::lock_guard lock(m_lock);
        m_file = std::move(*made);
    }
    const std::lock_guard lock(m_lock);
    return m_file->reserve(chunks);
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
    if (!m_hasReportedError.exchange(true, std::memory_order_relaxed))
        m_notice(error.message);
}

}  // namespace ct
