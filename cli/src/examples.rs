// SPDX-License-Identifier: MIT OR Apache-2.0
//! The examples below each command's help. A test runs every line.

pub const ALL: &str = "Examples:
  backwall run
  backwall check
  backwall run --require 'wakeup.p99.9 < 200us' --quiet";

pub const RUN: &str = "Examples:
  backwall run
  backwall run -a 2-5 -p 95 -i 200us -D 10m
  backwall run --load none --load polygons@40+memory --for 1m
  backwall run --require 'max < 500us' --require 'missed == 0' --deadline 250us
  backwall run --load all -D 1h --stop-above 300us
  backwall run --load all -D 24h -o soak --resume
  backwall run -m -a -t -p 95 -i 1000 -D 10 -q -h 400

A bare number is microseconds for --period, --deadline, --stop-above and --snapshot-above, seconds for --for and --duration.";

pub const ILTIMING: &str = "Examples:
  backwall bench iltiming
  backwall bench iltiming -i3 -t 5 -n 500";

pub const OSBENCH: &str = "Examples:
  backwall bench osbench
  backwall bench osbench --all
  backwall bench osbench -t 1 -t 2 -n 1000 --csv rows.csv
  backwall bench osbench --compare rt-tests --compare perf
  backwall bench osbench -t 7.00 --require 'max < 1ms'";

pub const LAB: &str = "Examples:
  backwall lab list
  backwall lab run bare-answer
  backwall lab saturate linux-rt";

pub const SCOPE: &str = "Examples:
  backwall scope capture.vcd --list
  backwall scope capture.vcd --stimulus line --response app=pin --completion
  backwall scope --pico /dev/ttyACM0 --response app=GP3 --period 1ms --pulses 50";

pub const RESPOND: &str = "Examples:
  backwall scope respond --stimulus /dev/gpiochip0:17 --ist /dev/gpiochip0:27";

pub const IMPORT: &str = "Examples:
  backwall import cyclictest.json --load none
  backwall import stream.bin
  backwall import timerlat.txt --require 'wakeup.p99.9 < 100us'";

pub const CHAIN: &str = "Examples:
  backwall chain 'timer servo > servo > worker > act' trace.dat
  backwall chain 'irq eth0-rx* > irq/*-eth0 > control > packet eth0' --duration 1m --deadline 1ms
  backwall chain linuxcnc --duration 10m --require 'chain[servo].p99.9 < 500us'
  backwall chain --find trace.dat";

