// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/base/result.h"

#include <cerrno>
#include <cstring>

namespace ct {

namespace {

ErrorCode codeOf(int errnoValue)
{
    switch (errnoValue) {
    case ENOENT: return ErrorCode::NotFound;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorCode::PermissionDenied;
    case EEXIST: return ErrorCode::AlreadyExists;
    case ENOSPC:
    case EDQUOT: return ErrorCode::NoSpace;
    case EFBIG: return ErrorCode::SizeLimit;
    case EWOULDBLOCK:
    case EBUSY: return ErrorCode::Busy;
    case EINVAL:
    case ENAMETOOLONG: return ErrorCode::InvalidArgument;
    default: return ErrorCode::InputOutput;
    }
}

}  // namespace

Error errnoError(int errnoValue, std::string problem, std::string_view remedy)
{
    // strerrordesc_np is glibc's thread-safe strerror.
    const char *description = strerrordesc_np(errnoValue);
    Error error{codeOf(errnoValue), std::move(problem) + ": " + (description ? description : "unknown error")};
    addRemedy(error, remedy);
    return error;
}

void addRemedy(Error &error, std::string_view remedy)
{
    if (!remedy.empty())
        error.message.append("; ").append(remedy);
}

const char *spaceRemedy(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NoSpace: return "free some space or choose another folder";
    case ErrorCode::SizeLimit: return "raise the limit on the size of files (ulimit -f) or choose another folder";
    default: return "";
    }
}

}  // namespace ct
