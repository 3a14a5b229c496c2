// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
'use strict';

// Reads the data of the page: core/reporting/htmldata.h describes it. A coroutine is its index in the columns.

const tables = JSON.parse(document.getElementById('data-tables').textContent);
const STEP_SUSPEND = 0, STEP_RESUME = 1, STEP_ABSENT = 3, STEP_FINAL = 4;

class Bytes {
    constructor(elementId) {
        const element = document.getElementById(elementId);
        const decoded = atob(element.textContent);
        element.remove();
        this.bytes = new Uint8Array(decoded.length);
        for (let i = 0; i < decoded.length; ++i)
            this.bytes[i] = decoded.charCodeAt(i);
        this.at = 0;
    }
    number() {
        let result = 0;
        // Shifts would cut numbers beyond 32 bits.
        for (let factor = 1; ; factor *= 128) {
            const byte = this.bytes[this.at++];
            result += (byte & 0x7F) * factor;
            if (byte < 0x80)
                return result;
        }
    }
    signed() {
        const number = this.number();
        return number % 2 ? -(number - 1) / 2 : number / 2;
    }
}

/// Reads the columns of all coroutines.
function readCoroutines() {
    const count = tables.count;
    const columns = {
        id: new Uint32Array(count), state: new Uint8Array(count), fn: new Uint32Array(count),
        where: new Uint32Array(count), name: new Uint32Array(count), thread: new Uint32Array(count),
        since: new Float64Array(count), birth: new Float64Array(count), events: new Float64Array(count),
        cut: new Float64Array(count), steps: new Uint32Array(count), firstByte: new Uint32Array(count),
    };
    const bytes = new Bytes('data-coroutines');
    let id = 0, stepBytes = 0;
    for (let i = 0; i < count; ++i) {
        columns.id[i] = id += bytes.number();
        columns.state[i] = bytes.number();
        columns.fn[i] = bytes.number();
        columns.where[i] = bytes.number();
        columns.name[i] = bytes.number();
        columns.thread[i] = bytes.number();
        columns.since[i] = bytes.signed();
        const isBirthKnown = bytes.number() !== 0;
        const birth = bytes.signed();
        columns.birth[i] = isBirthKnown ? birth : NaN;
        columns.events[i] = bytes.number();
        columns.cut[i] = bytes.number();
        columns.steps[i] = bytes.number();
        columns.firstByte[i] = stepBytes;
        stepBytes += bytes.number();
    }
    return columns;
}

const coroutines = readCoroutines();
let stepData = null;

/// Returns the steps of a coroutine: {ts, type, thread, where} or {ts, type, thread, count}, times in ns.
function stepsOf(index) {
    stepData ||= new Bytes('data-steps');
    stepData.at = coroutines.firstByte[index];
    const steps = [];
    let ts = 0;
    for (let i = 0; i < coroutines.steps[index]; ++i) {
        ts += stepData.signed();
        const tag = stepData.number();
        const step = { ts, type: tag % 8, thread: Math.floor(tag / 8), where: 0, count: 0 };
        if (step.type === STEP_SUSPEND || step.type === STEP_FINAL)
            step.where = stepData.number();
        else if (step.type !== STEP_RESUME)
            step.count = stepData.number();
        steps.push(step);
    }
    return steps;
}

/// Returns the index of the coroutine with this id, or -1. Ids ascend.
function indexOfCoroutine(id) {
    let low = 0, high = coroutines.id.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (coroutines.id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return coroutines.id[low] === id ? low : -1;
}

/// "3.20 s", "14.1 ms", "120 us", "7 ns": as core/base/quantitytext.h.
function durationText(ns) {
    for (const [size, unit] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']]) {
        if (ns >= size) {
            const value = ns / size;
            return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) + ' ' + unit;
        }
    }
    return Math.round(ns) + ' ns';
}

/// A time of the run, with the decimals that a distance of `step` ns needs.
function timeText(ns, step = 1e3) {
    const decimals = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(step))));
    return (ns / 1e9).toFixed(decimals) + ' s';
}

function countText(count) {
    return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/// Creates an element with text. Texts of the target are never parsed as markup.
function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className)
        made.className = className;
    if (text !== undefined)
        made.textContent = text;
    return made;
}

const byId = id => document.getElementById(id);
