// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --screenshot: a picture of the window after some seconds, then the end; or the reason why there is none.
#pragma once

#include "app/outputfile.h"

#include <QObject>

namespace ct {

class MainWindow;

class Screenshot final : public QObject {
    Q_OBJECT
public:
    /// `file` is discarded when nothing can be shown. QCoreApplication::exit() gets the exit status.
    Screenshot(MainWindow &window, OutputFile file, double afterSec, QObject *parent = nullptr);

private:
    void onFailed(const QString &message);
    void takeWhenLoaded();
    void take();
    void quit(int code);

    MainWindow &m_window;
    OutputFile m_file;
    bool m_waits = false;  ///< for the end of loading
    bool m_over = false;
};

}  // namespace ct
