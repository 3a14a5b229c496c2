// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/source.h"

#include "core/session/recordedsource.h"
#include "core/session/session.h"
#include "core/session/startrequest.h"

namespace ct {

std::unique_ptr<Source> openSource(const StartRequest &request)
{
    if (isRecorded(kindOf(request)))
        return std::make_unique<RecordedSource>(request);
    return std::make_unique<Session>(request);
}

}  // namespace ct
