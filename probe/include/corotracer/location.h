// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// A location in the source code, captured by a default argument.
#pragma once

#include <cstdint>

#if __has_include(<source_location>)
#include <source_location>
#endif

namespace corotracer {

#if defined(__cpp_lib_source_location)
/// Location of a suspension point. Use it as a default argument: `location where = location::current()`.
using location = std::source_location;
#else
/// Substitute for std::source_location, for compilers that lack it.
class location {
public:
#if defined(__has_builtin)
#if __has_builtin(__builtin_COLUMN)
#define COROTRACER_COLUMN __builtin_COLUMN()
#endif
#endif
#if !defined(COROTRACER_COLUMN)
#define COROTRACER_COLUMN 0
#endif
    static constexpr location current(const char *file = __builtin_FILE(), const char *function = __builtin_FUNCTION(),
                                      std::uint_least32_t line = __builtin_LINE(),
                                      std::uint_least32_t column = COROTRACER_COLUMN) noexcept
    {
        location here;
        here.file_ = file;
        here.function_ = function;
        here.line_ = line;
        here.column_ = column;
        return here;
    }
#undef COROTRACER_COLUMN
    constexpr std::uint_least32_t line() const noexcept
    {
        return line_;
    }
    constexpr std::uint_least32_t column() const noexcept
    {
        return column_;
    }
    constexpr const char *file_name() const noexcept
    {
        return file_;
    }
    constexpr const char *function_name() const noexcept
    {
        return function_;
    }

private:
    const char *file_ = "";
    const char *function_ = "";
    std::uint_least32_t line_ = 0;
    std::uint_least32_t column_ = 0;
};
#endif

}  // namespace corotracer
