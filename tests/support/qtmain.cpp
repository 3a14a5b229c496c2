// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// main() of the test programs with Qt. A program that links Qt Widgets gets a QApplication. It runs offscreen unless
// CT_TEST_PLATFORM names another platform plug-in. Settings are in a temporary directory.
#include "tests/support/qtsuite.h"

#ifdef QT_WIDGETS_LIB
#include <QApplication>
using Application = QApplication;
#else
#include <QCoreApplication>
using Application = QCoreApplication;
#endif

#include <QFile>
#include <QTemporaryDir>

#include <memory>

namespace {

int usage(const char *program)
{
    std::fprintf(stderr, "usage: %s SUITE [QtTest options] [CASE...]\nsuites:\n", program);
    for (const ct::test::QtSuite &suite : ct::test::qtSuites())
        std::fprintf(stderr, "  %s\n", ct::test::suiteName(suite.file).c_str());
    return 2;
}

const ct::test::QtSuite *findSuite(const std::string &name)
{
    for (const ct::test::QtSuite &suite : ct::test::qtSuites())
        if (ct::test::suiteName(suite.file) == name)
            return &suite;
    return nullptr;
}

}  // namespace

/// PROGRAM SUITE [arguments of Qt Test]: runs one suite.
int main(int argc, char **argv)
{
    const ct::test::QtSuite *suite = argc > 1 ? findSuite(argv[1]) : nullptr;
    if (!suite)
        return usage(argv[0]);
    // Programs that a test starts inherit the variables.
    qputenv("QT_QPA_PLATFORM", qEnvironmentVariable("CT_TEST_PLATFORM", QStringLiteral("offscreen")).toUtf8());
    // Tests do not change the user's settings. Qt has some, too: a file dialog stores the folders that it has shown.
    const QTemporaryDir settings;
    qputenv("XDG_CONFIG_HOME", QFile::encodeName(settings.path()));
    argv[1] = argv[0];
    --argc;
    ++argv;
    if (suite->prepare)
        suite->prepare();
    Application application(argc, argv);
    application.setAttribute(Qt::AA_Use96Dpi, true);
    const std::unique_ptr<QObject> test(suite->make());
    return ct::test::exitStatus(QTest::qExec(test.get(), argc, argv));
}
