// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The spill file: what waits in it, what comes back, and what happens when it cannot be written or read.
#include "core/collect/spill.h"
#include "tests/support/lanecapture.h"
#include "tests/support/sanitizers.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <future>
#include <random>
#include <span>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace lanecapture;

namespace {

constexpr std::uint64_t kBudget = std::uint64_t{4} << 20;
constexpr std::uint64_t kChunksInBudget = 500;  ///< at least

/// Takes all free chunks. Returns their number.
std::uint64_t chunksIn(ct::ChunkPool &pool)
{
    std::uint64_t count = 0;
    while (pool.takeChunk())
        ++count;
    return count;
}

void fill(ct::RawChunk &chunk, std::uint64_t number)
{
    for (std::size_t at = 0; at < ct::RawChunk::kBytes; at += sizeof number)
        std::memcpy(chunk.packets + at, &number, sizeof number);
}

bool isFilled(const std::byte *packets, std::uint64_t number)
{
    for (std::size_t at = 0; at < ct::RawChunk::kBytes; at += sizeof number) {
        if (std::memcmp(packets + at, &number, sizeof number) != 0)
            return false;
    }
    return true;
}

/// A pool and a spill file with a small budget.
struct Chunks {
    regions::TempDir dir;
    ct::ChunkPool pool{kBudget};
    ct::Spill spill{pool, dir.path()};
    std::vector<std::byte> buffer;

    Chunks() { REQUIRE(spill.start()); }
    void offer(ct::RawChunk &chunk)
    {
        ct::Spill::promise(chunk);
        spill.offer(chunk);
    }
    /// Waits for memory if there is none.
    ct::RawChunk &take(std::uint64_t number)
    {
        ct::RawChunk *chunk = pool.takeChunk();
        if (!chunk) {
            spill.wait();
            chunk = pool.takeChunk();
        }
        REQUIRE(chunk);
        fill(*chunk, number);
        return *chunk;
    }
    bool comesBack(ct::RawChunk &chunk, std::uint64_t number)
    {
        const std::byte *const packets = spill.enter(chunk, buffer);
        const bool same = packets && isFilled(packets, number);
        spill.leave(chunk);
        return same;
    }
};

/// Descriptors of this process that refer to the removed file in the folder.
std::vector<int> descriptorsOfFileIn(const std::string &folder)
{
    std::vector<int> found;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code ignored;
        const std::string target = std::filesystem::read_symlink(entry.path(), ignored).string();
        if (target.starts_with(folder + '/') && target.ends_with("(deleted)"))
            found.push_back(std::stoi(entry.path().filename()));
    }
    return found;
}

/// A capture with a spill file, and a coroutine that fills the memory several times while nothing is decoded.
struct LongBacklog {
    Capture c;
    regions::TempDir folder;
    std::uint64_t emitted = 0;

    void fillMemory(double times)
    {
        c.loop.emplace(*c.region, c.isAlive(), ct::BacklogSpec{0, folder.path()});
        REQUIRE(c.loop->collector().queue().spill.start());
        ct::RawQueue &queue = c.loop->collector().queue();
        const Process process = c.process();
        Lane lane = *process.claimLane(1);
        Coroutine one = *Coroutine::create(process, lane, 1, 1);
        // A record takes at least five bytes.
        const auto most = static_cast<std::uint64_t>(static_cast<double>(queue.pool.budget()) * times / 5);
        while (emitted < most) {
            steps(one, lane, 1000);
            emitted += 1000;
            c.loop->collector().pass();
            REQUIRE(!c.loop->collector().hasMore());
            queue.spill.wait();
        }
    }
};

}  // namespace

CT_CASE(chunksComeBackFromTheFile)
{
    Chunks chunks;
    std::vector<ct::RawChunk *> all;
    CHECK(!chunks.spill.isWanted());
    for (std::uint64_t number = 0; number < 4 * kChunksInBudget; ++number) {
        ct::RawChunk &chunk = chunks.take(number);
        all.push_back(&chunk);
        if (chunks.spill.isWanted())
            chunks.offer(chunk);
    }
    chunks.spill.wait();
    CHECK(chunks.pool.bytesInUse() <= kBudget / 2 + ct::RawChunk::kBytes);
    CHECK(!all.front()->spill.isOffered && all.front()->packets);
    CHECK(!all.back()->packets);
    for (std::uint64_t number = 0; number < all.size(); ++number)
        CHECK(chunks.comesBack(*all[number], number));
    CHECK_EQUAL(chunks.pool.bytesInUse(), 0u);
    ct::ChunkPool fresh(kBudget);
    CHECK_EQUAL(chunksIn(chunks.pool), chunksIn(fresh));
}

