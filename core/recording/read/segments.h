// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Names of the segments of a recording that rotates: "run.ctr" stands for "run.0.ctr", "run.1.ctr", ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ct::ctr {

/// "run.ctr", 3 -> "run.3.ctr".
std::string segmentPath(const std::string &path, std::uint32_t segment);

/// "run.3.ctr" -> "run.4.ctr"; nullopt when the name has no number.
std::optional<std::string> segmentAfter(const std::string &path);
struct SegmentName {
    std::string path;  ///< without the number
    std::uint32_t number = 0;
};
/// "run.3.ctr" -> "run.ctr", 3; nullopt when a path has no number.
std::optional<SegmentName> segmentNameOf(const std::string &path);

/// Returns the recording number of the file `path`. Returns 0 when it is not segment `segment` of a recording, or
/// cannot be read.
std::uint64_t recordingOf(const std::string &path, std::uint32_t segment);

/// Returns the segments around the file `path`, in order, as far as they are present without a gap. Returns only `path`
/// when it is no segment. The last one may be a file that cannot be read. Reads the heads of the files.
std::vector<std::string> segmentsAround(const std::string &path);

/// Returns the present segments of the recording with the name `path` ("run.ctr"), in order. Without segments, returns
/// `path` if that file exists. Only compares names.
std::vector<std::string> segmentsOf(const std::string &path);

}  // namespace ct::ctr
