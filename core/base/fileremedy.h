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
inline constexpr const char *kStartAgain = "start again, and leave the file in its folder until it is complete";

/// Returns the message about a file that another program removed while it was being written.
inline std::string removedWhileWritten(const std::string &path)
{
    return path + " was removed by another program during the run, and its content is lost; " + kStartAgain;
}

/// Returns the remedy for a file that cannot be written, to append to a message.
inline const char *writeRemedy(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NoSpace:
    case ErrorCode::SizeLimit: return spaceRemedy(code);
    case ErrorCode::NotFound: return "; create its folder first or choose another path";
    case ErrorCode::PermissionDenied: return "; choose a path that you may write to";
    default: return "; choose another path";
    }
}

/// Returns the remedy for a file that cannot be read, to append to a message.
inline const char *readRemedy(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NotFound: return "; check its name";
    case ErrorCode::PermissionDenied: return "; run as a user who may read it, or change its permissions (chmod)";
    default: return "; choose another file";
    }
}

/// Makes an error such as "`problem`: No space left on device; free some space or choose another folder".
inline Error writeError(int errnoValue, std::string problem)
{
    Error error = errnoError(errnoValue, std::move(problem));
    error.message += writeRemedy(error.code);
    return error;
}

/// Makes an error such as "`problem`: No such file or directory; check its name".
inline Error readError(int errnoValue, std::string problem)
{
    Error error = errnoError(errnoValue, std::move(problem));
    error.message += readRemedy(error.code);
    return error;
}

}  // namespace ct
