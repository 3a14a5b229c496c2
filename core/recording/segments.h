// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The files of a recording that is rotated: "run.ctr" stands for "run.0.ctr", "run.1.ctr", ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ct::ctr {

/// "run.ctr", 3 -> "run.3.ctr".
std::string segmentPath(const std::string &path, std::uint32_t segment);

/// "run.3.ctr" -> "run.4.ctr"; nothing where the name has no number.
std::optional<std::string> segmentAfter(const std::string &path);
struct SegmentName {
    std::string path;  ///< without the number
    std::uint32_t number = 0;
};
/// "run.3.ctr" -> "run.ctr", 3; nullopt when a path has no number.
std::optional<SegmentName> segmentNameOf(const std::string &path);

/// The number of the recording that the file `path` is segment `segment` of; 0: of none, or it cannot be read.
std::uint64_t recordingOf(const std::string &path, std::uint32_t segment);

/// All segments of the recording that the file `path` is one of, as far as they are there without a gap, in their
/// order; `path` alone when it is a recording of one file, or none. The last one may be a file that cannot be read.
/// Looks into the heads of the files around it.
std::vector<std::string> segmentsAround(const std::string &path);

/// Of a rotated recording that is called `path` ("run.ctr"), those that are there now, in their order; `path` alone
/// when there is none but such a file. By names only.
std::vector<std::string> segmentsOf(const std::string &path);

}  // namespace ct::ctr
