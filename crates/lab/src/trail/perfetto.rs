// SPDX-License-Identifier: MIT OR Apache-2.0
use backwall_capture::trail::hops::LineHop;
use backwall_capture::trail::visits::Visit;
use backwall_trace::write::slices::{self, Slice};

/// Writes the hops, the functions of the kernel and of user mode on separate tracks, and where interrupts were disabled.
pub fn perfetto(visits: &[Visit], hops: &[LineHop]) -> Vec<u8> {
    let slice = |visit: &'_ Visit| (visit.at, visit.at + visit.took());
    let of_mode = |user: bool| -> Vec<Slice> {
        let visits = visits.iter().filter(|visit| visit.user == user);
        visits.map(|visit| Slice { name: &visit.function, from: slice(visit).0, to: slice(visit).1 }).collect()
    };
    let masked = visits.iter().filter(|visit| visit.masked > 0);
    let masked =
        masked.map(|visit| Slice { name: "interrupts off", from: slice(visit).0, to: slice(visit).1 }).collect();
    let hops: Vec<Slice> = hops.iter().map(|hop| Slice { name: &hop.line, from: hop.from, to: hop.to }).collect();
    let functions = [("kernel", of_mode(false)), ("user", of_mode(true)), ("interrupts off, all or part", masked)];
    slices::written(&[("hops", hops)].into_iter().chain(functions).collect::<Vec<_>>())
}
