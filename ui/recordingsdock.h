// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The runs that windows have recorded: to be opened again, kept, or deleted.
#pragma once

#include "core/session/recordingkeeper.h"
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
    /// `directory`: where they are; looked at while the dock is visible.
    explicit RecordingsDock(const QString &directory, QWidget *parent = nullptr);

    const QString &directory() const { return m_keeper->directory(); }
    /// A run begins that may take `limit` bytes: the oldest ones go when all together would take more than `most`.
    void makeRoom(std::uint64_t limit, std::uint64_t most);

Q_SIGNALS:
    void openRequested(const QString &path);
    /// `run`: see RecordedRun::path. `name`: what a file may be called that keeps it.
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
    void onRoomMade(const RoomMade &made);
    void forgetMade();
    void updateActions();
    void updateTexts();

    RecordingKeeper *m_keeper;
    RecordingsModel *m_model;
    RecordingsFormat *m_format;
    QStackedWidget *m_pages;
    QTableView *m_table;
    QLabel *m_empty;
    QLabel *m_summary;
    QLabel *m_made;
    QAction *m_open = nullptr;
    QAction *m_save = nullptr;
    QAction *m_delete = nullptr;
    QAction *m_folder = nullptr;
    QString m_deleteTip;  ///< where it can be used
    QTimer m_timer;
    std::uint64_t m_most = 0;  ///< bytes, as was asked for last
    bool m_listed = false;
};

}  // namespace ct
