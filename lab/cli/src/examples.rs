// SPDX-License-Identifier: MIT OR Apache-2.0
//! The examples below each command's help. A test parses every line.

pub const LAB: &str = "Examples:
  backwall lab list
  backwall lab run bare-answer
  backwall lab saturate linux-rt";

pub const LIST: &str = "Examples:
  backwall lab list
  backwall lab list --json";

pub const RUN: &str = "Examples:
  backwall lab run bare-answer
  backwall lab run linux-stock linux-rt --machine arm64-virt
  backwall lab run detent-wakeup --require 'wakeup.missed == 0' --png";

pub const SATURATE: &str = "Examples:
  backwall lab saturate bare-answer
  backwall lab saturate linux-stock linux-rt";

pub const SWEEP: &str = "Examples:
  backwall lab sweep detent-sweep
  backwall lab sweep linux-rt-sweep --no-addresses --png";

pub const EXPLAIN: &str = "Examples:
  backwall lab explain detent
  backwall lab explain linux-stock --line ist --answer 700 --page answer.html
  backwall lab explain linux-rt --perfetto answer.pftrace";

pub const DIFF: &str = "Examples:
  backwall lab diff linux-stock linux-rt
  backwall lab diff detent detent-polygons --worst 1 --line app";

pub const IRQSOFF: &str = "Examples:
  backwall lab irqsoff detent
  backwall lab irqsoff linux-stock --least 500";

pub const TUNE: &str = "Examples:
  backwall lab tune linux-stock
  backwall lab tune linux-stock linux-rt
  backwall lab tune linux-stock --boot threadirqs --boot 'nohz=off idle=poll'";

pub const REPLAY: &str = "Examples:
  backwall lab replay linux-rt --worst 3
  backwall lab replay linux-rt --worst 1 --line ist --gdb";

pub const BISECT: &str = "Examples:
  backwall lab bisect v1 v2 --build make --require 'ist.p99 < 5000 instructions'
  backwall lab bisect v1 v2 a.toml --image a.elf --build make --require missed==0";

pub const COST: &str = "Examples:
  backwall lab cost
  backwall lab cost --tracing
  backwall lab cost --kernel rt 'cyclictest -m -q -p 80 -i 1000 -l {}'";

pub const BATCH: &str = "Examples:
  backwall lab batch plan matrix.toml --output many
  backwall lab batch run many
  backwall lab batch merge many";

pub const BATCH_PLAN: &str = "Examples:
  backwall lab batch plan matrix.toml --output many";

pub const BATCH_RUN: &str = "Examples:
  backwall lab batch run many --jobs 2
  backwall lab batch run many --units 1-40
  backwall lab batch run many --repeat 1";

pub const BATCH_SUBMIT: &str = "Examples:
  backwall lab batch submit many --on slurm --chunk 20
  backwall lab batch submit many --on kubernetes";

pub const BATCH_STATUS: &str = "Examples:
  backwall lab batch status many
  backwall lab batch status many --json";

pub const BATCH_MERGE: &str = "Examples:
  backwall lab batch merge many --require 'isr.max < 100 instructions'";
