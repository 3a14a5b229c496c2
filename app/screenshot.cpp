// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshot.h"

#include "app/batch/batch.h"
#include "core/session/run.h"
#include "core/target/printabletext.h"
#include "ui/mainwindow.h"

#include <QApplication>
#include <QBuffer>
#include <QPixmap>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace ct {

namespace {

constexpr QSize kPictureSize{1600, 1000};
/// Wait after the end of loading, until every view has sampled the whole recording.
constexpr int kSamplingMs = 700;

void print(const std::string &message)
{
    std::fprintf(stderr, "corotracer-gui: %s\n", printable(message).toUtf8().constData());
}

}  // namespace

Screenshot::Screenshot(MainWindow &window, DeferredFile file, double afterSec, QObject *parent)
    : QObject(parent), m_window(window), m_file(std::move(file))
{
    window.resize(kPictureSize);
    connect(&window, &MainWindow::failed, this, &Screenshot::onFailed);
    connect(&window, &MainWindow::runStateChanged, this, [this](RunState state) {
        if (m_waits && state == RunState::Ended)
            QTimer::singleShot(kSamplingMs, this, &Screenshot::takePicture);
    });
    // A recording that is still being written has no end to wait for.
    connect(&window, &MainWindow::runGrows, this, [this] {
        if (m_waits)
            QTimer::singleShot(kSamplingMs, this, &Screenshot::takePicture);
    });
    QTimer::singleShot(static_cast<int>(std::min(afterSec * 1e3, 1e9)), this, &Screenshot::takePictureWhenLoaded);
}

/// Continues if a part can be shown. Ends the program if nothing could be started or opened.
void Screenshot::onFailed(const QString &message)
{
    print(message.toStdString());
    const Run &run = m_window.run();
    const bool showsNothing = run.state() == RunState::Idle ||
                              (run.readsRecording() && run.state() == RunState::Ended && run.population()->size() == 0);
    if (m_over || !showsNothing)
        return;
    m_over = true;
    m_file.discard();
    const std::optional<Error> &error = m_window.startError();
    const int code = error && error->code == ErrorCode::CannotExecute ? kExitCannotStart : kExitCapture;
    // A failed start is reported before the event loop runs, when exit() has no effect.
    QMetaObject::invokeMethod(
        this, [this, code] { quit(code); }, Qt::QueuedConnection);
}

/// Waits until a file is loaded, because it may still turn out to be no recording.
void Screenshot::takePictureWhenLoaded()
{
    const Run &run = m_window.run();
    m_waits = run.readsRecording() && !run.isGrowing() && run.state() != RunState::Ended;
    if (!m_waits)
        takePicture();
}

void Screenshot::takePicture()
{
    if (std::exchange(m_over, true))
        return;
    m_waits = false;
    QByteArray png;
    QBuffer buffer(&png);
    if (!buffer.open(QIODevice::WriteOnly) || !m_window.grab().save(&buffer, "PNG")) {
        print("cannot save the picture: the window could not be drawn; set "
              "QT_QPA_PLATFORM=offscreen");
        m_file.discard();
        quit(kExitOutput);
        return;
    }
    const Result<void> written = m_file.write({png.constData(), static_cast<std::size_t>(png.size())});
    if (!written) {
        print(written.error().message);
        m_file.discard();
    }
    quit(written ? kExitSuccess : kExitOutput);
}

/// Exits once no target that was started here runs any more.
void Screenshot::quit(int code)
{
    const auto exit = [code] { QCoreApplication::exit(code); };
    Run &run = m_window.run();
    if (!run.targetRuns()) {
        exit();
        return;
    }
    // Only when the session has ended is it drained and its region removed, so that nothing is left behind.
    const auto exitAtEnd = [exit](RunState state) {
        if (state == RunState::Ended)
            exit();
    };
    connect(&run, &Run::stateChanged, this, exitAtEnd, Qt::QueuedConnection);
    run.terminateTarget();
}

}  // namespace ct
