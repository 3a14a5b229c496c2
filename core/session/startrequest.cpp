// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/startrequest.h"

#include "core/base/fileending.h"
#include "core/target/regionlist.h"

#include <type_traits>

namespace ct {

namespace {

/// True if a request of this kind holds a `Request`.
template <RunKind kind, class Request>
constexpr bool holds =
    std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(kind), decltype(StartRequest::what)>, Request>;

static_assert(holds<RunKind::None, std::monostate> && holds<RunKind::Launched, LaunchSpec>);
static_assert(holds<RunKind::Listening, ListenRequest> && holds<RunKind::Attached, AttachRequest>);
static_assert(holds<RunKind::File, OpenRequest> && holds<RunKind::Input, InputRequest>);
static_assert(holds<RunKind::Replay, ReplayRequest>);

}  // namespace

StartRequest StartRequest::forFile(const std::string &path)
{
    StartRequest request;
    if (hasEnding(path, ".shm") || isRegion(path))
        request.what = AttachRequest{path};
    else
        request.what = OpenRequest{path};
    return request;
}

std::string StartRequest::inputPath() const
{
    if (const auto *attach = std::get_if<AttachRequest>(&what))
        return attach->regionPath;
    if (const auto *open = std::get_if<OpenRequest>(&what))
        return open->path;
    return replay() ? replay()->path : std::string();
}

}  // namespace ct
