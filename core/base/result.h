// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Errors as values, for the whole core. An error is a code and a message that names the file, the position and the
// remedy.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace ct {

enum class ErrorCode {
    InvalidArgument,
    NotFound,
    PermissionDenied,
    AlreadyExists,
    Busy,
    NoSpace,
    SizeLimit,  ///< the file reached the limit of ulimit -f, or of its file system
    BadFormat,
    Unsupported,
    InputOutput,
    Cancelled,
    CannotExecute,  ///< a program
};

struct Error {
    ErrorCode code = ErrorCode::InputOutput;
    std::string message;  ///< what happened, why, and what to do, in this order; UTF-8
};

/// Makes an Error from an errno value: "`problem`: Too many open files; `remedy`". Maps the common errno values to
/// codes.
Error errnoError(int errnoValue, std::string problem, std::string_view remedy = {});

/// Ends the message with "; `remedy`". Does nothing if `remedy` is empty.
void addRemedy(Error &error, std::string_view remedy);

/// Returns the remedy for a file that cannot grow: "free some space ...". Returns "" for other errors.
const char *spaceRemedy(ErrorCode code);

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_content(std::move(value)) {}
    Result(Error error) : m_content(std::move(error)) {}

    explicit operator bool() const { return m_content.index() == 0; }
    T &operator*() { return std::get<0>(m_content); }
    const T &operator*() const { return std::get<0>(m_content); }
    T *operator->() { return &std::get<0>(m_content); }
    const T *operator->() const { return &std::get<0>(m_content); }
    const Error &error() const { return std::get<1>(m_content); }

private:
    std::variant<T, Error> m_content;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)), m_ok(false) {}

    explicit operator bool() const { return m_ok; }
    const Error &error() const { return m_error; }

private:
    Error m_error;
    bool m_ok = true;
};

}  // namespace ct
