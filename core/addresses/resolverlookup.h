// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Connects exports (AddressLookup) to AddressResolver.
#pragma once

#include "core/addresses/addresslookup.h"
#include "core/addresses/addressresolver.h"

#include <memory>

namespace ct {

/// Returns nullptr for nullptr.
std::shared_ptr<AddressLookup> lookupIn(std::shared_ptr<AddressResolver> resolver);

}  // namespace ct
