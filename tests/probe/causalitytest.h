// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Support for the tests of causality: a promise, and the records of one kind.
#pragma once

#include "tests/probe/lanetest.h"

namespace lanetest {

/// A promise that shows its identity.
struct Promise : corotracer::PromiseMixin {
    using corotracer::PromiseMixin::identity;
};

inline std::vector<Record> ofKind(const Region &region, std::uint8_t kind)
{
    std::vector<Record> result;
    for (std::uint32_t i = 0; i < region.lanes(); ++i) {
        for (const Record &record : peek(region, i)) {
            if (record.kind == kind)
                result.push_back(record);
        }
    }
    return result;
}

inline std::uint32_t indexOf(const Promise &promise)
{
    return static_cast<std::uint32_t>(promise.identity());
}

}  // namespace lanetest
