// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel did around a response, from its own trace.
//!
//! The kernel's binary records become events; from events follows who held each processor, and what a thread waited for. A response is
//! joined with its wake-up and divided among those who used its time; the evidence for the worst is kept, and summed over many.
//!
//! The rings of the kernel:
//!
//! - `format`: the layout of an event's record, as the kernel that made the record states it
//! - `page`: the records of one sub-buffer ("page") of the kernel's ring, in binary
//! - `statistics`: the counters that the kernel keeps of a ring: the text of `per_cpu/cpuN/stats`
//! - `decoder`: turns records into events, by the layouts of the kernel that wrote them, without allocation
//! - `event`: the kernel's events that matter to a response
//! - `function`: the name of a kernel's function, small enough to be passed on as a value
//! - `symbols`: the kernel's functions by their addresses, as `/proc/kallsyms` lists them
//! - `softirq`: the kernel's softirqs in order of their number, a part of its interface to user space
//!
//! What each processor and thread did:
//!
//! - `processor`: who held one processor, rebuilt from its events
//! - `stretch`: a time during which one held a processor, and who it was
//! - `recent`: the last values of a stream, by their numbers in it; older ones are forgotten
//! - `usual`: how long each interrupt usually takes, so that one which took far longer can be told
//! - `by_number`: what is kept of each thread, found by its number without a search
//! - `changes`: what changed of the machine itself: frequencies, cooling, processors that go off line and come back
//! - `departures`: threads that left a processor without a record: some kernels record no switch from some of their threads
//! - `away`: when the followed thread was on another processor, of which nothing is recorded
//! - `elsewhere`: who kept the followed thread from its work, where its own processor alone is recorded whole
//! - `holds`: who stopped and froze threads, and who let them go on
//! - `signals`: the signals that threads were sent, and by whom
//! - `loans`: the priorities that threads inherited through locks and have not given back
//! - `raise`: how a thread comes to a priority above its own
//! - `awaited`: one thread between the instant at which it is made ready and the one at which a processor comes to it
//! - `wakeup`: follows one thread through its timed sleeps
//! - `activation`: follows threads through their activations, on whichever processors they are, while they go about their work
//!
//! Responses and what used their time:
//!
//! - `window`: from a stimulus to the response of one thread: all that its explanation knows of it
//! - `responses`: the responses of one thread: its samples joined with its wake-ups, and the worst with their evidence
//! - `limits`: limits of processor time that a thread may use up, and when the kernel grants new time
//! - `stages`: divides each response into its stages, and checks our reading against the kernel's
//! - `cost`: what tracing costs a response: the events are switched on and off in turn, and neighbours are compared
//! - `evidence`: keeps of a wake-up what divides its window, until the response is known that ends it
//! - `accuse`: why somebody had the processor: follows from who it was and from how far the response had come
//! - `let_in`: whether an instruction has just let interrupts in, from the code before the place at which one came
//! - `behind`: what the kernel's stack in a late interrupt tells of why it was late
//! - `let_through`: what happened between a timer's expiry and its interrupt proves that interrupts were let in before
//! - `explain`: the one explanation of a response: its window, divided among those who used the time
//! - `summed`: a window divided and summed at once, without telling all of each stretch
//! - `division`: a window while it is divided: the share of a cause and a culprit is found without a search
//! - `blame`: the blame of one response: its latency, divided among those who used the time
//! - `timers_run`: the timers whose functions an interrupt runs: how many, and which function most of the time goes to
//! - `works`: the functions of the work that the kernel's threads did, and when
//! - `told`: who used the time of a response, as a run keeps it
//! - `worst`: keeps what is needed to blame the worst wake-ups, however many there are
//! - `largest`: the largest of however many, by a key that no two share
//! - `spread`: what remains of many durations: exact ends, mean, and quantiles to the width of a class
//! - `causes`: the causes of many late responses together: what would help most
//! - `late`: the late responses of a recording: who used the time of each, and what would help most
//! - `digest`: from pages to stages: decodes, follows the thread, joins its samples, counts what was lost
//! - `chain`: chains from a start through threads to an end, instance by instance
//!
//! Whole recordings:
//!
//! - `read`: recordings in files: of this tool, of trace-cmd, of perf, of Perfetto, in CTF, the text of ftrace, and Detent's trail
//! - `account`: where the time of a recording went: every processor's and every thread's
//! - `rules`: rules on recordings: "after A within 200us B, unless C", with three outcomes
//! - `write`: recordings for other tools: one form a file
#![warn(missing_docs)]
pub mod account;
mod accuse;
pub mod activation;
mod awaited;
mod away;
pub mod behind;
pub mod blame;
mod by_number;
pub mod causes;
pub mod chain;
pub mod changes;
pub mod cost;
pub mod decoder;
pub mod departures;
pub mod digest;
mod division;
mod elsewhere;
pub mod event;
mod evidence;
mod explain;
pub mod format;
pub mod function;
mod holds;
pub mod largest;
pub mod late;
pub mod let_in;
mod let_through;
pub mod limits;
pub mod loans;
pub mod page;
pub mod processor;
pub mod raise;
pub mod read;
mod recent;
mod responses;
pub mod rules;
pub mod signals;
pub mod softirq;
pub mod spread;
pub mod stages;
pub mod statistics;
mod stretch;
mod summed;
pub mod symbols;
mod timers_run;
mod told;
mod usual;
pub mod wakeup;
pub mod window;
mod works;
pub mod worst;
pub mod write;

pub use digest::{TraceConfig, TraceReport};
pub use stages::{Sample, StampedSample};
