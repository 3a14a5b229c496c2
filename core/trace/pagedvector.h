// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Values by coroutine, for users of a trace. Pages whose coroutines have no records take no memory here either.
#pragma once

#include "core/trace/coroutineeviction.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ct {

/// For one thread.
template <class T>
class PagedVector {
public:
    /// `none`: the value of entries that were never made.
    PagedVector() = default;
    explicit PagedVector(T none) : m_none(std::move(none)) {}

    std::uint32_t size() const { return m_size; }
    /// Clears all values.
    void assign(std::uint32_t size)
    {
        m_pages.clear();
        resize(size);
    }
    /// Grows only.
    void resize(std::uint32_t size)
    {
        m_size = size;
        m_pages.resize((std::size_t{size} + kPageSize - 1) / kPageSize);
    }
    /// `id` < size().
    const T &operator[](std::uint32_t id) const
    {
        const std::unique_ptr<Page> &page = m_pages[id / kPageSize];
        return page ? (*page)[id % kPageSize] : m_none;
    }
    /// A value to change. Creates its page.
    T &make(std::uint32_t id)
    {
        std::unique_ptr<Page> &page = m_pages[id / kPageSize];
        if (!page) {
            page = std::make_unique<Page>();
            page->fill(m_none);
        }
        return (*page)[id % kPageSize];
    }

private:
    static constexpr std::uint32_t kPageSize = CoroutineEviction::kPageSize;
    using Page = std::array<T, kPageSize>;

    T m_none{};
    std::uint32_t m_size = 0;
    std::vector<std::unique_ptr<Page>> m_pages;
};

}  // namespace ct
