// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/untracedbar.h"

#include "core/target/tracinginstructions.h"

namespace ct {

UntracedBar::UntracedBar(QWidget *parent) : InfoBar(Kind::Warning, parent)
{
    setObjectName(QStringLiteral("nothingTracedBar"));
    connect(this, &InfoBar::linkActivated, this, &UntracedBar::showChecklist);
}

void UntracedBar::showCause(const QString &why)
{
    m_why = why;
    showText(QStringLiteral("<b>%1</b> <a href=\"checklist\">%2</a>").arg(why.toHtmlEscaped(), tr("What to check…")));
}

void UntracedBar::showChecklist()
{
    QString html = QStringLiteral("<b>%1</b><ul style=\"margin:2px 0 2px -20px\">").arg(m_why.toHtmlEscaped());
    for (const QString &point : Instructions::nothingTracedChecklist())
        html += QStringLiteral("<li>%1</li>").arg(point.toHtmlEscaped());
    html += QStringLiteral("</ul>%1<pre style=\"margin:4px 0 0 0\">%2</pre>")
                .arg(tr("The five lines to add:"), Instructions::fiveLines().toHtmlEscaped());
    showText(html);
}

}  // namespace ct
