// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A sink that knows how much of the stream its file holds.
#pragma once

#include "core/trace/stream.h"

#include <cstdint>

namespace ct {

class FileSink : public Sink {
public:
    /// Transitions that are in the file, in whole lines, blocks or commits; exact also after an error of consume() or
    /// finish(). On the sink's thread.
    virtual std::uint64_t written() const = 0;
};

}  // namespace ct
