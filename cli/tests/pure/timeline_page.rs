// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recording's page in a headless Chromium: its script's drawing, and its reaction to wheel, keys and search.
use crate::browser::{self, View};
use crate::recordings;
use std::collections::BTreeMap;
use std::process::Command;

const WIDE: View = View { width: 1180, height: 1_400, dark: false };

// Acts as a person would, and writes the result. Sizes are those of the page's own script.
const ACTING: &str = "<script>addEventListener('load', () => {
  const data = JSON.parse(document.getElementById('timeline-data').textContent), said = [];
  const canvas = document.getElementById('timeline'), search = document.getElementById('timeline-search');
  const box = canvas.getBoundingClientRect(), LEFT = 190, TOP = 22, ROW = 18;
  const tell = (name, value) => said.push('SAID ' + name + ' ' + value);
  const look = () => canvas.toDataURL(), x = at => LEFT + (at - data.from) / (data.to - data.from) * (box.width - LEFT);
  const inked = (left, top) => canvas.getContext('2d').getImageData(left, top, 1, 1).data[3] > 60;
  const press = key => canvas.dispatchEvent(new KeyboardEvent('keydown', { key }));
  const point = (left, top) => canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + left, clientY: box.top + top, buttons: 0 }));
  const first = look();
  tell('rows', data.rows.length);
  tell('height', canvas.clientHeight);
  const longest = data.slices.reduce((one, other) => other[3] > one[3] ? other : one);
  const [row, , from, length] = longest, middle = x(from + length / 2), at = TOP + row * ROW + 8;
  tell('slice', inked(Math.round(middle), at));
  point(middle, at);
  tell('told', document.getElementById('timeline-told').textContent.startsWith(data.rows[row].name + ' on CPU ' + longest[1]));
  const far = data.wakings.filter(([, by, of]) => Math.abs(by - of) > 1);
  const drawn = far.filter(([at, by, of]) => { const left = Math.round(x(at)); const top = TOP + (Math.min(by, of) + 1) * ROW - 1; return inked(left, top) || inked(left - 1, top); });
  tell('arrows', far.length > 0 && drawn.length === far.length);
  canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, clientX: box.left + middle, clientY: box.top + at, cancelable: true }));
  tell('zoomed', look() !== first);
  press('Home');
  tell('home', look() === first);
  press('+');
  const near = look();
  press('ArrowRight');
  tell('moved', look() !== near);
  press('Home');
  search.value = 'irq';
  search.dispatchEvent(new Event('input'));
  tell('found', canvas.clientHeight);
  tell('irqs', data.rows.filter(row => row.name.toLowerCase().includes('irq')).length);
  const before = look();
  search.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
  press('+');
  tell('next', look() !== before);
  tell('wider', document.documentElement.scrollWidth - innerWidth);
  const list = document.createElement('pre');
  list.textContent = '\\n' + said.join('\\n') + '\\n';
  document.body.append(list);
})</script></body>";

fn page(words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("trace.dat"), recordings::trace_dat()).unwrap();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_backwall"));
    tool.args(["trace", "report", "trace.dat", "--quiet", "--page", "page.html"]).args(words);
    assert!(tool.current_dir(folder.path()).status().unwrap().success());
    std::fs::read_to_string(folder.path().join("page.html")).unwrap()
}

// The page without the policy that forbids other scripts, and with one that acts.
fn acted_on(page: &str) -> String {
    let start = page.find("<meta http-equiv=\"Content-Security-Policy\"").expect("the page has a policy");
    let end = start + page[start..].find('>').unwrap() + 1;
    format!("{}{}", &page[..start], &page[end..]).replace("</body>", ACTING)
}

#[test]
fn the_timeline_draws_slices_and_arrows_zooms_moves_and_searches() {
    let Some(program) = browser::find("the_timeline_draws_slices_and_arrows_zooms_moves_and_searches") else { return };
    let opened = browser::open(&program, &acted_on(&page(&[])), &WIDE);
    let said: BTreeMap<&str, &str> =
        opened.tree.lines().filter_map(|row| row.strip_prefix("SAID ")?.split_once(' ')).collect();
    let number = |name: &str| said[name].parse::<usize>().unwrap();
    for name in ["slice", "told", "arrows", "zoomed", "home", "moved", "next"] {
        assert_eq!(said.get(name), Some(&"true"), "{name}: {said:?} {:?}", opened.console());
    }
    assert_eq!(number("height"), 22 + 18 * number("rows"));
    assert!(number("irqs") > 1 && number("irqs") < number("rows"), "{said:?}");
    assert_eq!(number("found"), 22 + 18 * number("irqs"));
    assert_eq!(number("wider"), 0);
}

#[test]
fn the_timeline_runs_under_its_own_policy_and_says_how_many_threads_took_part() {
    let Some(program) = browser::find("the_timeline_runs_under_its_own_policy") else { return };
    let opened = browser::open(&program, &page(&[]), &WIDE);
    assert!(opened.console().is_empty(), "{:?}", opened.console());
    assert!(opened.tree.contains(" threads took part</h1>"));
    let canvas = opened.tree.split("<canvas").nth(1).unwrap().split('>').next().unwrap();
    assert!(canvas.contains("height: "), "the script sized it: {canvas}");
}

#[test]
fn on_a_phone_the_account_of_the_time_stays_in_columns_and_comes_before_the_timeline() {
    let Some(program) = browser::find("the account on a phone") else { return };
    let page = page(&[]);
    assert!(page.find("id=\"account\"").unwrap() < page.find("id=\"timeline-section\"").unwrap());
    // As many rows on the screen as lines of text: no line is broken.
    let script = "<script>addEventListener('load',()=>{const e=document.querySelector('pre.columns');const s=getComputedStyle(e);\
        const p=document.createElement('pre');p.textContent='SAID '+(s.whiteSpace==='pre'&&e.scrollWidth>=e.clientWidth&&\
        document.documentElement.scrollWidth<=innerWidth);document.body.append(p)})</script></body>";
    let start = page.find("<meta http-equiv=\"Content-Security-Policy\"").unwrap();
    let end = start + page[start..].find('>').unwrap() + 1;
    let acting = format!("{}{}", &page[..start], &page[end..]).replace("</body>", script);
    let opened = browser::open(&program, &acting, &View { width: 500, ..WIDE });
    assert!(opened.tree.contains("SAID true"), "{:?}", opened.console());
}
