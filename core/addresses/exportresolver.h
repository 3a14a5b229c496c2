// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface through which exports resolve addresses of suspensions without a site.
#pragma once

#include "core/stream/stream.h"
#include "core/symbols/describedaddress.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ct {

struct EventAddress {
    CoroutineId coroutine = kNoCoroutine;
    std::uint32_t pid = 0;  ///< 0 = unknown
    std::uint64_t addr = 0;
    std::uint64_t since = 0;  ///< start of the suspension, ns, CLOCK_MONOTONIC; 0 = any suspension
};

/// Used on the thread of the export.
class ExportResolver {
public:
    using Answer = std::shared_ptr<const DescribedAddress>;
    virtual ~ExportResolver() = default;

    /// The description of an address; nullptr if it is not resolved. Does not wait.
    virtual Answer known(const EventAddress &address) = 0;
    /// Resolves all of the addresses and waits for the result, for a few seconds at most.
    virtual void resolve(const std::vector<EventAddress> &addresses) = 0;
    /// Any thread. Makes a present resolve() and all later ones return soon.
    virtual void giveUp() {}
    /// Start (ns) of the suspension that the file and line of a frame belong to; 0 = no line is known, or no frame.
    virtual std::uint64_t lineSince(const EventAddress &address) = 0;
};

}  // namespace ct
