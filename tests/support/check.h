// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The whole test framework of the Qt-free tests: cases register themselves, a failed check is counted and named.
#pragma once

#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <vector>

namespace check {

struct Case {
    const char *name;
    void (*run)();
};
inline std::vector<Case> &cases()
{
    static std::vector<Case> all;
    return all;
}
struct Register {
    Register(const char *name, void (*run)()) { cases().push_back({name, run}); }
};
inline int failures = 0;
struct Abort {};

inline void fail(const char *file, int line, const std::string &what)
{
    ++failures;
    std::cerr << file << ':' << line << ": " << what << std::endl;
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
    static const check::Register register_##name(#name, &name);                                                        \
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

/// Runs all cases, or those named on the command line.
int main(int argc, char **argv)
{
    int ran = 0;
    for (const check::Case &testCase : check::cases()) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; ++i)
            wanted = wanted || std::strcmp(argv[i], testCase.name) == 0;
        if (!wanted)
            continue;
        const int before = check::failures;
        try {
            testCase.run();
        } catch (const check::Abort &) {
        }
        std::printf("%s %s\n", check::failures == before ? "PASS" : "FAIL", testCase.name);
        ++ran;
    }
    std::printf("%d cases, %d failed checks\n", ran, check::failures);
    return check::failures == 0 && ran > 0 ? 0 : 1;
}
