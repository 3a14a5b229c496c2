// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/outputdock.h"

#include "ui/format/format.h"

#include <QFontDatabase>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QVBoxLayout>

namespace ct {

namespace {

constexpr int kMostLines = 20'000;
constexpr std::size_t kLinesPerSample = 500;

}  // namespace

OutputDock::OutputDock(QWidget *parent)
    : QDockWidget(tr("Target output"), parent), m_text(new QPlainTextEdit), m_input(new QLineEdit)
{
    setObjectName(QStringLiteral("outputDock"));
    m_text->setObjectName(QStringLiteral("outputText"));
    m_text->setAccessibleName(tr("Target output"));
    m_text->setReadOnly(true);
    m_text->setUndoRedoEnabled(false);
    m_text->setMaximumBlockCount(kMostLines);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setPlaceholderText(tr("The output of a launched target appears here."));
    m_input->setObjectName(QStringLiteral("outputInput"));
    m_input->setAccessibleName(tr("Input for the target"));
    m_input->setPlaceholderText(tr("Send a line to the target"));
    m_input->setFont(m_text->font());
    m_input->hide();
    auto *content = new QWidget(this);
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_text);
    layout->addWidget(m_input);
    setWidget(content);
    connect(m_input, &QLineEdit::returnPressed, this, [this] {
        Q_EMIT inputEntered(m_input->text().toUtf8() + '\n');
        m_input->clear();
    });
}

void OutputDock::beginRun(std::int64_t origin, bool hasTarget)
{
    m_log = OutputLog();
    m_origin = origin;
    m_skippedShown = 0;
    m_text->clear();
    m_input->setVisible(hasTarget);
}

void OutputDock::append(const QByteArray &bytes, qint64 monotonicNs)
{
    m_log.append(bytes, monotonicNs);
}

void OutputDock::showExit(const QString &note, qint64 monotonicNs)
{
    m_log.finish({monotonicNs, tr("— %1 —").arg(note)});
    sample();
    m_input->hide();
}

void OutputDock::sample()
{
    const std::vector<OutputLine> lines = m_log.takeLines(kLinesPerSample);
    if (lines.empty())
        return;
    if (m_log.skipped() > m_skippedShown) {
        show({lines.front().ts, tr("— %1 lines left out: more than a window can show —")
                                    .arg(format::count(m_log.skipped() - m_skippedShown))});
        m_skippedShown = m_log.skipped();
    }
    for (const OutputLine &line : lines)
        show(line);
}

void OutputDock::show(const OutputLine &line)
{
    // appendPlainText() scrolls only if the view was at its end, so the user can read earlier lines.
    const double seconds = static_cast<double>(line.ts - m_origin) / 1e9;
    m_text->appendPlainText(QStringLiteral("%1  %2").arg(seconds, 10, 'f', 3).arg(line.text));
}

}  // namespace ct
