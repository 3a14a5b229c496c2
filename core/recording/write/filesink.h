// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A sink that counts the transitions in its file, and the causes in a second one.
#pragma once

#include "core/stream/stream.h"

#include <cstdint>
#include <string>

namespace ct {

class FileSink : public Sink {
public:
    /// Transitions that are in the file, in whole lines, blocks or commits. Exact, also after an error of consume() or
    /// finish(). Only for the sink's thread.
    virtual std::uint64_t written() const = 0;
    /// Causes (Notes::causes()) that are in a file of their own, in whole lines; exact like written(). 0: there is
    /// none.
    virtual std::uint64_t causesWritten() const { return 0; }
    /// The last call after an error of consume(), at the end of the stream: adds to the file what it lacks, if it can.
    virtual void finishFailed(const Accounting &) {}
    /// After finish(), for the user: what the file does not show, although it is written. Empty: nothing.
    virtual std::string remark() const { return {}; }
};

}  // namespace ct
