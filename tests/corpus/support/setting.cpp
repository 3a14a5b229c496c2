// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "setting.h"

#include "coroTracer.h"
#include "support/rawregion.h"

#include <optional>

namespace corpus {

namespace {

struct Tracing {
    Variant variant = Variant::Plain;
    std::optional<targets::RawRegion> region;
};

Tracing &tracing()
{
    static auto *const state = new Tracing;  // coroutines outlive main() in a program that never ends
    return *state;
}

}  // namespace

void startTracing(Variant variant)
{
    tracing().variant = variant;
    if (variant == Variant::Version1) {
        if (auto region = targets::RawRegion::fromEnvironment(true, targets::SizeIn::Int))
            tracing().region.emplace(std::move(*region));
    } else {
        corotracer::InitTracer();
    }
}

bool reportsCauses()
{
    return tracing().variant == Variant::Causes;
}

bool isVersion1()
{
    return tracing().variant == Variant::Version1;
}

const targets::RawRegion *version1Region()
{
    return tracing().region ? &*tracing().region : nullptr;
}

}  // namespace corpus
