// Runs inside a page in a frame: tells the test where the text of each named element ends, in pixels from the page's top and left.
'use strict';
addEventListener('load', () => {
  const told = [];
  for (const name of ['.hero', '#cause', '#change']) {
    const element = document.querySelector(name);
    if (!element) continue;
    const text = document.createRange();
    text.selectNodeContents(element);
    const box = text.getBoundingClientRect();
    told.push([name, box.left, box.top, box.right, box.bottom].join(' '));
  }
  parent.postMessage(`PLACES ${innerWidth} ${innerHeight}\n` + told.join('\n'), '*');
});
