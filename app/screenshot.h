// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// --screenshot: saves a picture of the window after some seconds, then ends the program. Without anything to show,
// prints the reason instead.
#pragma once

#include "app/batch/deferredfile.h"

#include <QObject>

namespace ct {

class MainWindow;

class Screenshot final : public QObject {
    Q_OBJECT
public:
    /// Discards `file` when nothing can be shown. Passes the exit status to QCoreApplication::exit().
    Screenshot(MainWindow &window, DeferredFile file, double afterSec, QObject *parent = nullptr);

private:
    void onFailed(const QString &message);
    void takePictureWhenLoaded();
    void takePicture();
    void quit(int code);

    MainWindow &m_window;
    DeferredFile m_file;
    bool m_waits = false;  ///< until the file is loaded
    bool m_over = false;
};

}  // namespace ct
