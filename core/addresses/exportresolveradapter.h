// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Connects exports (ExportResolver) to AddressResolver.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/addresses/exportresolver.h"

#include <memory>

namespace ct {

/// Returns nullptr for nullptr.
std::shared_ptr<ExportResolver> exportResolverOf(std::shared_ptr<AddressResolver> resolver);
/// For sources that can wait, such as a recording. known() waits until an address of code is resolved, so the first row
/// with an address has its location, too.
std::shared_ptr<ExportResolver> waitingExportResolverOf(std::shared_ptr<AddressResolver> resolver);

}  // namespace ct
