// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Checksums of a recording: XXH3-64 without a seed.
#pragma once

#include "core/recording/format/ctrformat.h"

#include <string_view>
#include <xxhash.h>

namespace ct::ctr {

template <class Head>
std::uint64_t checkOf(const Head &head)
{
    return XXH3_64bits(&head, offsetof(Head, check));
}

inline std::uint64_t checkOf(const BlockHead &head, std::string_view payload)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &head, offsetof(BlockHead, check));
    XXH3_64bits_update(&state, payload.data(), payload.size());
    return XXH3_64bits_digest(&state);
}

}  // namespace ct::ctr
