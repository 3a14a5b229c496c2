// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/source.h"

#include "core/session/recordedsource.h"
#include "core/session/session.h"
#include "core/session/startrequest.h"

#include <utility>

namespace ct {

OpenedSource openSource(const StartRequest &request)
{
    if (readsRecording(request.kind())) {
        auto recorded = std::make_unique<RecordedSource>(request);
        RecordedSource *const opened = recorded.get();
        return {std::move(recorded), nullptr, opened};
    }
    auto live = std::make_unique<Session>(request);
    Session *const opened = live.get();
    return {std::move(live), opened, nullptr};
}

}  // namespace ct
