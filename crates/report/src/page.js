// What lies under the pointer or the finger, in words at the edge of the window; without this the browser shows it beside the pointer.
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
  document.addEventListener('pointerover', show);
  document.addEventListener('pointerdown', show);
}
