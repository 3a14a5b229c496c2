// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The runs that windows recorded. The user can open, save and delete them.
#pragma once

#include "core/session/recordedrunsthread.h"
#include "models/recordingsmodel.h"

#include <QDockWidget>
#include <QTimer>

class QAction;
class QLabel;
class QStackedWidget;
class QTableView;

namespace ct {

class RecordingsFormat;

class RecordingsDock : public QDockWidget {
    Q_OBJECT
public:
    /// `directory` has the recordings. It is listed while the dock is visible.
    explicit RecordingsDock(const QString &directory, QWidget *parent = nullptr);

    const QString &directory() const { return m_runsThread->directory(); }
    /// Call when a run begins that may record up to `limit` bytes. Deletes the oldest recordings until the rest and
    /// this run fit into `most` bytes.
    void freeSpace(std::uint64_t limit, std::uint64_t most);

Q_SIGNALS:
    void openRequested(const QString &path);
    /// `run`: see RecordedRun::path. `name`: a suggested file name.
    void saveRequested(const QString &run, const QString &name);
    void failed(const QString &title, const QString &message);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void setUpTable();
    QWidget *makeBar();
    QAction *makeAction(const char *name, const char *icon, const QString &text, const QKeySequence &shortcut,
                        const QString &toolTip);
    std::vector<RecordedRun> selected() const;
    void open();
    void save();
    void askToDelete();
    void showFolder();
    void onListed(const std::vector<RecordedRun> &runs);
    void onSpaceFreed(const FreedSpace &freed);
    void hideFreedSpace();
    void updateActions();
    void updateTexts();

    RecordedRunsThread *m_runsThread;
    RecordingsModel *m_model;
    RecordingsFormat *m_format;
    QStackedWidget *m_pages;
    QTableView *m_table;
    QLabel *m_empty;
    QLabel *m_summary;
    QLabel *m_freedSpace;
    QAction *m_open = nullptr;
    QAction *m_save = nullptr;
    QAction *m_delete = nullptr;
    QAction *m_folder = nullptr;
    QString m_deleteTip;  ///< tooltip of m_delete while it is enabled
    QTimer m_timer;
    std::uint64_t m_most = 0;  ///< bytes, of the latest freeSpace()
    bool m_listed = false;
};

}  // namespace ct
