// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// An allocator for vectors whose elements are written in place, thousands at a time.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace ct {

/// With this allocator, resize() leaves new elements uninitialized, and its caller must write them. This saves one
/// redundant store per element.
template <class T>
struct Uninitialized : std::allocator<T> {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

    Uninitialized() = default;
    template <class U>
    Uninitialized(const Uninitialized<U> &) noexcept
    {
    }
    template <class U>
    struct rebind {
        using other = Uninitialized<U>;
    };
    void construct(T *) noexcept {}
    template <class... Arguments>
    void construct(T *element, Arguments &&...arguments)
    {
        std::construct_at(element, std::forward<Arguments>(arguments)...);
    }
};

}  // namespace ct
