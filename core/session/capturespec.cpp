// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/capturespec.h"

#include "core/region/stalesocket.h"

#include <filesystem>

namespace ct {

RegionSpec regionSpecOf(const CaptureSpec &capture)
{
    return {.path = capture.regionPath,
            .stations = capture.stations,
            .stationsAtStart = capture.stationsAtStart,
            .lanes = capture.lanes,
            .laneBytes = capture.laneBytes,
            .lanePoolBytes = capture.lanePoolBytes,
            .laneRetentionMs = capture.laneRetentionMs};
}

CaptureSpec independentOfDirectory(CaptureSpec capture)
{
    for (std::string *path : {&capture.regionPath, &capture.socketPath}) {
        std::error_code error;
        const std::filesystem::path absolute = std::filesystem::absolute(*path, error);
        if (!path->empty() && !error)
            *path = absolute.string();
    }
    return capture;
}

Result<std::string> socketPathOf(const CaptureSpec &capture, const std::string &regionPath)
{
    if (capture.socketPath.empty())
        return socketPathFor(regionPath);
    if (const Result<sockaddr_un> address = socketAddressOf(capture.socketPath); !address)
        return address.error();
    return capture.socketPath;
}

}  // namespace ct
