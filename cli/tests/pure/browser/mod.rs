// SPDX-License-Identifier: MIT OR Apache-2.0
//! A headless Chromium with one page: its tree, its log, and its picture.
use crate::lacking::skip;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const LIMIT: Duration = Duration::from_secs(120);

pub struct View {
    pub width: u32,
    pub height: u32,
    pub dark: bool,
}

pub struct Opened {
    pub tree: String,
    pub log: String,
}

// A screenshot; the first three samples of a pixel are its colour.
pub struct Picture {
    pub width: usize,
    pub height: usize,
    channels: usize,
    samples: Vec<u8>,
}

// The browser's program; `None` with a message if there is none, so that a test can return.
pub fn find(test: &str) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let places = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = places.into_iter().find(|place| place.is_file());
    if found.is_none() {
        skip(test, "no browser is installed; tools/install.sh test installs Chromium");
    }
    found
}

pub fn open(program: &Path, page: &str, view: &View) -> Opened {
    let (folder, file) = written(page);
    let out = folder.path().join("tree");
    run(program, view, &file, &folder, "--dump-dom", &out);
    let text = |name: &str| String::from_utf8_lossy(&std::fs::read(folder.path().join(name)).unwrap()).into_owned();
    Opened { tree: text("tree"), log: text("log") }
}

pub fn screenshot(program: &Path, page: &str, view: &View) -> Picture {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("page.png");
    picture_of(program, page, view, &image);
    read(&image)
}

pub fn picture_of(program: &Path, page: &str, view: &View, image: &Path) {
    let (folder, file) = written(page);
    run(program, view, &file, &folder, &format!("--screenshot={}", image.display()), &folder.path().join("out"));
}

pub fn print(program: &Path, page: &str, paper: &Path) {
    let (folder, file) = written(page);
    let view = View { width: 1180, height: 800, dark: false };
    run(program, &view, &file, &folder, &format!("--print-to-pdf={}", paper.display()), &folder.path().join("out"));
}

pub fn read(image: &Path) -> Picture {
    let mut reader = png::Decoder::new(BufReader::new(File::open(image).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let channels = info.color_type.samples();
    Picture { width: info.width as usize, height: info.height as usize, channels, samples: bytes }
}

fn written(page: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    (folder, file)
}

// One browser with a profile of its own, ended at the latest after [`LIMIT`].
fn run(program: &Path, view: &View, page: &Path, folder: &TempDir, action: &str, out: &Path) {
    let mut command = Command::new(program);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--hide-scrollbars",
        "--force-device-scale-factor=1",
        "--enable-logging=stderr",
    ]);
    command.arg(format!("--blink-settings=preferredColorScheme={}", if view.dark { 0 } else { 1 }));
    command.arg(format!("--window-size={},{}", view.width, view.height));
    command.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    command.arg(action).arg(format!("file://{}", page.display()));
    let file = |path: &Path| Stdio::from(File::create(path).unwrap());
    command.stdout(file(out)).stderr(file(&folder.path().join("log"))).stdin(Stdio::null());
    wait(command.spawn().unwrap());
}

fn wait(mut child: Child) {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the browser did not end within {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Opened {
    pub fn console(&self) -> Vec<&str> {
        self.log.lines().filter(|row| row.contains("CONSOLE")).collect()
    }
}

impl Picture {
    pub fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.colour((y * self.width + x) * self.channels)
    }

    fn colour(&self, start: usize) -> [u8; 3] {
        [self.samples[start], self.samples[start + 1], self.samples[start + 2]]
    }

    pub fn count(&self, place: &Place, wanted: impl Fn([u8; 3]) -> bool) -> usize {
        let right = (place.left + place.width).min(self.width);
        let mut count = 0;
        // Millions of pixels: plain loops, for tests are not optimized.
        for y in place.top..(place.top + place.height).min(self.height) {
            let mut start = (y * self.width + place.left) * self.channels;
            let end = (y * self.width + right) * self.channels;
            while start < end {
                count += usize::from(wanted(self.colour(start)));
                start += self.channels;
            }
        }
        count
    }
}

#[derive(Clone, Debug)]
pub struct Place {
    pub id: String,
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}
