// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/replaybar.h"

#include "ui/format/icons.h"
#include "ui/widgets/seekslider.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>

#include <algorithm>

namespace ct {

namespace {

constexpr double kSpeeds[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};
constexpr int kUsualSpeed = 3;
constexpr int kSliderEnd = 10'000;
/// Shorter streams show milliseconds instead of tenths of a second.
constexpr std::uint64_t kShortNs = 10'000'000'000;

/// "1:05.3", or "0:03.271" for a short stream.
QString clockText(std::uint64_t ns, bool isShort)
{
    const std::uint64_t seconds = ns / 1'000'000'000;
    const std::uint64_t milliseconds = ns / 1'000'000 % 1000;
    return QStringLiteral("%1:%2.%3")
        .arg(seconds / 60)
        .arg(seconds % 60, 2, 10, QLatin1Char('0'))
        .arg(isShort ? milliseconds : milliseconds / 100, isShort ? 3 : 1, 10, QLatin1Char('0'));
}

}  // namespace

ReplayBar::ReplayBar(QWidget *parent)
    : QToolBar(tr("Replay"), parent),
      m_restart(addButton("replayRestart", "restart", tr("Restart"), tr("Replay from the beginning"),
                          QKeySequence(Qt::Key_Home | Qt::CTRL))),
      m_play(addButton("replayPlay", "pause", tr("Pause"), QString(), QKeySequence(Qt::Key_Space))),
      m_step(addButton("replayStep", "step", tr("Step"), tr("Show the next event, and pause"),
                       QKeySequence(Qt::Key_Period))),
      m_close(nullptr),
      m_slower(new QAction(tr("Slower"), this)),
      m_faster(new QAction(tr("Faster"), this)),
      m_speeds(new QComboBox),
      m_slider(new SeekSlider),
      m_time(new QLabel)
{
    setObjectName(QStringLiteral("replayBar"));
    setMovable(false);
    setIconSize(QSize(20, 20));
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setContextMenuPolicy(Qt::PreventContextMenu);
    toggleViewAction()->setVisible(false);
    makeSpeeds();
    m_slider->setObjectName(QStringLiteral("replaySlider"));
    m_slider->setAccessibleName(tr("Position in the replay"));
    m_slider->setToolTip(tr("Forward, it replays the events in between; backward, it restarts "
                            "and replays up to the new position"));
    m_slider->setRange(0, kSliderEnd);
    m_slider->setSingleStep(kSliderEnd / 100);
    m_slider->setPageStep(kSliderEnd / 10);
    addWidget(m_slider);
    m_time->setObjectName(QStringLiteral("replayTime"));
    m_time->setContentsMargins(8, 0, 8, 0);
    m_time->setToolTip(tr("Time that is shown, and the length of the recording"));
    addWidget(m_time);
    // No shortcut: in other views, Escape ends a measurement or a search.
    m_close = addButton("replayClose", "close", tr("End replay"), tr("Show the whole recording again"), QKeySequence());

    connect(m_play, &QAction::triggered, this, [this] { m_playing ? pauseRequested() : playRequested(); });
    connect(m_step, &QAction::triggered, this, &ReplayBar::stepRequested);
    connect(m_restart, &QAction::triggered, this, [this] {
        m_seekTarget.reset();
        Q_EMIT restartRequested();
    });
    connect(m_close, &QAction::triggered, this, &ReplayBar::closeRequested);
    connect(m_slider, &SeekSlider::seekRequested, this, [this](int value) {
        m_seekTarget = timeAt(value);
        Q_EMIT seekRequested(*m_seekTarget);
    });
    connect(m_slider, &QSlider::sliderMoved, this, [this](int value) { showTime(timeAt(value)); });
    hideBar();
}

QAction *ReplayBar::addButton(const char *name, const char *icon, const QString &text, const QString &toolTip,
                              const QKeySequence &shortcut)
{
    QAction *action = addAction(icons::icon(QLatin1String(icon)), text);
    action->setObjectName(QLatin1String(name));
    action->setShortcut(shortcut);
    if (!toolTip.isEmpty())
        action->setToolTip(shortcut.isEmpty()
                               ? toolTip
                               : QStringLiteral("%1 (%2)").arg(toolTip, shortcut.toString(QKeySequence::NativeText)));
    return action;
}

void ReplayBar::makeSpeeds()
{
    for (const double speed : kSpeeds)
        m_speeds->addItem(QStringLiteral("%1 ×").arg(speed), speed);
    m_speeds->setCurrentIndex(kUsualSpeed);
    m_speeds->setObjectName(QStringLiteral("replaySpeed"));
    m_speeds->setAccessibleName(tr("Speed of the replay"));
    m_speeds->setToolTip(tr("Speed of the replay, relative to the capture ([ slower, ] faster)"));
    addWidget(m_speeds);
    connect(m_speeds, &QComboBox::currentIndexChanged, this, [this] { Q_EMIT speedChosen(speed()); });
    m_slower->setShortcut(QKeySequence(Qt::Key_BracketLeft));
    m_faster->setShortcut(QKeySequence(Qt::Key_BracketRight));
    m_slower->setObjectName(QStringLiteral("replaySlower"));
    m_faster->setObjectName(QStringLiteral("replayFaster"));
    connect(m_slower, &QAction::triggered, this, [this] { changeSpeed(-1); });
    connect(m_faster, &QAction::triggered, this, [this] { changeSpeed(1); });
    // These actions have only shortcuts; the combo box shows the speed.
    parentWidget()->addActions({m_slower, m_faster});
}

void ReplayBar::changeSpeed(int by)
{
    m_speeds->setCurrentIndex(std::clamp(m_speeds->currentIndex() + by, 0, m_speeds->count() - 1));
}

double ReplayBar::speed() const
{
    return m_speeds->currentData().toDouble();
}

/// Enables the shortcuts of the replay; without a replay, other views may use these keys.
void ReplayBar::enableShortcuts(bool on)
{
    for (QAction *action : {m_restart, m_play, m_step, m_close, m_slower, m_faster})
        action->setEnabled(on);
}

void ReplayBar::showReplay(std::uint64_t first, std::uint64_t last)
{
    m_first = first;
    m_last = std::max(first, last);
    m_seekTarget.reset();
    enableShortcuts(true);
    showPlay(true, false);
    setVisible(true);
}

void ReplayBar::hideBar()
{
    enableShortcuts(false);
    setVisible(false);
}

void ReplayBar::sample(std::uint64_t now, bool playing, bool ended)
{
    if (m_playing != (playing && !ended) || m_ended != ended)
        showPlay(playing && !ended, ended);
    if (m_slider->isSliderDown())
        return;
    // Until the replay arrives, the slider stays where the user put it. The next key press counts from there.
    if (m_seekTarget && (ended || now >= *m_seekTarget))
        m_seekTarget.reset();
    const std::uint64_t at = std::clamp(m_seekTarget.value_or(now), m_first, m_last);
    const double part =
        m_last > m_first ? static_cast<double>(at - m_first) / static_cast<double>(m_last - m_first) : 1;
    const QSignalBlocker silence(m_slider);
    m_slider->setValue(static_cast<int>(part * kSliderEnd));
    showTime(at);
}

void ReplayBar::showPlay(bool playing, bool ended)
{
    m_playing = playing;
    m_ended = ended;
    m_play->setText(m_playing ? tr("Pause") : tr("Play"));
    m_play->setIcon(icons::icon(m_playing ? QStringLiteral("pause") : QStringLiteral("run")));
    m_play->setToolTip((m_playing ? tr("Pause (%1)")
                        : ended   ? tr("Play again (%1)")
                                  : tr("Continue (%1)"))
                           .arg(m_play->shortcut().toString(QKeySequence::NativeText)));
    m_step->setEnabled(!ended);
}

std::uint64_t ReplayBar::timeAt(int value) const
{
    return m_first + static_cast<std::uint64_t>(static_cast<double>(m_last - m_first) * value / kSliderEnd);
}

void ReplayBar::showTime(std::uint64_t now)
{
    const std::uint64_t all = m_last - m_first;
    const bool isShort = all < kShortNs;
    m_time->setText(QStringLiteral("%1 / %2").arg(clockText(now - m_first, isShort), clockText(all, isShort)));
}

}  // namespace ct
