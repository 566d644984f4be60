// Shows a text at the edge of the window about what is under the pointer or the finger. In a narrow window, turns tables into cards.
// Without this script the browser shows the text next to the pointer, and wide tables scroll sideways.
'use strict';
{
  const box = document.createElement('p');
  box.id = 'reading-of';
  box.hidden = true;
  document.body.append(box);
  const show = event => {
    const hit = event.target.closest?.('.hit');
    document.querySelectorAll('.hit.on').forEach(old => old !== hit && old.classList.remove('on'));
    box.hidden = !hit;
    if (!hit) return;
    hit.classList.add('on');
    box.textContent = hit.textContent.replaceAll('\n', ' · ');
  };
  // In a narrow window each row of a wide table is a card. Each cell then has the name of its column.
  for (const table of document.querySelectorAll('.wide > table')) {
    const names = [...table.tHead?.rows[0]?.cells ?? []].map(cell => (cell.querySelector('dfn')?.firstChild ?? cell).textContent);
    if (names.length < 4 || table.querySelector('[rowspan]')) continue;
    table.classList.add('cards');
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, at) => {
      if (names[at]) cell.dataset.name = names[at];
      if (at === 0 || cell.textContent.length > 22 || cell.querySelector('svg')) cell.classList.add('long');
    });
  }
  document.addEventListener('pointerover', show);
  document.addEventListener('pointerdown', show);
}
