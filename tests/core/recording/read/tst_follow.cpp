// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reading a recording while it is written.
#include "core/recording/read/filegrowth.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/blockwriter.h"
#include "core/recording/write/fileclaim.h"
#include "tests/core/recording/recordingtest.h"

#include <fcntl.h>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace recordingtest;

namespace {

/// Batches of a recording with several blocks, and the bytes of the file.
struct Recorded {
    std::vector<Batch> batches;
    std::string bytes;
    std::vector<std::uint64_t> blocks;  ///< offsets of the blocks
};

Recorded recorded(const TempDir &dir, std::size_t batches = 24, std::size_t transitions = 2000)
{
    Recorded result;
    const std::string path = dir.file("whole.ctr");
    RandomStream stream(7);
    {
        const std::shared_ptr<RecordingWriter> out = writer(path);
        for (std::size_t i = 0; i < batches; ++i) {
            result.batches.push_back(stream.next(transitions));
            result.batches.back().now += i * 600'000'000;  // a block for every two batches
            REQUIRE(static_cast<bool>(out->consume(result.batches.back())));
        }
        REQUIRE(static_cast<bool>(out->finish({})));
    }
    result.bytes = contentOf(path);
    auto reader = ctr::BlockReader::open(path);
    REQUIRE(static_cast<bool>(reader));
    ctr::Block block;
    while (*(*reader)->next(block))
        result.blocks.push_back(block.offset);
    REQUIRE(result.blocks.size() >= batches / 2);
    return result;
}

/// A writer whose pace the test controls.
class SlowWriter {
public:
    explicit SlowWriter(const std::string &path) : m_fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600))
    {
        REQUIRE(m_fd >= 0 && ctr::claimForWriting(m_fd));
    }
    ~SlowWriter() { leave(); }
    void write(std::string_view bytes)
    {
        REQUIRE(::write(m_fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }
    void leave()
    {
        if (m_fd >= 0)
            ::close(m_fd);
        m_fd = -1;
    }

private:
    int m_fd;
};

/// A complete recording, to be written again by a slow writer.
struct Growing {
    const TempDir dir;
    const Recorded what = recorded(dir);
    const std::string path = dir.file("growing.ctr");
    SlowWriter slow{path};
};

/// A following reader on its own thread.
class Follower {
public:
    explicit Follower(std::string path) : m_path(std::move(path)), m_thread([this] { run(); }) {}
    ~Follower() { m_thread.join(); }
    std::size_t batches()
    {
        const std::lock_guard lock(m_mutex);
        return m_all.batches.size();
    }
    void awaitBatches(std::size_t count)
    {
        while (batches() < count)
            std::this_thread::yield();
    }
    /// Waits until it has read `bytes` bytes and waits for more.
    void awaitWaiting(std::uint64_t bytes)
    {
        for (;;) {
            const FileGrowth::Figures figures = m_growth.figures();
            if (figures.waiting && figures.bytes == bytes)
                return;
            std::this_thread::yield();
        }
    }
    Everything all()
    {
        while (!m_ended.load())
            std::this_thread::yield();
        const std::lock_guard lock(m_mutex);
        return m_all;
    }
    bool hasEnded() const { return m_ended.load(); }
    FileGrowth &growth() { return m_growth; }

private:
    void run()
    {
        auto reader = RecordingReader::open(m_path, nullptr, &m_growth);
        Batch batch;
        std::string error = reader ? "" : reader.error().message;
        while (reader && error.empty()) {
            const Result<bool> more = (*reader)->next(batch);
            if (!more)
                error = more.error().message;
            if (!more || !*more)
                break;
            const std::lock_guard lock(m_mutex);
            m_all.batches.push_back(batch);
        }
        {
            const std::lock_guard lock(m_mutex);
            m_all.error = error;
            if (reader) {
                m_all.hasEnded = (*reader)->hasEnded();
                m_all.damages = (*reader)->damages();
            }
        }
        m_ended.store(true);
    }

    const std::string m_path;
    FileGrowth m_growth;
    std::mutex m_mutex;
    Everything m_all;
    std::atomic<bool> m_ended = false;
    std::thread m_thread;
};

void checkEqual(const std::vector<Batch> &read, const std::vector<Batch> &written)
{
    CHECK(read.size() == written.size());
    for (std::size_t i = 0; i < std::min(read.size(), written.size()); ++i)
        CHECK(textOf(read[i]) == textOf(written[i]));
}

/// Bytes may arrive in pieces of any size. Each block is read once it is complete.
CT_CASE(followsAFileThatGrowsInPieces)
{
    Growing growing;
    auto &[dir, what, path, slow] = growing;
    Follower follower(path);
    std::mt19937 random(3);
    std::size_t done = 0;
    // Write the beginning byte by byte, and the other blocks in two pieces each.
    for (; done < 200; ++done)
        slow.write(what.bytes.substr(done, 1));
    for (std::size_t i = 1; i + 1 < what.blocks.size(); ++i) {
        const std::size_t cut = what.blocks[i] + 1 + random() % (what.blocks[i + 1] - what.blocks[i] - 1);
        slow.write(what.bytes.substr(done, cut - done));
        done = cut;
        follower.awaitWaiting(done);
        CHECK(!follower.hasEnded());
    }
    const std::size_t before = follower.batches();
    CHECK(before > 0);
    slow.write(what.bytes.substr(done));
    const Everything all = follower.all();
    CHECK(all.hasEnded && all.error.empty() && all.damages.empty());
    checkEqual(all.batches, what.batches);
    CHECK(follower.growth().figures().followed);
}

/// The End block alone ends reading, not whether a process has the file open.
CT_CASE(theEndBlockEnds)
{
    Growing growing;
    auto &[dir, what, path, slow] = growing;
    slow.write(what.bytes);
    Follower follower(path);
    CHECK(follower.all().hasEnded);
}

CT_CASE(aKilledWriterEndsTheFollowing)
{
    Growing growing;
    auto &[dir, what, path, slow] = growing;
    Follower follower(path);
    slow.write(what.bytes.substr(0, what.blocks[6] + 70));
    follower.awaitWaiting(what.blocks[6] + 70);
    CHECK(!follower.hasEnded());
    slow.leave();
    const Everything all = follower.all();
    CHECK(!all.hasEnded && all.error.find("interrupted") != std::string::npos);
    CHECK(all.damages.size() == 1 && all.damages[0].atEnd && all.damages[0].bytes == 70);
    CHECK(!all.batches.empty());
    checkEqual(all.batches, {what.batches.begin(), what.batches.begin() + static_cast<long>(all.batches.size())});
}

/// Damage inside the file is skipped and reported once the next block is there. This includes a length that exceeds the
/// file.
void withDamage(std::size_t at, char byte)
{
    Growing growing;
    auto &[dir, what, path, slow] = growing;
    std::string bytes = what.bytes;
    bytes[what.blocks[4] + at] = byte;
    Follower follower(path);
    slow.write(bytes.substr(0, what.blocks[4] + 100));
    follower.awaitWaiting(what.blocks[4] + 100);
    slow.write(bytes.substr(what.blocks[4] + 100));
    if (byte == '\x03')  // the length: the block claims more bytes than the file will have
        slow.leave();
    const Everything all = follower.all();
    CHECK(all.hasEnded && !all.error.empty());
    CHECK(all.damages.size() == 1 && !all.damages[0].atEnd && all.damages[0].offset == what.blocks[4]);
    CHECK(all.batches.size() + 2 == what.batches.size());
}

CT_CASE(damageIsLeftOut)
{
    withDamage(80, '\x7e');  // in the payload
    withDamage(23, '\x03');  // in the head: 48 MiB
}

/// Blocks behind a head that claims 48 MiB are read before that many bytes have arrived.
CT_CASE(readsBlocksBehindADamagedLengthAtOnce)
{
    const TempDir dir;
    const Recorded what = recorded(dir, 60, 20'000);
    REQUIRE(what.bytes.size() > (6U << 20));
    std::string bytes = what.bytes;
    bytes[what.blocks[2] + 23] = '\x03';
    const std::string path = dir.file("growing.ctr");
    SlowWriter slow(path);
    Follower follower(path);
    slow.write(bytes.substr(0, what.blocks[3]));
    follower.awaitWaiting(what.blocks[3]);
    slow.write(std::string_view(bytes).substr(what.blocks[3], bytes.size() - 100 - what.blocks[3]));
    follower.awaitBatches(what.batches.size() / 2);
    CHECK(!follower.hasEnded());
    slow.write(std::string_view(bytes).substr(bytes.size() - 100));
    const Everything all = follower.all();
    CHECK(all.hasEnded && all.damages.size() == 1 && all.batches.size() + 2 == what.batches.size());
}

/// A head that claims more than a block may have, behind a damaged block, delays nothing either.
CT_CASE(damagedNeighboursAreLeftOut)
{
    Growing growing;
    auto &[dir, what, path, slow] = growing;
    std::string bytes = what.bytes;
    bytes[what.blocks[4] + 80] ^= 1;
    bytes[what.blocks[5] + 23] = '\xFF';
    Follower follower(path);
    slow.write(std::string_view(bytes).substr(0, bytes.size() - 100));
    follower.awaitWaiting(bytes.size() - 100);
    CHECK(follower.batches() + 5 >= what.batches.size());
    slow.write(std::string_view(bytes).substr(bytes.size() - 100));
    slow.leave();
    const Everything all = follower.all();
    CHECK(all.hasEnded && all.damages.size() == 1 && !all.damages[0].atEnd);
    CHECK(all.batches.size() + 4 == what.batches.size());
}

CT_CASE(cancelEndsTheWait)
{
    Growing growing;
    auto &[dir, what, path, slow] = growing;
    {
        Follower empty(path);
        empty.awaitWaiting(0);
        empty.growth().cancel();
        CHECK(!empty.all().error.empty());
    }
    Follower follower(path);
    slow.write(what.bytes.substr(0, what.blocks[5]));
    follower.awaitWaiting(what.blocks[5]);
    follower.growth().cancel();
    const Everything all = follower.all();
    CHECK(!all.hasEnded && all.error.empty() && all.damages.empty() && !all.batches.empty());
}

/// A file without a writer is not followed.
CT_CASE(fileWithoutWriterEnds)
{
    const TempDir dir;
    const Recorded what = recorded(dir);
    const std::string path = dir.file("cut.ctr");
    putContent(path, what.bytes.substr(0, what.blocks[5] + 10));
    CHECK(!RecordingReader::isWritten(path));
    Follower follower(path);
    CHECK(!follower.all().hasEnded && !follower.growth().figures().followed);
    const SlowWriter other(path);
    CHECK(RecordingReader::isWritten(path));
    CHECK(!RecordingReader::isWritten(dir.file("none.ctr")));
}

CT_CASE(refusesASecondWriter)
{
    const TempDir dir;
    const std::string path = dir.file("one.ctr");
    {
        const std::shared_ptr<RecordingWriter> first = writer(path);
        CHECK(RecordingReader::isWritten(path));
        const auto second = RecordingWriter::open(path);
        CHECK(!second && second.error().code == ErrorCode::AlreadyExists);
        REQUIRE(static_cast<bool>(first->finish({})));
        CHECK(!RecordingReader::isWritten(path));
    }
    CHECK(static_cast<bool>(RecordingWriter::open(path)));
}

/// Follows the recorder's own rotation, over several files.
CT_CASE(followsARotation)
{
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    const auto made = RecordingWriter::open(path, {0, 8'000'000'000});  // a file per second of the stream
    REQUIRE(static_cast<bool>(made));
    RandomStream stream(11);
    std::vector<Batch> written;
    const auto write = [&](int count) {
        for (int i = 0; i < count; ++i) {
            written.push_back(stream.next(200));
            written.back().now += written.size() * 600'000'000;
            REQUIRE(static_cast<bool>((*made)->consume(written.back())));
        }
    };
    write(1);
    CHECK(RecordingReader::isWritten(ctr::segmentPath(path, 0)));
    Follower follower(ctr::segmentPath(path, 0));
    for (int i = 0; i < 5; ++i) {
        write(3);
        follower.awaitBatches(written.size() - 2);  // the latest batches are not in the file yet
    }
    CHECK(std::filesystem::exists(ctr::segmentPath(path, 4)));
    REQUIRE(static_cast<bool>((*made)->finish({})));
    const Everything all = follower.all();
    CHECK(all.hasEnded && all.error.empty() && all.damages.empty());
    checkEqual(all.batches, written);
}

/// A recorder that is several files ahead of its follower and has not finished.
struct Ahead {
    const TempDir dir;
    const std::string path = dir.file("run.ctr");
    std::shared_ptr<RecordingWriter> writer;
    RandomStream stream{13};
    std::size_t written = 0;
    FileGrowth growth;
    std::unique_ptr<RecordingReader> reader;

    Ahead()
    {
        const auto made = RecordingWriter::open(path, {0, 8'000'000'000});  // a file per second of the stream
        REQUIRE(static_cast<bool>(made));
        writer = *made;
        write(2);
        auto opened = RecordingReader::open(segment(0), nullptr, &growth);
        REQUIRE(static_cast<bool>(opened));
        reader = std::move(*opened);
    }
    std::string segment(std::uint32_t number) const { return ctr::segmentPath(path, number); }
    void write(int count)
    {
        for (int i = 0; i < count; ++i) {
            Batch batch = stream.next(200);
            batch.now += ++written * 600'000'000;
            REQUIRE(static_cast<bool>(writer->consume(batch)));
        }
    }
};

/// The figures also show the backlog in a file that is no longer written.
CT_CASE(figuresShowTheBacklogOfACompleteFile)
{
    Ahead ahead;
    ahead.write(10);
    REQUIRE(std::filesystem::exists(ahead.segment(3)));
    REQUIRE(static_cast<bool>(ahead.writer->finish({})));
    const std::uint64_t size = std::filesystem::file_size(ahead.segment(2));
    bool hasBacklog = false;
    Batch batch;
    while (*ahead.reader->next(batch)) {
        const FileGrowth::Figures figures = ahead.growth.figures();
        CHECK(figures.followed && !figures.waiting);
        hasBacklog = hasBacklog || (figures.bytes == size && figures.read < size && figures.latestTs > batch.now);
    }
    CHECK(hasBacklog && ahead.reader->hasEnded());
}

/// The next file is read even if the last block of the previous one is damaged.
CT_CASE(aDamagedEndBlockDoesNotEndARotation)
{
    Ahead ahead;
    ahead.write(4);
    REQUIRE(std::filesystem::exists(ahead.segment(1)));
    REQUIRE(static_cast<bool>(ahead.writer->finish({})));
    std::uint64_t end = 0;
    {
        auto blocks = ctr::BlockReader::open(ahead.segment(0));
        REQUIRE(static_cast<bool>(blocks));
        ctr::Block block;
        while (*(*blocks)->next(block))
            end = block.offset;
        REQUIRE(block.head.kind == ctr::Kind::End);
    }
    std::string content = contentOf(ahead.segment(0));
    REQUIRE(end + 64 < content.size());
    content[end + 56] ^= 1;  // the checksum
    putContent(ahead.segment(0), content);
    std::size_t batches = 0;
    Batch batch;
    Result<bool> more = true;
    while ((more = ahead.reader->next(batch)) && *more)
        ++batches;
    CHECK(batches == ahead.written && ahead.reader->hasEnded());
    CHECK(!more && ahead.reader->damages().size() == 1);
}

/// The name of the next file would be too long for the system.
CT_CASE(endsIfTheNextNameIsTooLong)
{
    const TempDir dir;
    const std::string path = dir.file(std::string(249, 'a') + ".9.ctr");
    auto identity = ctr::BlockWriter::newIdentity();
    identity.segment = 9;
    const auto writer = ctr::BlockWriter::open(path, identity);
    REQUIRE(static_cast<bool>(writer));
    CHECK(static_cast<bool>((*writer)->finish()));
    Follower follower(path);
    CHECK(follower.all().hasEnded);
}

/// If the next file was removed, a reader that is far behind reports it and says where to continue.
CT_CASE(reportsARemovedSegment)
{
    Ahead ahead;
    ahead.write(40);
    CHECK(!std::filesystem::exists(ahead.segment(1)));
    Batch batch;
    Result<bool> more = true;
    while (more && *more)
        more = ahead.reader->next(batch);
    CHECK(!more && more.error().code == ErrorCode::NotFound);
    CHECK(more || more.error().message.find("was removed by its recorder") != std::string::npos);
}

}  // namespace
