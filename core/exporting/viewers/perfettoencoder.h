// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Perfetto's native format (ui.perfetto.dev). perfetto.proto has the fields.
#pragma once

#include "core/exporting/viewers/trackencoder.h"

#include <memory>

namespace ct::viewers {

std::unique_ptr<TrackEncoder> makePerfettoEncoder();

}  // namespace ct::viewers
