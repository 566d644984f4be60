// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a person reads of a run: the verdict, the table, the page.
//!
//! Everything here is a pure function of a [`backwall_model::Run`]. Reports format;
//! they do not compute statistics, read files or print.
//!
//! Words and letters:
//!
//! - `phrase`: how a run's values read in words: one spelling for the table, the verdict and the page
//! - `printable`: text from outside without what could command a terminal or turn the order of letters, as exports have it too
//! - `warnings`: warnings as a person reads them: those that are alike told once, those that make figures no evidence first
//! - `wrap`: text in lines no longer than a terminal is wide
//! - `table`: a table of plain text: columns as wide as their widest cell
//! - `grid`: a table with its heading, as text and as a section of the page
//! - `section`: a section of the page
//! - `run_entry`: a run that stands among others on one page
//!
//! Text:
//!
//! - `verdict`: the verdict: one sentence in plain words, made to be pasted into a ticket
//! - `answered_rate`: up to which frequency each line of a capture answers all
//! - `brief`: the first screen: at most 18 lines, the answer first
//! - `text`: the table on the terminal: every phase with its accounting, and all that a reader needs to trust it
//! - `checks`: the readings of `backwall check` as text: what stands in the way first in the eye, how to change it below it
//! - `comparison`: two sets of runs side by side, as text no line of which is longer than the terminal
//! - `forecast`: the maximum of a longer run as text and as JSON
//! - `interference`: parts alone and together: tables whose ratios have limits, the newsgroup post's beside them, marked as the post's
//! - `interference_text`: a run of parts alone and together as text: the tables, what to read from them, and what was not measured
//! - `iltiming`: the table of interrupt timing analysis: the 2002 tool's rows and columns, and what they count from
//! - `limit`: how many events fit in 10 ms: as found and as calculated, beside the paper's
//! - `osbench`: what each operation costs, as text: the 2002 tool's blocks and file, and the whole table
//! - `prediction`: what the analysis says of a set of tasks, as text of 80 columns and as JSON
//! - `shared`: what the analysis says of tasks that share several processors, as text of 80 columns and as JSON
//! - `tasks`: what became of the jobs of a set of tasks: sentences and the table
//! - `tasks_text`: what became of the jobs of a set of tasks, as text
//! - `tune`: settings and their trials as text: what would be written where, what a trial came to, what was kept
//! - `watch`: the sentences of `backwall watch`: who is followed, and what each minute came to
//! - `idle_cost`: what leaving idle states costs: the median with them less the median without, where a run has both
//!
//! The page:
//!
//! - `page`: the page of a run: one file without network, for screen and paper, whole without its few lines of script
//! - `part`: the parts of the page that are words and tables: one file each
//! - `figure`: the figures of the page: one file each, one line each in `ALL`
//! - `axis`: axes: where a value lies, and which values deserve a mark
//! - `plot`: the frame of a figure: grid, marks and titles of two axes
//! - `drawing`: pictures as inline SVG: shapes with classes, so that the page's style sheet colours them
//! - `picture`: the pictures of a run, drawn from their data: sections of the page, and PNG files
//! - `comparison_page`: the page of a comparison: the verdict and what changed, what else differs, every change with its limits
//! - `together`: several runs side by side, as text and as a page
//! - `fleet`: a fleet as text and as a page: every device by itself, its history, its worst with its cause, what its kernels changed
//! - `site`: the index of what was published, by board, kernel and settings
//! - `board`: runs of the lab beside captures of a board, instructions and time in columns of their own
//! - `bench`: runs of the lab on one page, with the figures of the papers of the bench
//! - `trail`: one answer to the instruction, and two of them side by side: as tables of text and as a page
//! - `trial`: one trial of a search for saturation, as a line
//! - `contents`: what a capture holds, as text
//! - `cost`: what programs cost a guest for each wake-up, as text
//! - `paper`: our runs side by side with the tables of the 2002 papers, each with its own unit, never converted
//! - `trace`: how a recording of the kernel's events is shown: text, and the page with its timeline

pub mod answered_rate;
pub mod axis;
mod bench;
mod board;
pub mod brief;
pub mod checks;
pub mod comparison;
pub mod comparison_page;
pub mod contents;
pub mod cost;
pub mod drawing;
mod figure;
pub mod fleet;
pub mod forecast;
pub mod grid;
mod idle_cost;
pub mod iltiming;
pub mod interference;
pub mod interference_text;
pub mod limit;
pub mod osbench;
pub mod page;
pub mod paper;
mod part;
pub mod phrase;
pub mod picture;
mod plot;
pub mod prediction;
pub mod printable;
pub mod run_entry;
pub mod section;
pub mod shared;
pub mod site;
pub mod table;
pub mod tasks;
pub mod tasks_text;
pub mod text;
pub mod together;
pub mod trace;
pub mod trail;
pub mod trial;
pub mod tune;
pub mod verdict;
pub mod warnings;
pub mod watch;
pub mod wrap;
