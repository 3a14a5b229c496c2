// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Passes objects from any threads to one, without a lock: the receiver takes everything at once, so no object can be
// popped and pushed again in between (the ABA problem). The links are in the objects.
#pragma once

#include <atomic>

namespace ct {

/// `T` has a member `T *below` for the link. The stack does not own the objects.
template <class T>
class TakeAllStack {
public:
    /// Any thread.
    void push(T *object)
    {
        object->below = m_top.load(std::memory_order_relaxed);
        // Release; partner: takeAll().
        while (
            !m_top.compare_exchange_weak(object->below, object, std::memory_order_release, std::memory_order_relaxed)) {
        }
    }
    /// Returns the object that was pushed last, linked to all others; nullptr if there are none.
    T *takeAll()
    {
        if (m_top.load(std::memory_order_relaxed) == nullptr)
            return nullptr;
        return m_top.exchange(nullptr, std::memory_order_acquire);  // partner: push()
    }

private:
    std::atomic<T *> m_top{nullptr};
};

}  // namespace ct
