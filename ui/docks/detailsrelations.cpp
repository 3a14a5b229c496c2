// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/detailsrelations.h"

#include "ui/format/format.h"

#include <QFormLayout>
#include <QLabel>

namespace ct {

namespace {

const QLatin1String kTreeLink("tree");

QString link(const QString &target, const QString &text)
{
    return QStringLiteral("<a href=\"%1\">%2</a>").arg(target, text.toHtmlEscaped());
}

QString linkTo(const Population &population, CoroutineId id)
{
    return id == kNoCoroutine ? QString() : link(QString::number(id), format::coroutineTitle(population, id));
}

}  // namespace

DetailsRelations::DetailsRelations(QFormLayout *form, QObject *parent)
    : QObject(parent),
      m_form(form),
      m_parent(addRow("detailsParent", tr("Parent"), tr("The coroutine that created it"))),
      m_children(addRow("detailsChildren", tr("Children"), tr("The coroutines that it created"))),
      m_waits(addRow("detailsWaits", tr("Waits on"), format::waitsOnToolTip())),
      m_wake(addRow("detailsWake", tr("Last woken"),
                    tr("When it was last made runnable, and by which coroutine or thread")))
{
}

QLabel *DetailsRelations::addRow(const char *objectName, const QString &name, const QString &toolTip)
{
    auto *title = new QLabel(name);
    title->setForegroundRole(QPalette::PlaceholderText);
    auto *row = new QLabel;
    row->setObjectName(QLatin1String(objectName));
    row->setAccessibleName(name);
    row->setToolTip(toolTip);
    row->setTextFormat(Qt::RichText);
    row->setTextInteractionFlags(Qt::TextBrowserInteraction);
    row->setFocusPolicy(Qt::StrongFocus);
    // A long name must not widen the dock.
    row->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    row->setMinimumWidth(40);
    row->setFixedHeight(row->fontMetrics().height() + 3);  // the height of the fields above
    row->setContentsMargins(2, 0, 0, 0);
    m_form->addRow(title, row);
    m_form->setRowVisible(row, false);
    connect(row, &QLabel::linkActivated, this, &DetailsRelations::follow);
    return row;
}

void DetailsRelations::setRow(QLabel *row, const QString &html)
{
    if (row->text() == html)
        return;
    row->setText(html);
    m_form->setRowVisible(row, !html.isEmpty());
}

void DetailsRelations::show(const Population &population, CoroutineId id)
{
    const CoroutineNotes notes = population.notes(id);
    const std::uint64_t now = population.now();
    setRow(m_parent, linkTo(population, notes.parent));
    setRow(m_children, notes.children == 0
                           ? QString()
                           : link(kTreeLink, tr("%1, in the creation tree").arg(format::count(notes.children))));
    QString waits;
    if (notes.waitsOn) {
        waits = format::waitsOn(population, *notes.waitsOn, now).toHtmlEscaped();
        if (notes.waitsOn->kind == WaitKind::Coroutine && notes.waitsOn->target != kNoCoroutine)
            waits = linkTo(population, notes.waitsOn->target);
    }
    setRow(m_waits, waits);
    QString woken;
    if (notes.lastWake) {
        Wake wake = *notes.lastWake;
        const QString by = linkTo(population, wake.by);
        wake.by = kNoCoroutine;  // shown as a link instead
        woken = format::wake(population, wake, now).toHtmlEscaped();
        if (!by.isEmpty())
            woken += (woken.isEmpty() ? QString() : QStringLiteral(", ")) + tr("by %1").arg(by);
        if (notes.wakes > 1)
            woken += tr("; %1 times in all").arg(format::count(notes.wakes));
    }
    setRow(m_wake, woken);
}

void DetailsRelations::restyle()
{
    for (QLabel *row : {m_parent, m_children, m_waits, m_wake}) {
        const QString html = row->text();
        row->clear();
        row->setText(html);
    }
}

void DetailsRelations::follow(const QString &link)
{
    if (link == kTreeLink)
        Q_EMIT treeRequested();
    else
        Q_EMIT coroutineActivated(link.toUInt());
}

}  // namespace ct
