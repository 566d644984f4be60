// Runs inside a page in a frame: tells the test what sticks out, which texts of a picture lie on each other or outside of it.
'use strict';
addEventListener('load', () => {
  const told = [];
  let count = 0;
  const wider = document.documentElement.scrollWidth - innerWidth;
  if (wider > 0) told.push(`WIDER than the window by ${wider}`);
  // Paper does not scroll, and a wide window need not: no table and no text of columns is cut at the right.
  for (const box of innerWidth < 700 ? [] : document.querySelectorAll('.wide, pre')) {
    const over = box.scrollWidth - box.clientWidth;
    if (over > 1) told.push(`CUT by ${over}: ${box.textContent.trim().slice(0, 60)}`);
  }
  // No cell of a table lies on another.
  for (const row of document.querySelectorAll('tr')) {
    const cells = [...row.cells].filter(cell => cell.textContent && cell.offsetParent);
    const boxes = cells.map(cell => { const text = document.createRange(); text.selectNodeContents(cell); return text.getBoundingClientRect(); });
    boxes.forEach((box, at) => boxes.slice(at + 1).forEach(beside => {
      const across = Math.min(box.right, beside.right) - Math.max(box.left, beside.left);
      const along = Math.min(box.bottom, beside.bottom) - Math.max(box.top, beside.top);
      if (across > 1 && along > 3) told.push(`OVERLAP in a table: ${cells[at].textContent.slice(0, 30)}`);
    }));
  }
  // What is drawn of a text reaches neither as high nor as low as its box.
  const drawn = text => {
    const box = text.getBoundingClientRect();
    const spare = box.height > box.width && text.hasAttribute('transform') ? [box.width * 0.2, 0] : [0, box.height * 0.2];
    return { left: box.left + spare[0], right: box.right - spare[0], top: box.top + spare[1], bottom: box.bottom - spare[1] };
  };
  for (const picture of document.querySelectorAll('svg.figure')) {
    const view = picture.getBoundingClientRect();
    const texts = [...picture.querySelectorAll('text')];
    const boxes = texts.map(drawn);
    count += texts.length;
    texts.forEach((text, at) => {
      const box = boxes[at];
      if (box.left < view.left - 1 || box.right > view.right + 1 || box.top < view.top - 1 || box.bottom > view.bottom + 1)
        told.push(`OUTSIDE ${picture.id}: ${text.textContent}`);
      for (let other = at + 1; other < texts.length; other++) {
        const beside = boxes[other];
        const across = Math.min(box.right, beside.right) - Math.max(box.left, beside.left);
        const along = Math.min(box.bottom, beside.bottom) - Math.max(box.top, beside.top);
        if (across > 0.5 && along > 0.5) told.push(`OVERLAP ${picture.id}: ${text.textContent} | ${texts[other].textContent}`);
      }
    });
  }
  parent.postMessage([`LOOKED AT ${count} texts at ${innerWidth} pixels`, ...told].join('\n'), '*');
});
