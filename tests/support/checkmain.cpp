// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// main() of the test programs without Qt.
#include "tests/support/check.h"
#include "tests/support/createthread.h"

#include <algorithm>

namespace {

void run(const check::Case &testCase)
{
    const int failuresBefore = check::failures;
    const int skipsBefore = ct::test::skipCount();
    try {
        testCase.run();
    } catch (const check::Abort &) {
    }
    const char *result = check::failures != failuresBefore ? "FAIL" : "PASS";
    if (ct::test::skipCount() == skipsBefore || check::failures != failuresBefore)
        std::printf("%s %s\n", result, testCase.name);
}

/// Fails if a suite labelled single-threaded started a thread: the thread sanitizer run leaves such suites out.
bool keepsItsLabel()
{
    const int threads = ct::test::startedThreads();
    if (threads == 0 || !std::getenv("CT_SINGLE_THREADED"))
        return true;
    std::printf("FAIL %d threads were started: take the suite out of ct_single_threaded()\n", threads);
    return false;
}

}  // namespace

/// PROGRAM [SUITE [CASE...]]: runs all cases, the cases of one suite, or the named cases.
int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    int ran = 0;
    for (const check::Case &testCase : check::cases()) {
        if (!words.empty() && ct::test::suiteName(testCase.file) != words.front())
            continue;
        if (words.size() > 1 && std::find(words.begin() + 1, words.end(), testCase.name) == words.end())
            continue;
        run(testCase);
        ++ran;
    }
    std::printf("%d cases, %d failed checks, %d skipped\n", ran, check::failures, ct::test::skipCount());
    check::failures += keepsItsLabel() ? 0 : 1;
    return ran > 0 ? ct::test::exitStatus(check::failures) : 1;
}