/// The decoder reaches chunks while they are written: none is lost, and each memory is released once.
CT_CASE(theDecoderMayOvertakeTheWriter)
{
    Chunks chunks;
    std::mt19937_64 random(5);
    std::vector<ct::RawChunk *> waiting;
    std::uint64_t written = 0, read = 0;
    constexpr std::uint64_t kAll = 20 * kChunksInBudget;
    while (read < kAll) {
        for (std::uint64_t i = random() % (2 * kChunksInBudget);
             i > 0 && written < kAll && waiting.size() < 8 * kChunksInBudget; --i) {
            ct::RawChunk &chunk = chunks.take(written++);
            waiting.push_back(&chunk);
            if (random() % 64 == 0)
                chunks.spill.enter(chunk, chunks.buffer);
            if (chunks.pool.bytesInUse() > kBudget / 4)
                chunks.offer(chunk);
        }
        for (std::uint64_t i = random() % (2 * kChunksInBudget); i > 0 && !waiting.empty(); --i) {
            // Reads the oldest chunk, or the youngest one, which the writer may be writing.
            if (random() % 2)
                std::swap(waiting.front(), waiting.back());
            ct::RawChunk &chunk = *waiting.back();
            waiting.pop_back();
            std::uint64_t number = 0;
            const std::byte *const packets = chunks.spill.enter(chunk, chunks.buffer);
            REQUIRE(packets);
            std::memcpy(&number, packets, sizeof number);
            CHECK(number < written && isFilled(packets, number));
            chunks.spill.leave(chunk);
            ++read;
        }
    }
    chunks.spill.wait();
    CHECK_EQUAL(chunks.pool.bytesInUse(), 0u);
    ct::ChunkPool fresh(kBudget);
    CHECK_EQUAL(chunksIn(chunks.pool), chunksIn(fresh));
}

