// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/memoryahead.h"
#include "core/base/reservedarray.h"

#include "tests/support/check.h"

#include <algorithm>
#include <sys/mman.h>
#include <vector>

using namespace ct;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kBytes = 1024 * kPage;

class Mapping {
public:
    Mapping()
        : m_begin(static_cast<std::byte *>(
              mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
    {
    }
    ~Mapping() { munmap(m_begin, kBytes); }
    Mapping(const Mapping &) = delete;
    Mapping &operator=(const Mapping &) = delete;

    std::byte *begin() const { return m_begin; }
    std::size_t resident() const
    {
        std::vector<unsigned char> pages(kBytes / kPage);
        CHECK_EQUAL(mincore(m_begin, kBytes, pages.data()), 0);
        return static_cast<std::size_t>(
            std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1U) != 0; }));
    }

private:
    std::byte *m_begin;
};

}  // namespace

CT_CASE(preparedMemoryIsResidentAndUnchanged)
{
    const Mapping mapping;
    CHECK_EQUAL(mapping.resident(), std::size_t{0});
    if (madvise(mapping.begin(), kPage, 23) != 0)
        CHECK_SKIP("this kernel has no MADV_POPULATE_WRITE");
    mapping.begin()[5 * kPage] = std::byte{42};
    MemoryAhead ahead;
    ahead.prepare(mapping.begin(), kBytes / 2);
    ahead.wait();
    CHECK_EQUAL(mapping.resident(), kBytes / kPage / 2);
    CHECK(mapping.begin()[5 * kPage] == std::byte{42});
    ahead.stop();
}

CT_CASE(endsWithRequestsLeft)
{
    const Mapping mapping;
    MemoryAhead ahead;
    for (int i = 0; i < 100; ++i)
        ahead.prepare(mapping.begin(), kBytes);
    ahead.stop();
    ahead.stop();
}

CT_CASE(aLargeArrayKeepsItsContents)
{
    struct Element {
        std::uint64_t value = 0;
    };
    constexpr std::uint32_t kCount = 5'000'000;  // enough for several steps of memory
    ReservedArray<Element> array(kCount + 1000);
    for (std::uint32_t i = 0; i < kCount; ++i) {
        Element *element = array.prepare();
        CHECK(element != nullptr);
        if (!element)
            return;
        element->value = i;
        array.publish();
    }
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < kCount; ++i)
        wrong += array[i].value != i ? 1 : 0;
    CHECK_EQUAL(wrong, 0U);
    std::uint32_t more = 0;
    for (; array.prepare(); array.publish())
        ++more;
    CHECK_EQUAL(more, 1000U);
}
