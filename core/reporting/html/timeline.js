// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT

// The timeline of one coroutine: a row for each thread that it ran on. Zoom and pan change the visible times only.

const SVG = 'http://www.w3.org/2000/svg';
const LANE_HEIGHT = 22, AXIS_HEIGHT = 20, LABEL_WIDTH = 150, LEAST_SPAN_NS = 100;

function svg(tag, attributes, title) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes))
        made.setAttribute(name, value);
    if (title !== undefined) {
        const text = document.createElementNS(SVG, 'title');
        text.textContent = title;
        made.append(text);
    }
    return made;
}

class Timeline {
    /// `steps`: of one coroutine. `end`: ns, when the state after its last step ends. `runnableSince`: ns, when it was
    /// woken from its last suspension; NaN = it was not.
    constructor(box, steps, end, runnableSince, onChange) {
        this.box = box;
        this.onChange = onChange;
        this.spans = this.spansOf(steps, isNaN(runnableSince) ? end : Math.min(end, runnableSince));
        if (!isNaN(runnableSince) && this.spans.length)
            this.spans.push({ from: runnableSince, to: end, kind: 'runnable', thread: this.spans[this.spans.length - 1].thread,
                              title: 'runnable, ' + durationText(end - runnableSince), isMove: false });
        this.threads = [...new Set(this.spans.map(span => span.thread))];
        const first = steps.length ? steps[0].ts : 0;
        const last = steps.length ? steps[steps.length - 1].ts : 0;
        this.whole = { from: first, to: Math.max(end, last, first + LEAST_SPAN_NS) };
        this.ofSteps = { from: first, to: Math.max(last, first + LEAST_SPAN_NS) };
        this.view = { ...this.whole };
        this.draw();
    }

    /// What the coroutine did between its steps: {from, to, kind, thread, title, isMove}.
    spansOf(steps, end) {
        const spans = [];
        let ranOn = -1;
        steps.forEach((step, i) => {
            const isLast = i + 1 === steps.length;
            if (step.type === STEP_FINAL)
                return;
            const to = isLast ? Math.max(end, step.ts) : steps[i + 1].ts;
            const isRun = step.type === STEP_RESUME;
            const kind = isRun ? 'run' : step.type === STEP_SUSPEND ? 'wait' : 'gap';
            const what = isRun ? 'runs on ' + tables.threads[step.thread]
                : kind === 'wait' ? 'suspended at ' + tables.texts[step.where] : 'missing events';
            spans.push({ from: step.ts, to, kind, thread: step.thread, isMove: isRun && ranOn >= 0 && ranOn !== step.thread,
                         title: what + ', ' + durationText(to - step.ts) });
            if (isRun)
                ranOn = step.thread;
        });
        return spans;
    }

    width() { return Math.max(100, this.box.clientWidth - LABEL_WIDTH); }
    x(ts) { return LABEL_WIDTH + (ts - this.view.from) / (this.view.to - this.view.from) * this.width(); }

    show(from, to) {
        const span = Math.min(Math.max(to - from, LEAST_SPAN_NS), this.whole.to - this.whole.from);
        const begin = Math.min(Math.max(from, this.whole.from), this.whole.to - span);
        this.view = { from: begin, to: begin + span };
        this.draw();
    }

    /// Zooms around a position, a share of the width.
    zoom(factor, share = 0.5) {
        const span = (this.view.to - this.view.from) * factor;
        const fixed = this.view.from + (this.view.to - this.view.from) * share;
        this.show(fixed - span * share, fixed + span * (1 - share));
    }

    pan(share) {
        const distance = (this.view.to - this.view.from) * share;
        this.show(this.view.from + distance, this.view.to + distance);
    }

    act(action) {
        switch (action) {
        case 'in': this.zoom(0.5); break;
        case 'out': this.zoom(2); break;
        case 'left': this.pan(-0.25); break;
        case 'right': this.pan(0.25); break;
        case 'steps': this.show(this.ofSteps.from, this.ofSteps.to); break;
        case 'all': this.show(this.whole.from, this.whole.to); break;
        }
    }

    draw() {
        const height = AXIS_HEIGHT + this.threads.length * LANE_HEIGHT;
        const root = svg('svg', { width: LABEL_WIDTH + this.width(), height });
        this.drawAxis(root, height);
        this.threads.forEach((thread, lane) => {
            const label = svg('text', { x: LABEL_WIDTH - 8, y: AXIS_HEIGHT + lane * LANE_HEIGHT + 15, class: 'lane' },
                              tables.threads[thread]);
            const name = tables.threads[thread] || 'unknown thread';
            label.append(name.length > 20 ? name.slice(0, 19) + '\u2026' : name);
            root.append(label);
        });
        for (const span of this.spans)
            if (span.to >= this.view.from && span.from <= this.view.to)
                this.drawSpan(root, span);
        this.box.replaceChildren(root);
        this.onChange(this.view);
    }

    drawSpan(root, span) {
        const left = Math.max(this.x(span.from), LABEL_WIDTH);
        const right = Math.min(this.x(span.to), LABEL_WIDTH + this.width());
        const top = AXIS_HEIGHT + this.threads.indexOf(span.thread) * LANE_HEIGHT;
        const [y, height] = { run: [top + 3, LANE_HEIGHT - 6], wait: [top + 9, 4], runnable: [top + 7, 8], gap: [top, LANE_HEIGHT] }[span.kind];
        root.append(svg('rect', { x: left, y, width: Math.max(1.5, right - left), height, class: span.kind }, span.title));
        if (!span.isMove || span.from < this.view.from)
            return;
        const before = this.spans[this.spans.indexOf(span) - 1];
        const y1 = AXIS_HEIGHT + (this.threads.indexOf(before.thread) + 0.5) * LANE_HEIGHT;
        root.append(svg('line', { x1: left, x2: left, y1, y2: top + LANE_HEIGHT / 2, class: 'move' }, 'another thread'));
    }

    /// Marks at round times, about 100 pixels apart.
    drawAxis(root, height) {
        const span = this.view.to - this.view.from;
        const rough = span / Math.max(1, this.width() / 110);
        const power = 10 ** Math.floor(Math.log10(rough));
        const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough);
        for (let ts = Math.ceil(this.view.from / step) * step; ts <= this.view.to; ts += step) {
            const x = this.x(ts);
            root.append(svg('line', { x1: x, x2: x, y1: AXIS_HEIGHT - 4, y2: height, class: 'tick' }));
            const label = svg('text', { x: x + 3, y: 12, class: 'time' });
            label.append(timeText(ts, step));
            root.append(label);
        }
    }
}
