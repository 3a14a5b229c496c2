// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Crafted regions: sparse files whose counts would make an engine allocate more memory than there is.
#include "core/harvest/harveststate.h"
#include "tests/support/lanecapture.h"
#include "tests/support/lanelayout.h"

#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

using namespace lanecapture;

namespace {

/// A region file of another program, mapped for the lifetime of the object.
class Crafted {
public:
    explicit Crafted(const lanelayout::Sizes &sizes)
    {
        m_size = lanelayout::layOut(sizes, *std::make_unique<corotracer::GlobalHeader>());
        std::ofstream(path()).close();
        std::filesystem::permissions(path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        resize(m_size);
        const int fd = ::open(path().c_str(), O_RDWR | O_CLOEXEC);
        void *const base = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        REQUIRE(base != MAP_FAILED);
        m_header = static_cast<corotracer::GlobalHeader *>(base);
        (void)lanelayout::layOut(sizes, *m_header);
    }
    Crafted(const Crafted &) = delete;
    Crafted &operator=(const Crafted &) = delete;
    ~Crafted() { ::munmap(m_header, m_size); }

    std::string path() const { return m_dir.file("crafted.shm"); }
    corotracer::GlobalHeader &header() const { return *m_header; }
    void resize(std::uint64_t size) const { std::filesystem::resize_file(path(), size); }
    corotracer::ProcessEntry &process(std::uint32_t index) const
    {
        char *const base = reinterpret_cast<char *>(m_header) + m_header->extension.process_table_offset;
        return reinterpret_cast<corotracer::ProcessEntry *>(base)[index];
    }

private:
    regions::TempDir m_dir;
    std::uint64_t m_size = 0;
    corotracer::GlobalHeader *m_header = nullptr;
};

std::uint64_t residentBytes()
{
    std::ifstream status("/proc/self/statm");
    std::uint64_t pages = 0;
    status >> pages >> pages;
    return pages * 4096;
}

}  // namespace

CT_CASE(aTableOfATebibyteIsRefused)
{
    const Crafted crafted(lanelayout::Sizes{});
    corotracer::ExtensionHeader &extension = crafted.header().extension;
    extension.process_table_offset = std::uint64_t{1} << 40;
    extension.process_capacity = ~std::uint32_t{0};
    extension.file_size = std::uint64_t{3} << 40;
    crafted.resize(extension.file_size);
    const auto region = ct::Region::open(crafted.path());
    REQUIRE(!region);
    CHECK(region.error().message.find("processes") != std::string::npos);
}

/// The worst remaining case: the last process of the largest table, named by the only lane.
CT_CASE(theLastPossibleProcessUsesLittleMemory)
{
    lanelayout::Sizes sizes;
    sizes.processes = corotracer::kMaxProcesses;
    const Crafted crafted(sizes);
    constexpr std::uint32_t kLast = corotracer::kMaxProcesses - 1;
    [[maybe_unused]] const std::uint64_t before = residentBytes();
    auto region = ct::Region::open(crafted.path());
    REQUIRE(region);
    REQUIRE(region->writableHeader());
    HarvestLoop loop(*region, [](std::uint32_t, std::uint64_t) { return true; });
    // The writer claims the first free entry. Only the last one is free.
    for (std::uint32_t index = 0; index < kLast; ++index)
        crafted.process(index).state.store(corotracer::kProcessMaking);
    Process process(*region->writableHeader(), 77, 1);
    CHECK_EQUAL(process.index(), kLast);
    auto lane = process.claimLane(5);
    REQUIRE(lane);
    auto coroutine = Coroutine::create(process, *lane, 1, 100);
    REQUIRE(coroutine);
    steps(*coroutine, *lane, 100);
    ct::Batch batch;
    StreamSums streamSums;
    for (bool done = false; !done;) {
        batch.clear();
        done = loop.finalDrain(batch);
        streamSums.add(batch);
    }
    CHECK_EQUAL(loop.accounting().captured, 100u);
    REQUIRE(!streamSums.notes.processes.empty());
    CHECK_EQUAL(streamSums.notes.processes.back().pid, 77u);
#if !CT_THREAD_SANITIZER  // thread sanitizer needs several bytes per byte
    // The table itself accounts for 16 MiB.
    CHECK(residentBytes() < before + (std::uint64_t{100} << 20));
#endif
}

/// Ids of coroutines have 32 bits. In a target that runs for days, all further coroutines share the last id.
CT_CASE(idsOfCoroutinesDoNotWrap)
{
    regions::TempDir dir;
    auto region = ct::Region::create(regions::specOf(dir.file("r.shm"), 64));
    REQUIRE(region);
    ct::HarvestState harvestState(*region);
    CHECK_EQUAL(harvestState.number(), 0u);
    CHECK_EQUAL(harvestState.number(), 1u);
    harvestState.nextCoroutine = ct::kNoCoroutine - 2;
    CHECK_EQUAL(harvestState.number(), ct::kNoCoroutine - 2);
    for (int i = 0; i < 5; ++i)
        CHECK_EQUAL(harvestState.number(), ct::kNoCoroutine - 1);
}
