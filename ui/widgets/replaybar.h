// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tool bar of a replay: play, pause, step, restart, speed and position. Visible during a replay. It does not depend
// on Capture.
#pragma once

#include <QToolBar>

#include <cstdint>
#include <optional>

class QComboBox;
class QLabel;

namespace ct {

class SeekSlider;

class ReplayBar : public QToolBar {
    Q_OBJECT
public:
    explicit ReplayBar(QWidget *parent = nullptr);

    /// Shows the bar for a replay of the stream from `first` to `last` (ns, the stream's time).
    void showReplay(std::uint64_t first, std::uint64_t last);
    void hideBar();
    /// Shows the position `now` (ns, the stream's time). `ended`: the replay has reached the end.
    void sample(std::uint64_t now, bool playing, bool ended);

    double speed() const;  ///< the chosen speed; initially 1, kept between replays
    std::uint64_t first() const { return m_first; }
    std::uint64_t last() const { return m_last; }

Q_SIGNALS:
    void playRequested();
    void pauseRequested();
    void stepRequested();
    void restartRequested();
    void closeRequested();
    void speedChosen(double speed);
    void seekRequested(std::uint64_t ts);  ///< ns, the stream's time

private:
    QAction *addButton(const char *name, const char *icon, const QString &text, const QString &toolTip,
                       const QKeySequence &shortcut);
    void makeSpeeds();
    void changeSpeed(int by);
    void showPlay(bool playing, bool ended);
    void showTime(std::uint64_t now);
    std::uint64_t timeAt(int value) const;
    void enableShortcuts(bool on);

    QAction *m_restart;
    QAction *m_play;
    QAction *m_step;
    QAction *m_close;
    QAction *m_slower;
    QAction *m_faster;
    QComboBox *m_speeds;
    SeekSlider *m_slider;
    QLabel *m_time;
    std::uint64_t m_first = 0;
    std::uint64_t m_last = 0;
    std::optional<std::uint64_t> m_seekTarget;  ///< the position that the user chose, until the replay reaches it
    bool m_playing = false;
    bool m_ended = false;
};

}  // namespace ct
