// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Allows several Qt Test classes in one program. Each class registers itself under its source file; qtmain.cpp runs it.
#pragma once

#include "tests/support/skips.h"

#include <QTest>

#include <vector>

namespace ct::test {

/// Time that tests wait for a condition, in ms. The five seconds of Qt Test are too short: on a virtual machine with
/// busy processes, fsync() can take 90 s, because the kernel does not get to its own work ("workqueue lockup" in its
/// log). Qt Test waits three times as long until a test fails, and ends it after 300 s.
inline constexpr int kPatienceMs = 95'000;

struct QtSuite {
    const char *file;    ///< source file; its stem is the name of the suite
    void (*prepare)();   ///< runs before the application object and its threads exist; may be null
    QObject *(*make)();  ///< the caller owns the test object
};
inline std::vector<QtSuite> &qtSuites()
{
    static std::vector<QtSuite> all;
    return all;
}
struct RegisterQtSuite {
    RegisterQtSuite(const char *file, void (*prepare)(), QObject *(*make)())
    {
        qtSuites().push_back({file, prepare, make});
    }
};

}  // namespace ct::test

// The macros that wait for a condition, with our patience.
#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(expression) QTRY_VERIFY_WITH_TIMEOUT(expression, ct::test::kPatienceMs)
#define QTRY_VERIFY2(expression, message) QTRY_VERIFY2_WITH_TIMEOUT(expression, message, ct::test::kPatienceMs)
#define QTRY_COMPARE(actual, expected) QTRY_COMPARE_WITH_TIMEOUT(actual, expected, ct::test::kPatienceMs)

/// Replaces QTEST_MAIN.
#define CT_QT_SUITE(Class) CT_QT_SUITE_PREPARED(Class, nullptr)
#define CT_QT_SUITE_PREPARED(Class, prepare)                                                                           \
    static const ct::test::RegisterQtSuite register_##Class(__FILE__, prepare, []() -> QObject * { return new Class; });
/// Skips a case, like QSKIP. CTest then reports the whole suite as skipped.
#define CT_QSKIP(reason)                                                                                               \
    do {                                                                                                               \
        ct::test::reportSkip(__FILE__, __LINE__, reason);                                                              \
        QSKIP(reason);                                                                                                 \
    } while (false)
