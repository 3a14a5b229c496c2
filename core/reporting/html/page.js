// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT

// Connects the parts of the page. #coroutine-12 selects a coroutine, #finding-0 lists those of a finding.

function filterFindings() {
    const text = byId('finding-text').value.trim().toLowerCase();
    const boxes = [...document.querySelectorAll('#finding-filter input[type=checkbox]')];
    const severities = new Set(boxes.filter(box => box.checked).map(box => box.value));
    const findings = document.querySelectorAll('article.finding');
    let shown = 0;
    for (const finding of findings) {
        finding.hidden = !severities.has(finding.dataset.severity) ||
            !(text === '' || finding.textContent.toLowerCase().includes(text));
        shown += finding.hidden ? 0 : 1;
    }
    byId('finding-count').textContent = countText(shown) + ' of ' + countText(findings.length);
}

function startFindings() {
    const findings = document.querySelectorAll('article.finding');
    byId('finding-filter').hidden = findings.length < 2;
    byId('finding-filter').addEventListener('input', filterFindings);
    filterFindings();
}

function startCoroutines() {
    const details = new Details();
    const list = new CoroutineList(index => {
        details.show(index);
        history.replaceState(null, '', '#coroutine-' + coroutines.id[index]);
    });
    const filter = () => list.filter(byId('text').value, Number(byId('state').value || -1),
                                     Number(byId('finding').value || -1));
    const addOption = (select, value, text) => {
        const option = element('option', '', text);
        option.value = value;
        byId(select).append(option);
    };
    tables.states.forEach((state, value) => addOption('state', value, state));
    document.querySelectorAll('article.finding').forEach((finding, value) => {
        if (tables.findings[value].length)
            addOption('finding', value, value + 1 + ': ' + finding.querySelector('h3').textContent.slice(0, 100));
    });
    byId('filter').addEventListener('input', filter);

    const followHash = () => {
        const [, kind, number] = /^#(coroutine|finding)-(\d+)$/.exec(location.hash) || [];
        if (!kind)
            return;
        const index = kind === 'coroutine' ? indexOfCoroutine(Number(number)) : -1;
        byId('text').value = byId('state').value = '';
        byId('finding').value = kind === 'finding' ? number : '';
        filter();
        byId('coroutines').scrollIntoView();
        if (index < 0)
            return;
        list.select(index);
        list.reveal(index);
    };
    window.addEventListener('hashchange', followHash);
    byId('browser').hidden = coroutines.id.length === 0;
    if (coroutines.id.length === 0)
        byId('coroutines').append(element('p', 'note', 'The run has no coroutine.'));
    filter();
    followHash();
}

for (const form of document.querySelectorAll('form'))
    form.addEventListener('submit', event => event.preventDefault());
startFindings();
startCoroutines();
document.documentElement.dataset.ready = 'true';
