// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batch.h"
#include "app/commandline/commandline.h"
#include "app/commandline/debugfolders.h"
#include "app/descriptors.h"
#include "app/display.h"
#include "app/window.h"
#include "core/base/filekey.h"
#include "core/target/printabletext.h"
#include "core/target/processlimits.h"
#include "ui/jobs/qtthreads.h"

#include <QCoreApplication>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>
#include <unistd.h>

namespace {

int complain(const ct::Error &error, int code)
{
    std::fprintf(stderr, "corotracer-gui: %s\n", ct::printable(error.message).toUtf8().constData());
    return code;
}

/// Prints a message from Qt. Escapes it, because it may quote any text.
void printQtMessage(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    QStringList lines = message.split(u'\n');
    for (QString &line : lines)
        line = ct::printable(line);
    std::fprintf(stderr, "%s\n", qFormatLogMessage(type, context, lines.join(u'\n')).toUtf8().constData());
}

int print(const std::string &text)
{
    const bool printed = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    return printed ? 0
                   : complain({ct::ErrorCode::InputOutput,
                               "standard output cannot be written; connect it to a terminal, a file or a pipe"},
                              ct::kExitOutput);
}

/// Qt must not see the arguments of a target: it would obey a -style or -platform among them.
std::vector<char *> argumentsForQt(char *program, std::vector<std::string> &options)
{
    std::vector<char *> result{program};
    for (std::string &option : options)
        result.push_back(option.data());
    result.push_back(nullptr);
    return result;
}

/// Fails if the picture would replace the file that it shows.
ct::Result<void> checkPicture(const ct::CommandLine &line)
{
    const std::optional<ct::FileKey> picture = ct::FileKey::of(line.screenshotPath);
    if (picture && picture == ct::FileKey::of(line.start.inputPath()))
        return ct::Error{ct::ErrorCode::InvalidArgument,
                         "--screenshot " + line.screenshotPath + ": is also the file to show; choose another name"};
    return {};
}

/// Reports the current exception if it says that memory or threads ran out, without allocating. Returns false for any
/// other exception.
bool reportExhausted()
{
    const auto report = [](const char *what) {
        std::fprintf(stderr,
                     "corotracer-gui: cannot continue: %s; raise the limits of memory and of processes (ulimit -v, "
                     "ulimit -u)\n",
                     what);
        return true;
    };
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return report("out of memory");
    } catch (const std::system_error &error) {
        return report(error.what());
    } catch (...) {
        return false;
    }
}

/// Called for an exception that leaves a thread other than the main one.
[[noreturn]] void onTerminate()
{
    if (std::current_exception() && reportExhausted())
        std::_Exit(ct::kExitCapture);
    std::abort();
}

int run(int argc, char **argv)
{
    const std::vector<int> inherited = ct::fillStandardDescriptors();
    ct::adjustProcessLimits();
    qInstallMessageHandler(printQtMessage);
    QCoreApplication::setApplicationName(QStringLiteral("corotracer-gui"));
    QCoreApplication::setOrganizationName(QStringLiteral("corotracer-gui"));
    QCoreApplication::setApplicationVersion(QStringLiteral(CT_VERSION));

    ct::Result<ct::CommandLine> parsed = ct::parseCommandLine({argv + (argc > 0 ? 1 : 0), argv + argc});
    if (!parsed)
        return complain(parsed.error(), ct::kExitUsage);
    ct::CommandLine &line = *parsed;
    if (line.mode == ct::CommandLine::Mode::Help)
        return print(ct::usageText());
    if (line.mode == ct::CommandLine::Mode::Version)
        return print("corotracer-gui " CT_VERSION "\n");

    if (const ct::Result<void> folders = ct::checkDebugFolders(line.debugFolders); !folders)
        return complain(folders.error(), ct::kExitUsage);

    std::vector<char *> qtArguments = argumentsForQt(argv[0], line.qtArguments);
    int qtCount = static_cast<int>(qtArguments.size()) - 1;
    if (line.mode == ct::CommandLine::Mode::Batch) {
        line.inherited = inherited;
        if (ct::LaunchSpec *target = line.start.launchSpec())
            target->keptDescriptors = inherited;
        const QCoreApplication application(qtCount, qtArguments.data());
        return ct::runBatch(line);
    }
    if (const ct::Result<void> checked = checkPicture(line); !checked)
        return complain(checked.error(), ct::kExitUsage);
    if (line.start.kind() == ct::RunKind::Input && ::isatty(STDIN_FILENO) == 1)
        return complain({ct::ErrorCode::InvalidArgument,
                         "--input -: standard input is a terminal; send a recording through a pipe: "
                         "corotracer-gui --batch -o - -- TARGET | corotracer-gui --input -"},
                        ct::kExitUsage);
    if (const ct::Result<void> threads = ct::checkWindowThreads(); !threads)
        return complain(threads.error(), ct::kExitCapture);
    if (const ct::Result<void> display = ct::checkDisplay(qtCount, qtArguments.data()); !display)
        return complain(display.error(), ct::kExitCapture);
    return ct::runWindow(line, qtCount, qtArguments.data());
}

}  // namespace

int main(int argc, char **argv)
{
    std::set_terminate(onTerminate);
    try {
        return run(argc, argv);
    } catch (...) {
        if (!reportExhausted())
            throw;
        return ct::kExitCapture;
    }
}
