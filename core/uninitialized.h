// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Vectors that are filled by the thousand, in place.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace ct {

/// An allocator whose vectors leave the elements that resize() adds as they are: whoever resizes writes them. It saves
/// the store to each that comes before the one that counts.
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
    void construct(T *place, Arguments &&...arguments)
    {
        std::construct_at(place, std::forward<Arguments>(arguments)...);
    }
};

}  // namespace ct
