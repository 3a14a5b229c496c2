// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT

// The coroutine that is selected in the list: its facts, its timeline, and its steps as a table.

class Details {
    constructor() {
        this.timeline = null;
        this.drag = null;  // the view and the position at which it began
        this.box = byId('timeline');
        byId('zoom').addEventListener('click', event => {
            const button = event.target.closest('button');
            if (button && this.timeline)
                this.timeline.act(button.dataset.zoom);
        });
        this.box.addEventListener('wheel', event => this.onWheel(event), { passive: false });
        this.box.addEventListener('keydown', event => this.onKey(event));
        this.box.addEventListener('dblclick', event => this.timeline && this.timeline.zoom(0.5, this.shareOf(event)));
        this.box.addEventListener('pointerdown', event => this.beginDrag(event));
        this.box.addEventListener('pointermove', event => this.onDrag(event));
        new ResizeObserver(() => this.timeline && this.timeline.draw()).observe(this.box);
    }

    show(index) {
        const steps = stepsOf(index);
        const state = tables.states[coroutines.state[index]];
        const isOver = state === 'finished' || state === 'destroyed';
        const name = tables.texts[coroutines.name[index]];
        byId('details').hidden = false;
        byId('details-title').textContent = 'Coroutine ' + coroutines.id[index] + (name ? ' (' + name + ')' : '');
        this.showFacts(index, state);
        byId('cut').hidden = coroutines.cut[index] === 0;
        byId('cut').textContent = countText(coroutines.cut[index]) + ' earlier events of this coroutine are not shown.';
        const end = isOver ? coroutines.since[index] : tables.judged;
        this.drag = null;
        this.timeline = new Timeline(this.box, steps, end, state === 'runnable' ? coroutines.since[index] : NaN, view => this.showRange(view));
        this.showSteps(steps, end, isOver);
    }

    showFacts(index, state) {
        const facts = [['state', state], ['function', tables.texts[coroutines.fn[index]]],
                       ['suspended at', tables.texts[coroutines.where[index]]],
                       ['in this state for', durationText(ageOf(index))],
                       ['thread', tables.threads[coroutines.thread[index]]],
                       ['born at', isNaN(coroutines.birth[index]) ? '' : timeText(coroutines.birth[index])],
                       ['events', countText(coroutines.events[index])]];
        byId('facts').replaceChildren(...facts.filter(([, text]) => text !== '').map(([term, text]) => {
            const fact = element('div');
            fact.append(element('dt', '', term), element('dd', '', text));
            return fact;
        }));
    }

    showSteps(steps, end, isOver) {
        const rows = [];
        let ranOn = -1;
        steps.forEach((step, i) => {
            const isLast = i + 1 === steps.length;
            const isRun = step.type === STEP_RESUME;
            const isMove = isRun && ranOn >= 0 && ranOn !== step.thread;
            if (isRun)
                ranOn = step.thread;
            const missing = step.type === STEP_ABSENT ? ' not in memory' : ' lost';
            const what = isRun ? (isMove ? 'resumed on another thread' : 'resumed')
                : step.type === STEP_SUSPEND ? 'suspended at ' + tables.texts[step.where]
                : step.type === STEP_FINAL ? 'finished at ' + tables.texts[step.where]
                : (step.count ? countText(step.count) : 'some') + ' events' + missing;
            const lasts = step.type === STEP_FINAL ? ''
                : isLast ? durationText(Math.max(0, end - step.ts)) + (isOver ? '' : ' so far')
                : durationText(Math.max(0, steps[i + 1].ts - step.ts));
            const row = element('tr', isMove ? 'move' : step.count ? 'gap' : '');
            row.append(element('td', 'number', timeText(step.ts)), element('td', '', tables.threads[step.thread]),
                       element('td', '', what), element('td', 'number', lasts));
            rows.push(row);
        });
        document.querySelector('#steps tbody').replaceChildren(...rows);
    }

    showRange(view) {
        const span = view.to - view.from;
        byId('range').textContent =
            timeText(view.from, span / 100) + ' to ' + timeText(view.to, span / 100) + ', ' + durationText(span);
    }

    shareOf(event) {
        const x = event.clientX - this.box.getBoundingClientRect().left - LABEL_WIDTH;
        return Math.max(0, Math.min(1, x / this.timeline.width()));
    }

    /// Ctrl and wheel zooms, as in maps: without Ctrl, the wheel scrolls the page.
    onWheel(event) {
        if (!this.timeline || !event.ctrlKey)
            return;
        event.preventDefault();
        this.timeline.zoom(event.deltaY < 0 ? 1 / 1.3 : 1.3, this.shareOf(event));
    }

    onKey(event) {
        const actions = { '+': 'in', '=': 'in', '-': 'out', ArrowLeft: 'left', ArrowRight: 'right', s: 'steps', 0: 'all' };
        const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
        if (!action || !this.timeline)
            return;
        event.preventDefault();
        this.timeline.act(action);
    }

    beginDrag(event) {
        if (!this.timeline || event.button !== 0)
            return;
        this.drag = { ...this.timeline.view, x: event.clientX };
        this.box.setPointerCapture(event.pointerId);
    }

    onDrag(event) {
        if (!this.drag || (event.buttons & 1) === 0) {
            this.drag = null;
            return;
        }
        const { from, to, x } = this.drag;
        const distance = (x - event.clientX) * (to - from) / this.timeline.width();
        this.timeline.show(from + distance, to + distance);
    }
}
