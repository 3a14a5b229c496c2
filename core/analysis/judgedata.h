// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the rules need, and the trace does not keep: collected while the stream passes.
#pragma once

#include "core/analysis/endedcoroutines.h"
#include "core/analysis/framefunctions.h"
#include "core/analysis/functionwaits.h"
#include "core/analysis/objecthistory.h"
#include "core/analysis/overloadedtimes.h"

#include <memory>
#include <utility>

namespace ct {

/// One Sink for all of it. Add it behind the Population, which it reads. One writer; any thread may read.
class JudgeData final : public Sink {
public:
    explicit JudgeData(std::shared_ptr<const Population> population)
        : m_population(std::move(population)), m_ended(*m_population)
    {
    }

    /// Writer only.
    Result<void> consume(const Batch &batch) override
    {
        if (Result<void> consumed = m_objects.consume(batch); !consumed)
            return consumed;
        if (Result<void> consumed = m_overloaded.consume(batch); !consumed)
            return consumed;
        if (Result<void> consumed = m_functionWaits.consume(batch); !consumed)
            return consumed;
        return m_ended.consume(batch);
    }

    // Any thread.
    /// What was read from frames. For a verdict that the recording of the run has as well, in the order of the stream.
    void addFrames(const std::vector<FrameLocation> &frames) { m_functions.add(frames); }
    const ObjectHistory &objects() const { return m_objects; }
    const EndedCoroutines &ended() const { return m_ended; }
    const OverloadedTimes &overloaded() const { return m_overloaded; }
    const FrameFunctions &functions() const { return m_functions; }
    const FunctionWaits &functionWaits() const { return m_functionWaits; }

private:
    const std::shared_ptr<const Population> m_population;
    ObjectHistory m_objects;
    EndedCoroutines m_ended;
    OverloadedTimes m_overloaded;
    FrameFunctions m_functions;
    FunctionWaits m_functionWaits{m_functions};
};

}  // namespace ct
