// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Places, as exports ask them.
#pragma once

#include "core/exporting/addresslookup.h"
#include "core/session/places.h"

#include <memory>

namespace ct {

/// Null for null.
std::shared_ptr<AddressLookup> lookupIn(std::shared_ptr<Places> places);

}  // namespace ct