/// The decoder begins to read chunks while the writer has them: their memory stays until it leaves them.
CT_CASE(chunksInUseStayInMemory)
{
    Chunks chunks;
    for (int round = 0; round < 20; ++round) {
        std::vector<ct::RawChunk *> all;
        for (std::uint64_t number = 0; number < kChunksInBudget; ++number)
            all.push_back(&chunks.take(number));
        for (ct::RawChunk *const chunk : all)
            chunks.offer(*chunk);
        std::vector<const std::byte *> entered;
        std::vector<std::vector<std::byte>> buffers(all.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            entered.push_back(chunks.spill.enter(*all[i], buffers[i]));
        chunks.spill.wait();
        for (std::size_t i = 0; i < all.size(); ++i) {
            CHECK(isFilled(entered[i], i));
            chunks.spill.leave(*all[i]);
        }
        CHECK_EQUAL(chunks.pool.bytesInUse(), 0u);
    }
}

CT_CASE(spaceInTheFileIsUsedAgain)
{
    const regions::TempDir dir;
    const auto file = ct::SpillFile::create(dir.path());
    REQUIRE(file);
    REQUIRE((*file)->checkSpace());
    std::vector<std::uint64_t> positions;
    std::uint64_t end = 0;
    for (int i = 0; i < 2000; ++i) {
        const auto room = (*file)->reserve(static_cast<std::size_t>(1 + i % 150));
        CHECK(room.chunks >= 1 && room.chunks <= ct::SpillFile::kMostChunks);
        for (std::size_t chunk = 0; chunk < room.chunks; ++chunk)
            positions.push_back(room.position + chunk * ct::RawChunk::kBytes);
        end = std::max(end, positions.back());
        while (positions.size() > 300) {
            (*file)->release(positions.front());
            positions.erase(positions.begin());
        }
    }
    CHECK(end < 8 * ct::SpillFile::kMostChunks * ct::RawChunk::kBytes);
    std::sort(positions.begin(), positions.end());
    CHECK(std::adjacent_find(positions.begin(), positions.end()) == positions.end());
    CHECK(!(*file)->reset());
    for (const std::uint64_t position : positions)
        (*file)->release(position);
    CHECK((*file)->reset());
    CHECK_EQUAL((*file)->reserve(1).position, 0u);
}

/// A limit of the file's size (ulimit -f), and a folder that is not there: chunks stay in memory, and a message says
/// why.
CT_CASE(withoutAFileChunksStayInMemory)
{
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    for (const bool isLimited : {true, false}) {
        const regions::TempDir dir;
        ct::ChunkPool pool(kBudget);
        ct::Spill spill(pool, isLimited ? dir.path() : dir.path() + "/none");
        std::string message;
        spill.setNotice([&](const std::string &text) { message = text; });
        REQUIRE(spill.start());
        if (isLimited) {
            const rlimit small{100'000, before.rlim_max};
            REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
        }
        std::vector<ct::RawChunk *> all;
        while (ct::RawChunk *const chunk = pool.takeChunk()) {
            fill(*chunk, all.size());
            all.push_back(chunk);
            if (spill.isWanted()) {
                ct::Spill::promise(*chunk);
                spill.offer(*chunk);
            }
        }
        spill.wait();
        CHECK(message.find(isLimited ? "ulimit -f" : "create its folder") != std::string::npos);
        std::vector<std::byte> buffer;
        for (std::uint64_t number = 0; number < all.size(); ++number) {
            const std::byte *const packets = spill.enter(*all[number], buffer);
            CHECK(packets && isFilled(packets, number));
            spill.leave(*all[number]);
        }
        CHECK_EQUAL(pool.bytesInUse(), 0u);
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    }
}

/// A file system may refuse writes past the page cache, for example from memory at odd addresses. Then chunks go
/// through the page cache.
CT_CASE(refusedDirectWritesGoThroughThePageCache)
{
    const regions::TempDir dir;
    const auto file = ct::SpillFile::create(dir.path());
    REQUIRE(static_cast<bool>(file));
    constexpr std::size_t kCount = 3;
    std::vector<std::byte> memory(kCount * ct::RawChunk::kBytes + 1);
    std::vector<const std::byte *> packets;
    for (std::size_t i = 0; i < kCount; ++i) {
        ct::RawChunk chunk;
        chunk.packets = memory.data() + 1 + i * ct::RawChunk::kBytes;
        fill(chunk, i);
        packets.push_back(chunk.packets);
    }
    const ct::SpillFile::Room room = (*file)->reserve(kCount);
    REQUIRE((*file)->write(room, packets));
    std::vector<std::byte> buffer(ct::RawChunk::kBytes);
    for (std::size_t i = 0; i < kCount; ++i) {
        const std::span<std::byte, ct::RawChunk::kBytes> chunk(buffer);
        REQUIRE((*file)->read(room.position + i * ct::RawChunk::kBytes, chunk));
        CHECK(isFilled(buffer.data(), i));
    }
}

/// While the writer stands still, as with a disk that does not answer, the collector keeps its chunks in memory, and
/// the decoder reads those that the writer has.
CT_CASE(aWriterThatStandsStillHoldsUpNobody)
{
    const regions::TempDir dir;
    ct::ChunkPool pool(kBudget);
    ct::Spill spill(pool, dir.path() + "/none");
    std::promise<void> stands, goesOn;
    spill.setNotice([&, gate = goesOn.get_future().share()](const std::string &) {  // on the writer's thread
        stands.set_value();
        gate.wait();
    });
    REQUIRE(spill.start());
    std::vector<ct::RawChunk *> all;
    std::size_t offered = 0;
    while (ct::RawChunk *const chunk = pool.takeChunk()) {
        fill(*chunk, all.size());
        all.push_back(chunk);
        if (!spill.isWanted())
            continue;
        ct::Spill::promise(*chunk);
        spill.offer(*chunk);
        if (++offered == ct::SpillFile::kMostChunks / 2)
            stands.get_future().wait();
    }
    CHECK(offered >= ct::SpillFile::kMostChunks / 2);
    std::vector<std::byte> buffer;
    for (std::uint64_t number = 0; number < all.size(); ++number) {
        const std::byte *const packets = spill.enter(*all[number], buffer);
        CHECK(packets && isFilled(packets, number));
        spill.leave(*all[number]);
    }
    CHECK(pool.bytesInUse() > 0);
    goesOn.set_value();
    spill.wait();
    CHECK_EQUAL(pool.bytesInUse(), 0u);
}

/// The region is gone, but what was collected from it before is not.
CT_CASE(aCutRegionKeepsTheBacklog)
{
    LongBacklog backlog;
    backlog.fillMemory(1.3);
    Capture &c = backlog.c;
    std::filesystem::resize_file(c.region->path(), 0);
    c.scanAll();
    c.end();
    CHECK_EQUAL(c.streamSums.captured, backlog.emitted);
    CHECK_EQUAL(c.streamSums.lost, 0u);
    CHECK_EQUAL(c.loop->accounting().captured, backlog.emitted);
}

/// A backlog beyond the memory arrives whole, and in order.
CT_CASE(aBacklogBeyondTheMemoryArrivesWhole)
{
    LongBacklog backlog;
    backlog.fillMemory(1.3);
    CHECK(!descriptorsOfFileIn(backlog.folder.path()).empty());
    Capture &c = backlog.c;
    c.scanAll();
    c.end();
    c.checkTotals(backlog.emitted);
    CHECK_EQUAL(c.streamSums.captured, backlog.emitted);
    ct::RawQueue &queue = c.loop->collector().queue();
    CHECK_EQUAL(queue.pool.bytesInUse(), ct::RawChunk::kBytes);
    // The disk has its space again.
    queue.spill.wait();
    const int file = descriptorsOfFileIn(backlog.folder.path()).front();
    struct stat info {};
    do
        REQUIRE(::fstat(file, &info) == 0);
    while (info.st_size != 0 && (std::this_thread::yield(), true));
}

/// What the file does not give back, or gives back as something else, is lost, and counted.
CT_CASE(recordsLostInTheFileAreCounted)
{
    for (const bool isCut : {true, false}) {
        LongBacklog backlog;
        backlog.fillMemory(1);
        const std::vector<int> files = descriptorsOfFileIn(backlog.folder.path());
        REQUIRE(!files.empty());
        if (isCut)
            REQUIRE(::ftruncate(files.front(), 200'000) == 0);
        const std::vector<char> zeros(isCut ? 0 : 500'000);
        for (const int descriptor : files)  // one of them only reads or writes whole blocks
            (void)!::pwrite(descriptor, zeros.data(), zeros.size(), 100'000);
        Capture &c = backlog.c;
        std::string message;
        c.loop->collector().queue().spill.setNotice([&](const std::string &text) { message = text; });
        c.scanAll();
        c.end();
        c.checkTotals(backlog.emitted);
        CHECK(c.streamSums.lost > 0 && c.streamSums.captured > 0);
        CHECK_EQUAL(c.loop->accounting().recordsDropped, c.streamSums.lost);
        CHECK(message.find(isCut ? "cannot read the spill file" : "has other contents") != std::string::npos);
    }
}

/// Collector, writer and decoder on three threads.
CT_CASE(threeThreadsAgree)
{
    LongBacklog backlog;
    Capture &c = backlog.c;
    c.loop.emplace(*c.region, c.isAlive(), ct::BacklogSpec{0, backlog.folder.path()});
    REQUIRE(c.loop->collector().queue().spill.start());
    ct::RawQueue &queue = c.loop->collector().queue();
    const Process process = c.process();
    Lane lane = *process.claimLane(1);
    Coroutine one = *Coroutine::create(process, lane, 1, 1);
    c.loop->separate();
    std::uint64_t emitted = 0;
    const std::uint64_t enough = queue.pool.budget() / (CT_THREAD_SANITIZER ? 16 : 4);
    while (emitted < enough || descriptorsOfFileIn(backlog.folder.path()).empty()) {
        for (std::uint64_t end = emitted + queue.pool.budget() / 16; emitted < end; emitted += 1000) {
            while (lane.position() - lane.ring().header->tail.load(std::memory_order_acquire) > 1000)
                std::this_thread::yield();
            steps(one, lane, 1000);
        }
        for (int i = 0; i < 20; ++i)
            c.pass();
    }
    CHECK(!descriptorsOfFileIn(backlog.folder.path()).empty());
    c.end();
    c.checkTotals(emitted);
    CHECK_EQUAL(c.streamSums.captured, emitted);
}
