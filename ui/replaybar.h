// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tool bar of a replay: play, pause, step, restart, speed, and where it is. Shown while there is one; it knows
// nothing of captures.
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

    /// A replay of the stream from `first` to `last` (ns).
    void begin(std::uint64_t first, std::uint64_t last);
    void end();
    /// Where it is; `ended`: nothing is left to come.
    void sample(std::uint64_t now, bool playing, bool ended);

    double speed() const;  ///< as chosen; 1 at first, and from one replay to the next the same
    std::uint64_t first() const { return m_first; }
    std::uint64_t last() const { return m_last; }

Q_SIGNALS:
    void playRequested();
    void pauseRequested();
    void stepRequested();
    void restartRequested();
    void closeRequested();
    void speedChosen(double speed);
    void sought(std::uint64_t ts);  ///< the stream's time, ns

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
    std::optional<std::uint64_t> m_sought;  ///< on the way there
    bool m_playing = false;
    bool m_ended = false;
};

}  // namespace ct
