// Draws the page's data: rows of slices over time, and arrows from the waker to the woken thread. The wheel zooms, dragging moves.
// A word in the search box selects the rows with this word in their names; Enter goes to the next slice of these rows.
'use strict';
{
  const data = JSON.parse(document.getElementById('timeline-data').textContent);
  const canvas = document.getElementById('timeline');
  const search = document.getElementById('timeline-search');
  const told = document.getElementById('timeline-told');
  const ROW = 18, LEFT = 190, TOP = 22;
  const paint = canvas.getContext('2d');
  const colours = ['#2f6db5', '#c0561f', '#2b8a57', '#8a4fb0', '#a8862b', '#3b8f9e', '#b0416a', '#6b7280'];
  let rows = [], place = [], from = data.from, to = data.to, hovered = null;
  const span = () => to - from;
  const x = at => LEFT + (at - from) / span() * (canvas.clientWidth - LEFT);
  // Enough digits to distinguish two times that are `step` apart.
  const time = (ns, step) => {
    if (data.unit === 'instructions') return Math.round(ns).toLocaleString('en') + ' instr.';
    const digits = size => Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
    for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]]) if (Math.abs(ns) >= size) return (ns / size).toFixed(digits(size)) + ' ' + unit;
    return Math.round(ns) + ' ns';
  };
  const cpus = [...new Set(data.slices.map(slice => slice[1]))].sort((one, other) => one - other);
  const choose = () => {
    const word = search.value.trim().toLowerCase();
    rows = data.rows.map((_, index) => index).filter(index => !word || data.rows[index].name.toLowerCase().includes(word));
    place = [];
    rows.forEach((row, at) => { place[row] = at; });
    canvas.style.height = TOP + Math.max(rows.length, 1) * ROW + 'px';
    draw();
  };
  const ruler = height => {
    const wanted = span() / Math.max(2, (canvas.clientWidth - LEFT) / 110);
    let step = 10 ** Math.floor(Math.log10(wanted));
    step *= wanted / step > 5 ? 10 : wanted / step > 2 ? 5 : wanted / step > 1 ? 2 : 1;
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      paint.globalAlpha = 0.15;
      paint.fillRect(x(at), TOP - 4, 1, height);
      paint.globalAlpha = 1;
      paint.fillText(time(at, step), x(at) + 3, 12);
    }
  };
  // The colours of the first CPUs, as many as have room to the left of the ruler.
  const legend = () => cpus.slice(0, 4).forEach((cpu, at) => {
    paint.fillStyle = colours[cpu % colours.length];
    paint.fillRect(4 + at * 46, 4, 8, 9);
    paint.fillText('CPU ' + cpu, 15 + at * 46, 12, 32);
  });
  const draw = () => {
    const scale = window.devicePixelRatio || 1, style = getComputedStyle(document.body);
    canvas.width = canvas.clientWidth * scale;
    canvas.height = canvas.clientHeight * scale;
    paint.setTransform(scale, 0, 0, scale, 0, 0);
    paint.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    paint.font = '11px system-ui, sans-serif';
    const ink = style.color;
    paint.fillStyle = ink;
    ruler(canvas.clientHeight);
    rows.forEach((row, at) => paint.fillText(data.rows[row].name, 4, TOP + at * ROW + 13, LEFT - 10));
    const last = [];
    for (const [row, cpu, begin, length] of data.slices) {
      const at = place[row];
      if (at === undefined || begin > to || begin + length < from) continue;
      const left = Math.max(LEFT, x(begin)), width = Math.max(0.6, x(begin + length) - left);
      // Draw several slices of one row on the same pixel only once.
      if (width < 1 && last[at] === Math.floor(left)) continue;
      last[at] = Math.floor(left);
      paint.fillStyle = colours[cpu % colours.length];
      paint.fillRect(left, TOP + at * ROW + 2, width, ROW - 5);
    }
    arrows(ink);
    legend();
  };
  const arrows = ink => {
    const shown = data.wakings.filter(([at, by, of]) => at >= from && at <= to && place[by] !== undefined && place[of] !== undefined);
    if (shown.length > 800) return;
    paint.strokeStyle = paint.fillStyle = ink;
    paint.globalAlpha = 0.6;
    for (const [at, by, of] of shown) {
      const [begin, end] = [TOP + place[by] * ROW + 8, TOP + place[of] * ROW + 8], down = end > begin ? 1 : -1;
      paint.beginPath();
      paint.moveTo(x(at), begin);
      paint.lineTo(x(at), end);
      paint.stroke();
      paint.beginPath();
      paint.moveTo(x(at), end);
      paint.lineTo(x(at) - 3, end - 5 * down);
      paint.lineTo(x(at) + 3, end - 5 * down);
      paint.fill();
    }
    paint.globalAlpha = 1;
  };
  const show = (begin, end) => {
    const least = data.unit === 'instructions' ? 50 : 1000, whole = data.to - data.from;
    const length = Math.min(whole, Math.max(least, end - begin));
    from = Math.min(Math.max(data.from, begin), data.to - length);
    to = from + length;
    draw();
  };
  const zoom = (factor, at) => show(at - (at - from) * factor, at + (to - at) * factor);
  const under = event => {
    const box = canvas.getBoundingClientRect();
    return [from + (event.clientX - box.left - LEFT) / (box.width - LEFT) * span(), rows[Math.floor((event.clientY - box.top - TOP) / ROW)]];
  };
  canvas.addEventListener('wheel', event => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, under(event)[0]); }, { passive: false });
  canvas.addEventListener('pointermove', event => {
    const [at, row] = under(event);
    if (event.buttons) {
      const moved = -event.movementX / (canvas.clientWidth - LEFT) * span();
      return show(from + moved, to + moved);
    }
    const hit = data.slices.find(slice => slice[0] === row && slice[2] <= at && at <= slice[2] + slice[3]);
    if (hit === hovered) return;
    hovered = hit;
    told.textContent = hit ? `${data.rows[hit[0]].name} on CPU ${hit[1]} from ${time(hit[2], 1e3)} for ${time(hit[3], 1)}` : '\u00a0';
  });
  search.addEventListener('input', choose);
  search.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return;
    const middle = from + span() / 2;
    const next = data.slices.find(slice => place[slice[0]] !== undefined && slice[2] > middle) || data.slices.find(slice => place[slice[0]] !== undefined);
    if (next) show(next[2] + 1 - span() / 2, next[2] + 1 + span() / 2);
  });
  canvas.addEventListener('keydown', event => {
    const middle = from + span() / 2, step = span() / 5;
    const acts = { '+': () => zoom(0.5, middle), '-': () => zoom(2, middle), ArrowLeft: () => show(from - step, to - step), ArrowRight: () => show(from + step, to + step), Home: () => show(data.from, data.to) };
    if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
  });
  window.addEventListener('resize', draw);
  choose();
}
