// SPDX-License-Identifier: MIT OR Apache-2.0
//! `backwall scope respond`: answers stimuli on this machine's lines. External instruments measure how late each answer is.
use crate::exit::{Exit, unable, usage};
use crate::options::Printing;
use backwall_instruments::responder::line::{Address, Edge, Fault};
use backwall_instruments::responder::shared_devices::SharedDevices;
use backwall_instruments::responder::threads::{Counts, Responder};
use backwall_model::units::grouped;
use backwall_os::Stop;
use backwall_os::console::explain;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Line to wait on, such as /dev/gpiochip0:17
    ///
    /// Also /dev/parport0:ack, /dev/ttyS0:cts (or dsr, dcd), pipe:FILE.
    #[arg(long, value_name = "DEVICE:LINE")]
    stimulus: Address,
    /// Line that the woken thread pulses, such as /dev/gpiochip0:27
    ///
    /// Also /dev/parport0:d1, /dev/ttyS0:rts (or dtr), pipe:FILE.
    #[arg(long, value_name = "DEVICE:LINE", required_unless_present = "app")]
    ist: Option<Address>,
    /// Line that a second thread pulses, woken by the first
    #[arg(long, value_name = "DEVICE:LINE")]
    app: Option<Address>,
    /// Respond to this edge of the stimulus line
    ///
    /// Pipes and parallel ports ignore this option; a parallel port chooses the edge itself.
    #[arg(long, value_enum, default_value_t)]
    edge: Edge,
    /// SCHED_FIFO priority of the first thread; 0 is an ordinary thread
    ///
    /// The second thread's priority is one lower.
    #[arg(long, short, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u8).range(0..=98))]
    priority: u8,
    /// Stop after this many stimuli [default: at Ctrl-C]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    #[command(flatten)]
    pub(in crate::command) printing: Printing,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.priority == 1 && args.app.is_some() {
        return Err(usage("--priority must be 0 or at least 2: the second thread's priority is one lower"));
    }
    let stop = Stop::on_signals()?;
    let mut opened = SharedDevices::default();
    let stimulus = opened.input(&args.stimulus, args.edge).map_err(refused)?;
    let mut output = |address: &Option<Address>| address.as_ref().map(|address| opened.output(address)).transpose();
    let (ist, app) = (output(&args.ist).map_err(refused)?, output(&args.app).map_err(refused)?);
    let responder = Responder { stimulus, ist, app, priority: args.priority, count: args.count };
    let ready = || {
        if !args.printing.quiet {
            explain(&format!("answering the stimuli of {}; Ctrl-C stops\n", args.stimulus));
        }
    };
    let counts = responder.run(&stop, ready).map_err(refused)?;
    args.printing.show(|| &counts, || said(&counts, args))?;
    Ok(Exit::Done)
}

fn refused(fault: Fault) -> anyhow::Error {
    match fault {
        Fault::NoLine { .. } | Fault::NoKind(_) => usage(fault.to_string()),
        Fault::Io { .. } | Fault::Panic => unable(fault.to_string()),
    }
}

fn said(counts: &Counts, args: &Args) -> String {
    let row = |name: &str, done: u64, missed: u64| {
        format!("{name}: {} answered, {} missed\n", grouped(done), grouped(missed))
    };
    let ist = args.ist.as_ref().map(|_| row("IST", counts.ist, counts.ist_lost));
    let app = args.app.as_ref().map(|_| row("APP", counts.app, counts.app_lost));
    format!("stimuli: {}\n{}{}", grouped(counts.due), ist.unwrap_or_default(), app.unwrap_or_default())
}
