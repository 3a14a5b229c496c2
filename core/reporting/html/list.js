// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT

// The list of coroutines: only the rows that are in view are elements of the page.

const ROW_HEIGHT = 26;

const listColumns = [
    { title: 'number', className: 'number', text: i => coroutines.id[i], key: i => coroutines.id[i] },
    { title: 'state', className: 'state', text: i => tables.states[coroutines.state[i]], key: i => coroutines.state[i] },
    { title: 'function', text: i => tables.texts[coroutines.fn[i]], order: 'fn' },
    { title: 'suspended at', text: i => tables.texts[coroutines.where[i]], order: 'where' },
    { title: 'for', className: 'number', text: i => durationText(ageOf(i)), key: i => ageOf(i) },
    { title: 'name', text: i => tables.texts[coroutines.name[i]], order: 'name' },
    { title: 'thread', text: i => tables.threads[coroutines.thread[i]], key: i => coroutines.thread[i] },
    { title: 'events', className: 'number', text: i => countText(coroutines.events[i]), key: i => coroutines.events[i] },
];

/// How long (ns) the coroutine has been in its state, at the instant of the verdict.
function ageOf(index) {
    return Math.max(0, tables.judged - coroutines.since[index]);
}

class CoroutineList {
    constructor(onSelect) {
        this.onSelect = onSelect;
        this.selected = -1;
        this.shown = Uint32Array.from(coroutines.id.keys());
        this.sortColumn = 0;
        this.isAscending = true;
        this.lowerTexts = tables.texts.map(text => text.toLowerCase());
        this.box = byId('list');
        this.rows = byId('rows');
        this.makeHead();
        this.box.addEventListener('scroll', () => this.draw(), { passive: true });
        this.box.addEventListener('keydown', event => this.onKey(event));
        this.rows.addEventListener('click', event => {
            const row = event.target.closest('[role=row]');
            if (row)
                this.select(Number(row.dataset.index));
        });
        new ResizeObserver(() => this.draw()).observe(this.box);
    }

    makeHead() {
        listColumns.forEach((column, number) => {
            const button = element('button', column.className, column.title);
            button.type = 'button';
            button.setAttribute('role', 'columnheader');
            button.addEventListener('click', () => this.sortBy(number));
            byId('head').append(button);
        });
        this.showOrder();
    }

    showOrder() {
        [...byId('head').children].forEach((button, number) => button.setAttribute('aria-sort',
            number !== this.sortColumn ? 'none' : this.isAscending ? 'ascending' : 'descending'));
    }

    /// Shows the coroutines with `text` in a visible text, in a state (or -1), and in a finding (or -1).
    filter(text, state, finding) {
        const wanted = text.trim().toLowerCase();
        // Many coroutines share a text: compare each text once.
        const hits = this.lowerTexts.map(lower => lower.includes(wanted));
        const found = finding >= 0 ? new Set(tables.findings[finding]) : null;
        const shown = [];
        for (let i = 0; i < coroutines.id.length; ++i) {
            if (state >= 0 && coroutines.state[i] !== state)
                continue;
            if (found && !found.has(coroutines.id[i]))
                continue;
            if (wanted === '' || hits[coroutines.fn[i]] || hits[coroutines.where[i]] || hits[coroutines.name[i]] ||
                String(coroutines.id[i]) === wanted)
                shown.push(i);
        }
        this.shown = Uint32Array.from(shown);
        this.sort();
    }

    sortBy(number) {
        this.isAscending = number === this.sortColumn ? !this.isAscending : listColumns[number].title !== 'for';
        this.sortColumn = number;
        this.showOrder();
        this.sort();
    }

    sort() {
        const column = listColumns[this.sortColumn];
        const key = column.key || this.textOrder(column.order);
        const sign = this.isAscending ? 1 : -1;
        this.shown.sort((a, b) => sign * (key(a) - key(b)) || a - b);
        this.box.scrollTop = 0;
        this.draw();
    }

    /// Returns a key that sorts by a column of texts. Sorts each text once.
    textOrder(name) {
        if (!this.textRanks) {
            const order = this.lowerTexts.map((_, text) => text);
            order.sort((a, b) => this.lowerTexts[a] < this.lowerTexts[b] ? -1 : this.lowerTexts[a] > this.lowerTexts[b]);
            this.textRanks = new Uint32Array(order.length);
            order.forEach((text, rank) => { this.textRanks[text] = rank; });
        }
        return index => this.textRanks[coroutines[name][index]];
    }

    draw() {
        const count = this.shown.length;
        byId('count').textContent = count === coroutines.id.length ? countText(count) + ' coroutines'
            : countText(count) + ' of ' + countText(coroutines.id.length) + ' coroutines';
        this.box.setAttribute('aria-rowcount', count);
        this.rows.style.height = count * ROW_HEIGHT + 'px';
        const first = Math.max(0, Math.floor(this.box.scrollTop / ROW_HEIGHT) - 4);
        const end = Math.min(count, first + Math.ceil(this.box.clientHeight / ROW_HEIGHT) + 8);
        const drawn = [];
        for (let position = first; position < end; ++position)
            drawn.push(this.makeRow(position));
        this.rows.replaceChildren(...drawn);
    }

    makeRow(position) {
        const index = this.shown[position];
        const row = element('div', index === this.selected ? 'selected' : '');
        row.setAttribute('role', 'row');
        row.setAttribute('aria-rowindex', position + 1);
        row.setAttribute('aria-selected', index === this.selected);
        row.dataset.index = index;
        row.style.top = position * ROW_HEIGHT + 'px';
        for (const column of listColumns) {
            const text = column.text(index);
            const cell = element('span', column.className, text);
            cell.setAttribute('role', 'gridcell');
            if (column.className === 'state')
                cell.classList.add('state-' + text);
            else
                cell.title = text;
            row.append(cell);
        }
        return row;
    }

    select(index) {
        this.selected = index;
        this.draw();
        this.onSelect(index);
    }

    /// Scrolls to a coroutine, if the filter shows it.
    reveal(index) {
        const position = this.shown.indexOf(index);
        if (position >= 0)
            this.box.scrollTop = Math.max(0, (position + 1) * ROW_HEIGHT - this.box.clientHeight / 2);
    }

    onKey(event) {
        const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
        const step = steps[event.key];
        if (step === undefined || this.shown.length === 0)
            return;
        event.preventDefault();
        const position = this.shown.indexOf(this.selected) + step;
        const next = this.shown[Math.max(0, Math.min(this.shown.length - 1, position))];
        this.reveal(next);
        this.select(next);
    }
}
