// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Errors of files and folders, with their remedies.
#pragma once

#include "core/base/result.h"

#include <string>
#include <utility>

namespace ct {

/// Remedy for a descriptor that the system refused.
inline constexpr const char *kMoreDescriptors = "raise the limit of open files (ulimit -n)";

/// Remedy for a file that another program moved or removed while it was being written.
inline constexpr const char *kLeaveFileInFolder = "start again, and leave the file in its folder until it is complete";

/// Returns the remedy for a file that cannot be written.
inline const char *writeRemedy(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NoSpace:
    case ErrorCode::SizeLimit: return spaceRemedy(code);
    case ErrorCode::NotFound: return "create its folder first or choose another path";
    case ErrorCode::PermissionDenied: return "choose a path that you may write to";
    default: return "choose another path";
    }
}

/// Returns the remedy for a file that cannot be read.
inline const char *readRemedy(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NotFound: return "check its name";
    case ErrorCode::PermissionDenied: return "run as a user who may read it, or change its permissions (chmod)";
    default: return "choose another file";
    }
}

/// Makes an error such as "`problem`: No space left on device; free some space or choose another folder".
inline Error writeError(int errnoValue, std::string problem)
{
    Error error = errnoError(errnoValue, std::move(problem));
    addRemedy(error, writeRemedy(error.code));
    return error;
}

/// Makes an error such as "`problem`: No such file or directory; check its name".
inline Error readError(int errnoValue, std::string problem)
{
    Error error = errnoError(errnoValue, std::move(problem));
    addRemedy(error, readRemedy(error.code));
    return error;
}

}  // namespace ct
