// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Errors of files and folders, with what to do about them.
#pragma once

#include "core/result.h"

#include <string>
#include <utility>

namespace ct {

/// What to do about a file that cannot be written, to be put behind a message.
inline const char *writeRemedy(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NoSpace:
    case ErrorCode::SizeLimit: return spaceRemedy(code);
    case ErrorCode::NotFound: return ", create its folder first or choose another place";
    case ErrorCode::PermissionDenied: return ", choose a place that you may write to";
    default: return ", choose another place";
    }
}

/// What to do about a file that cannot be read, to be put behind a message.
inline const char *readRemedy(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NotFound: return ", check its name";
    case ErrorCode::PermissionDenied: return ", run as a user who may read it, or change its permissions (chmod)";
    default: return ", choose another file";
    }
}

/// "`what`: No space left on device, free some space or choose another place"
inline Error writeError(int errnoValue, std::string what)
{
    Error error = errnoError(errnoValue, std::move(what));
    error.message += writeRemedy(error.code);
    return error;
}

/// "`what`: No such file or directory, check its name"
inline Error readError(int errnoValue, std::string what)
{
    Error error = errnoError(errnoValue, std::move(what));
    error.message += readRemedy(error.code);
    return error;
}

}  // namespace ct
