// SPDX-License-Identifier: MIT OR Apache-2.0
//! The examples that stand below each command's help. A test holds that every line is taken.

/// Below the help of the tool.
pub const ALL: &str = "Examples:
  backwall run
  backwall check
  backwall run --require 'wakeup.p99.9 < 200us' --quiet";

/// Of `run`.
pub const RUN: &str = "Examples:
  backwall run
  backwall run -a 2-5 -p 95 -i 200us -D 10m
  backwall run --load none --load polygons@40+memory --for 1m
  backwall run --require 'max < 500us' --require 'missed == 0' --deadline 250us
  backwall run --load all -D 1h --stop-above 300us
  backwall run --load all -D 24h --out soak --resume
  backwall run --attach 4711 -D 60 --deadline 200us
  backwall run -m -a -t -p 95 -i 1000 -D 10 -q -h 400

A bare number is microseconds for --period, --deadline, --stop-above and --snapshot-above, seconds for --for and --duration.";

/// Of `iltiming`.
pub const ILTIMING: &str = "Examples:
  backwall iltiming
  backwall iltiming -i3 -t 5 -n 500";

/// Of `osbench`.
pub const OSBENCH: &str = "Examples:
  backwall osbench
  backwall osbench -all
  backwall osbench -t 1 -t 2 -n 1000 -o rows.csv
  backwall osbench --compare rt-tests --compare perf
  backwall osbench -t 7.00 --require 'max < 1ms'";

/// Of `lab`.
pub const LAB: &str = "Examples:
  backwall lab list
  backwall lab run bare-answer
  backwall lab saturate linux-rt";

/// Of `scope`.
pub const SCOPE: &str = "Examples:
  backwall scope capture.vcd --list
  backwall scope capture.vcd --stimulus line --response app=pin --completion
  backwall scope --pico /dev/ttyACM0 --response app=GP3 --period 1ms --pulses 50";

/// Of `respond`.
pub const RESPOND: &str = "Examples:
  backwall respond --stimulus /dev/gpiochip0:17 --ist /dev/gpiochip0:27";

/// Of `read`.
pub const READ: &str = "Examples:
  backwall read stream.bin";

/// Of `import`.
pub const IMPORT: &str = "Examples:
  backwall import cyclictest.json --load none
  backwall import timerlat.txt --require 'wakeup.p99.9 < 100us'";