pub const COMPARE: &str = "Examples:
  backwall compare before/* -- after/*
  backwall compare --min-effect 10 --page compared.html before/* -- after/*";

pub const VERIFY: &str = "Examples:
  backwall verify sealed
  backwall verify sealed --signers allowed_signers";

pub const FORECAST: &str = "Examples:
  backwall forecast latest
  backwall forecast latest --horizon 12h -v";

pub const TASKS_RUN: &str = "Examples:
  backwall tasks run set.toml
  backwall tasks run set.toml --require 'response[task=control].late == 0'
  backwall tasks run set.toml --work cpu-time --constants wakeup=60us
  backwall tasks run set.toml --guest detent-probe";

pub const BENCH: &str = "Examples:
  backwall bench iltiming
  backwall bench osbench --all
  backwall bench events --paper --quick";

pub const EVENTS: &str = "Examples:
  backwall bench events
  backwall bench events --thread-per-event --json
  backwall bench events --wcet 20us --rounds 5
  backwall bench events --guest detent-probe
  backwall bench events --paper
  backwall bench events --paper --quick --cpu 1 --json";

pub const TASKS: &str = "Examples:
  backwall tasks predict set.toml
  backwall tasks predict set.toml --constants backwall-runs/20261128T003726Z-run
  backwall tasks predict set.toml --constants wakeup=60us --assign worst-fit
  backwall tasks predict --from trace.dat";

pub const TRACE: &str = "Examples:
  backwall trace record -- ls -l
  backwall trace record -D 10s
  backwall trace report trace.dat";

pub const TRACE_RECORD: &str = "Examples:
  backwall trace record -D 10s -o recording
  backwall trace record -- ls -l";

pub const TRACE_SNAPSHOT: &str = "Examples:
  backwall trace snapshot
  backwall trace snapshot -o lately";

pub const TRACE_REPORT: &str = "Examples:
  backwall trace report trace.dat
  backwall trace report trace.dat --json
  backwall trace report trace.dat --page timeline.html --from 2ms --to 50ms";

pub const TRACE_EXPORT: &str = "Examples:
  backwall trace export perfetto trace.dat -o trace.pftrace
  backwall trace export ctf trace.dat -o trace.ctf
  backwall trace export chrome trace.dat -o window.json --from 1ms --to 20ms";

pub const INTERFERE: &str = "Examples:
  backwall bench interfere --primes 100000 --mebibytes 2 --images 12 --rounds 6
  backwall bench interfere sieve --primes 100000 --json
  backwall bench interfere throughput --mebibytes 1 --require 'incompressible.max<10s'";

pub const BLAME: &str = "Examples:
  backwall blame latest
  backwall blame trace.dat --above 1ms --thread all";

pub const CHECK: &str = "Examples:
  backwall check --script
  backwall check
  backwall check --cpu 3 --json
  backwall check --strict --quiet || echo 'not set up for real time'";

pub const REPORT: &str = "Examples:
  backwall report latest --verbose
  backwall report backwall-runs/20261128T003726Z-run
  backwall report before after -o both";

pub const EXPORT: &str = "Examples:
  backwall export junit latest -o junit.xml
  backwall export csv latest
  backwall export bundle latest -o shared
  backwall export site fleet -o table --json";

pub const COMPLETIONS: &str = "Examples:
  backwall generate completions bash";

pub const MAN: &str = "Examples:
  backwall generate man /usr/local/share/man/man1";

pub const REFERENCE: &str = "Examples:
  backwall generate reference pages";

pub const TUNE: &str = "Examples:
  backwall tune plan
  backwall tune try timer-migration
  backwall tune status
  backwall tune undo";

pub const TUNE_PLAN: &str = "Examples:
  backwall tune plan
  backwall tune plan -a 0 --json
  backwall tune plan latest
  backwall tune plan --app jack";

pub const TUNE_TRY: &str = "Examples:
  backwall tune try
  backwall tune try timer-migration vm-statistics
  backwall tune try interrupt-affinity --duration 20s -- --load all -i 250us
  backwall tune try app-priority quota --app jack

Each setting takes twelve slices. Nothing is changed without --apply.";

pub const TUNE_UNDO: &str = "Examples:
  backwall tune undo
  backwall tune undo governor";

pub const TUNE_STATUS: &str = "Examples:
  backwall tune status
  backwall tune status --json";

pub const TUNE_BOOT: &str = "Examples:
  backwall tune boot
  backwall tune boot -a 0
  backwall tune boot threadirqs nohz_full=1
  backwall tune boot --resume";

pub const WATCH: &str = "Examples:
  backwall watch --list
  backwall watch jack
  backwall watch linuxcnc --deadline 100us -D 8h
  backwall watch 4711 --every 10s --duration 1m
  backwall watch thread:4711 -D 60s --deadline 200us
  backwall watch jack --live --deadline 500us
  backwall watch -D 30s -- ./loop --rate 1000";

pub const FLEET: &str = "Examples:
  backwall fleet run fleet.toml -o fleet
  backwall fleet import spool -o fleet
  backwall fleet report fleet";

pub const FLEET_IMPORT: &str = "Examples:
  backwall fleet import spool -o fleet";

pub const FLEET_REPORT: &str = "Examples:
  backwall fleet report fleet
  backwall fleet report fleet --every 1h --json";

pub const FLEET_SNAPSHOT: &str = "Examples:
  backwall fleet snapshot fleet.toml -o fleet
  backwall fleet snapshot fleet.toml -o fleet --json";

pub const FLEET_RUN: &str = "Examples:
  backwall fleet run fleet.toml -o fleet
  backwall fleet run fleet.toml -o fleet --jobs 4 --json";
