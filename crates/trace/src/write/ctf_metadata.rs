// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a CTF 1.8 trace describes its own form, in the Trace Stream Description Language. The names of events and fields are those
//! of LTTng, which viewers know. Source: Common Trace Format v1.8.3, section "Metadata".

const HEAD: &str = r#"/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = true; } := int64_t;

trace {
    major = 1;
    minor = 8;
    byte_order = le;
    packet.header := struct { uint32_t magic; uint32_t stream_id; };
};

env {
    domain = "kernel";
    tracer_name = "backwall";
};

clock {
    name = "monotonic";
    description = "The clock of the recording";
    freq = 1000000000;
};

typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := stamp_t;

stream {
    id = 0;
    packet.context := struct {
        stamp_t timestamp_begin;
        stamp_t timestamp_end;
        uint64_t content_size;
        uint64_t packet_size;
        uint64_t events_discarded;
        uint32_t cpu_id;
    };
    event.header := struct { uint16_t id; stamp_t timestamp; };
    event.context := struct { int32_t _tid; };
};
"#;

pub(super) const EVENTS: [(&str, &str); 8] = [
    (
        "sched_switch",
        "string _prev_comm; int32_t _prev_tid; int32_t _prev_prio; int64_t _prev_state; string _next_comm; int32_t _next_tid; int32_t _next_prio;",
    ),
    ("sched_waking", "string _comm; int32_t _tid; int32_t _prio;"),
    ("irq_handler_entry", "int32_t _irq; string _name;"),
    ("irq_handler_exit", "int32_t _irq; int32_t _ret;"),
    ("irq_softirq_entry", "uint32_t _vec;"),
    ("irq_softirq_exit", "uint32_t _vec;"),
    ("sched_migrate_task", "int32_t _tid; int32_t _dest_cpu;"),
    ("sched_pi_setprio", "int32_t _tid; int32_t _oldprio; int32_t _newprio;"),
];

pub(super) fn metadata() -> String {
    let each = (0..).zip(EVENTS).map(|(id, (name, fields)): (u32, _)| {
        format!("\nevent {{\n    name = \"{name}\";\n    id = {id};\n    stream_id = 0;\n    fields := struct {{ {fields} }};\n}};\n")
    });
    HEAD.to_string() + &each.collect::<String>()
}