/// Of `compare`.
pub const COMPARE: &str = "Examples:
  backwall compare before/* -- after/*
  backwall compare --effect 10 --page compared.html before/* -- after/*";

/// Of `tasks run`.
pub const TASKS_RUN: &str = "Examples:
  backwall tasks run set.toml
  backwall tasks run set.toml --require 'response[task=control].late == 0'
  backwall tasks run set.toml --work cpu-time --constants wakeup=60us
  backwall tasks run set.toml --guest detent-probe";

/// Of `tasks limit`.
pub const TASKS_LIMIT: &str = "Examples:
  backwall tasks limit
  backwall tasks limit --thread-per-event --json
  backwall tasks limit --computation 20us --rounds 5
  backwall tasks limit --guest detent-probe";

/// Of `tasks paper`.
pub const TASKS_PAPER: &str = "Examples:
  backwall tasks paper
  backwall tasks paper --quick --cpu 1 --json";

/// Of `tasks` and `tasks predict`.
pub const TASKS: &str = "Examples:
  backwall tasks predict set.toml
  backwall tasks predict set.toml --constants backwall-runs/20261127T063716Z-run
  backwall tasks predict set.toml --constants wakeup=60us --assign worst-fit";

/// Of `track`.
pub const TRACK: &str = "Examples:
  backwall track -- ls -l
  backwall track --for 10s
  backwall track report trace.dat";

/// Of `track record`.
pub const TRACK_RECORD: &str = "Examples:
  backwall track record --for 10s --out recording
  backwall track record -- ls -l";

/// Of `track fetch`.
pub const TRACK_FETCH: &str = "Examples:
  backwall track fetch
  backwall track fetch --out lately";

/// Of `track report`.
pub const TRACK_REPORT: &str = "Examples:
  backwall track report trace.dat
  backwall track report trace.dat --json
  backwall track report trace.dat --page timeline.html --from 2ms --to 50ms";

/// Of `track export`.
pub const TRACK_EXPORT: &str = "Examples:
  backwall track export perfetto trace.dat -o trace.pftrace
  backwall track export ctf trace.dat -o trace.ctf
  backwall track export chrome trace.dat -o window.json --from 1ms --to 20ms";

/// Of `interfere`.
pub const INTERFERE: &str = "Examples:
  backwall interfere --primes 100000 --mebibytes 2 --images 12 --rounds 6
  backwall interfere sieve --primes 100000 --json
  backwall interfere throughput --mebibytes 1 --require 'incompressible.max<10s'";

/// Of `blame`.
pub const BLAME: &str = "Examples:
  backwall blame latest
  backwall blame trace.dat --above 1ms --thread all";

/// Of `check`.
pub const CHECK: &str = "Examples:
  backwall check --script
  backwall check
  backwall check --cpu 3 --json
  backwall check --strict --quiet || echo 'not set up for real time'";

/// Of `report`.
pub const REPORT: &str = "Examples:
  backwall report latest --verbose
  backwall report backwall-runs/20261127T063716Z-run
  backwall report before after --out both";

/// Of `export`.
pub const EXPORT: &str = "Examples:
  backwall export junit latest -o junit.xml
  backwall export csv latest";

/// Of `completions`.
pub const COMPLETIONS: &str = "Examples:
  backwall completions bash";

/// Of `man`.
pub const MAN: &str = "Examples:
  backwall man /usr/local/share/man/man1";

/// Of `tune`.
pub const TUNE: &str = "Examples:
  backwall tune plan
  backwall tune try timer-migration
  backwall tune status
  backwall tune undo";

/// Of `tune plan`.
pub const TUNE_PLAN: &str = "Examples:
  backwall tune plan
  backwall tune plan -a 0 --json
  backwall tune plan latest
  backwall tune plan --app jack";

/// Of `tune try`.
pub const TUNE_TRY: &str = "Examples:
  backwall tune try
  backwall tune try timer-migration vm-statistics
  backwall tune try interrupt-affinity --slice 20s -- --load all -i 250us
  backwall tune try app-priority quota --app jack

Each setting takes twelve slices. Nothing is changed without --apply.";

/// Of `tune undo`.
pub const TUNE_UNDO: &str = "Examples:
  backwall tune undo
  backwall tune undo governor";

/// Of `tune status`.
pub const TUNE_STATUS: &str = "Examples:
  backwall tune status
  backwall tune status --json";

/// Of `tune boot`.
pub const TUNE_BOOT: &str = "Examples:
  backwall tune boot
  backwall tune boot -a 0
  backwall tune boot threadirqs nohz_full=1
  backwall tune boot --resume";

/// Of `watch`.
pub const WATCH: &str = "Examples:
  backwall watch --list
  backwall watch jack
  backwall watch linuxcnc --deadline 100us --until 8h
  backwall watch 4711 --every 10s --until 1m
  backwall watch jack --live --deadline 500us
  backwall watch --until 30s -- ./loop --rate 1000";

/// Of `publish`.
pub const PUBLISH: &str = "Examples:
  backwall publish latest --to table
  backwall publish fleet --to table --json";

/// Of `fleet`.
pub const FLEET: &str = "Examples:
  backwall fleet run fleet.toml --out fleet
  backwall fleet import spool --out fleet
  backwall fleet report fleet";

/// Of `fleet import`.
pub const FLEET_IMPORT: &str = "Examples:
  backwall fleet import spool --out fleet";

/// Of `fleet report`.
pub const FLEET_REPORT: &str = "Examples:
  backwall fleet report fleet
  backwall fleet report fleet --every 1h --json";

/// Of `fleet fetch`.
pub const FLEET_FETCH: &str = "Examples:
  backwall fleet fetch fleet.toml --out fleet
  backwall fleet fetch fleet.toml --out fleet --json";

/// Of `fleet run`.
pub const FLEET_RUN: &str = "Examples:
  backwall fleet run fleet.toml --out fleet
  backwall fleet run fleet.toml --out fleet --jobs 4 --json";
