// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A sink that counts the transitions in its file.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>

namespace ct {

class FileSink : public Sink {
public:
    /// Transitions that are in the file, in whole lines, blocks or commits. Exact, also after an error of consume() or
    /// finish(). Only for the sink's thread.
    virtual std::uint64_t written() const = 0;
};

}  // namespace ct
