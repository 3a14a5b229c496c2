// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The framework of the tests without Qt. Cases register themselves under their source file; failed checks are counted
// and printed. checkmain.cpp runs the cases.
#pragma once

#include "tests/support/skips.h"

#include <iostream>
#include <sstream>
#include <vector>

namespace check {

struct Case {
    const char *file;  ///< source file; its stem is the name of the suite
    const char *name;
    void (*run)();
};
inline std::vector<Case> &cases()
{
    static std::vector<Case> all;
    return all;
}
struct Register {
    Register(const char *file, const char *name, void (*run)()) { cases().push_back({file, name, run}); }
};
inline int failures = 0;
/// Thrown to end a case: a requirement failed, or the case was skipped.
struct Abort {};

inline void fail(const char *file, int line, const std::string &what)
{
    ++failures;
    std::cerr << file << ':' << line << ": " << what << std::endl;
}

[[noreturn]] inline void skip(const char *file, int line, const std::string &reason)
{
    ct::test::reportSkip(file, line, reason);
    throw Abort{};
}

template <class A, class B>
void equal(const A &actual, const B &expected, const char *text, const char *file, int line)
{
    if (actual == expected)
        return;
    std::ostringstream out;
    out << text << ": got " << actual << ", expected " << expected;
    fail(file, line, out.str());
}

}  // namespace check

#define CT_CASE(name)                                                                                                  \
    static void name();                                                                                                \
    static const check::Register register_##name(__FILE__, #name, &name);                                              \
    static void name()
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            check::fail(__FILE__, __LINE__, #condition);                                                               \
    } while (false)
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            check::fail(__FILE__, __LINE__, #condition);                                                               \
            throw check::Abort{};                                                                                      \
        }                                                                                                              \
    } while (false)
#define CHECK_EQUAL(actual, expected) check::equal((actual), (expected), #actual " == " #expected, __FILE__, __LINE__)
/// Ends the case as skipped, because this machine lacks something that the case needs. CTest reports the suite as
/// skipped.
#define CHECK_SKIP(reason) check::skip(__FILE__, __LINE__, reason)
