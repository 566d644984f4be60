// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every reader: an example with its expected answer, refusals, and random damaged texts.
use super::read::{FORMATS, parse};
use crate::predict::processor::answers;
use crate::predict::task::Costs;
use proptest::prelude::*;

const SCHEDCAT: &str = include_str!("examples/schedcat.xml");
const SIMSO: &str = include_str!("examples/simso.xml");
const CHEDDAR: &str = include_str!("examples/cheddar.xmlv3");
const CHEDDAR_OFFSETS: &str = include_str!("examples/cheddar-offsets.xmlv3");
const RT_APP: &str = include_str!("examples/rt-app.json");
const MAST: &str = include_str!("examples/mast.txt");
// The file that MAST's own converter to_mast2 makes from mast.txt.
const MAST_2: &str = include_str!("examples/mast2.txt");
const MAST_XML: &str = include_str!("examples/mast.xml");
const OWN: &str = include_str!("../../../docs/how-to/tasks/control.toml");
const ALL: [&str; 7] = [SCHEDCAT, SIMSO, CHEDDAR, RT_APP, MAST, MAST_XML, OWN];

// Name, period, computation, deadline in microseconds, and the response.
type Row = (&'static str, u64, u64, u64, u64);

fn rows(text: &str) -> Vec<(String, u64, u64, u64, u64)> {
    let placed = parse(text).unwrap().placed(Costs::default()).unwrap();
    let of = |processor: &crate::predict::task::Processor| -> Vec<(String, u64, u64, u64, u64)> {
        let found = answers(processor).into_iter().zip(&processor.tasks);
        let row = found.map(|(answer, task)| {
            let response = answer.bound.unwrap().from_nominal_ns;
            let us = [task.arrival.distance_ns(), task.computation_ns, task.deadline_ns, response].map(|ns| ns / 1_000);
            (task.name.clone(), us[0], us[1], us[2], us[3])
        });
        row.collect()
    };
    placed.iter().flat_map(|(_, processor)| of(processor)).collect()
}

fn holds(text: &str, expected: &[Row]) {
    let expected: Vec<_> = expected.iter().map(|row| (row.0.to_string(), row.1, row.2, row.3, row.4)).collect();
    assert_eq!(rows(text), expected);
}

#[test]
fn each_format_is_read_as_what_it_says() {
    holds(SCHEDCAT, &[("task 1", 50_000, 17_116, 50_000, 17_116), ("task 2", 100_000, 7_200, 90_000, 24_316)]);
    holds(SIMSO, &[("slow", 20_000, 5_000, 20_000, 7_250), ("quick", 7_500, 2_250, 7_500, 2_250)]);
    holds(
        CHEDDAR,
        &[
            ("T1", 5_000, 1_000, 5_000, 1_000),
            ("T2", 10_000, 2_000, 4_000, 3_000),
            ("T3", 29_000, 7_000, 15_000, 14_000),
        ],
    );
    holds(
        CHEDDAR_OFFSETS,
        &[
            ("A", 161_000, 30_000, 110_000, 110_000),
            ("B", 161_000, 30_000, 40_000, 30_000),
            ("C", 161_000, 30_000, 30_000, 30_000),
            ("D", 161_000, 10_000, 59_000, 10_000),
            ("E", 161_000, 50_000, 50_000, 50_000),
        ],
    );
    holds(
        RT_APP,
        &[
            ("control", 1_000, 250, 1_000, 450),
            ("logger-0", 10_000, 1_000, 10_000, 2_850),
            ("logger-1", 10_000, 1_000, 10_000, 2_850),
            ("video", 20_000, 100, 5_000, 100),
        ],
    );
    for mast in [MAST, MAST_2, MAST_XML, &of_mast_2()] {
        holds(mast, &[("control", 20_000, 5_000, 15_000, 6_000), ("planning", 40_000, 10_500, 40_000, 15_500)]);
    }
    assert_eq!(FORMATS.len(), ALL.len());
    for (text, format) in
        ALL.iter().zip(["SchedCAT XML", "SimSo XML", "Cheddar XML", "rt-app JSON", "MAST text", "MAST XML", "TOML"])
    {
        let found = FORMATS.iter().find(|format| (format.begins)(text.trim_start())).unwrap();
        assert_eq!(found.name, format);
    }
}

// The same with MAST 2's names of these elements.
fn of_mast_2() -> String {
    let names = [
        ("Regular_Scheduling_Server", "Thread"),
        ("Fixed_Priority_Policy The_Priority", "Fixed_Priority_Params Priority"),
        ("Fixed_Priority_Scheduler", "Fixed_Priority_Policy"),
        ("Immediate_Ceiling_Resource", "Immediate_Ceiling_Mutex"),
        ("Regular_Transaction", "Regular_End_To_End_Flow"),
        ("_External_Event", "_Event"),
        ("Regular_Event Event", "Internal_Event Name"),
        ("Regular_Event", "Internal_Event"),
        ("mdl:Activity", "mdl:Step"),
        ("Activity_Operation", "Step_Operation"),
        ("Activity_Server", "Step_Schedulable_Resource"),
    ];
    names.iter().fold(MAST_XML.to_string(), |text, (from, to)| text.replace(from, to))
}

// An element that this reader does not understand may change the answer, wherever it is.
#[test]
fn what_is_not_understood_of_masts_xml_is_refused_by_its_name() {
    for (from, to, says) in [
        (
            "</mast_mdl:MAST_MODEL>",
            "<mast_mdl:RTEP_PacketDriver/></mast_mdl:MAST_MODEL>",
            "<mast_mdl:RTEP_PacketDriver>: not",
        ),
        ("Fixed_Priority_Scheduler Worst", "EDF_Scheduler Worst", "policy: edf_scheduler: not supported"),
        ("Worst_Context_Switch=\"0.00\"", "Worst_Context_Switch=\"0.05\"", "worst_context_switch: set it to 0"),
        (
            "<mast_mdl:Shared_Resources_To_Unlock>Data</mast_mdl:Shared_Resources_To_Unlock>",
            "",
            "<shared_resources_to_lock> of read",
        ),
        ("Phase=\"0.000\"", "Phase=\"3.000\"", "phase: not supported"),
        ("Fixed_Priority_Policy The_Priority=\"5\"", "EDF_Policy Deadline=\"5\"", "not supported: edf_policy"),
        (
            "<mast_mdl:Activity Input_Event=\"E1\"",
            "<mast_mdl:Multicast Input_Event=\"E1\"",
            "<mast_mdl:Multicast>: not supported",
        ),
        ("Hard_Global_Deadline", "Soft_Global_Deadline", "timing_requirements: not supported: soft_global_deadline"),
        ("Speed_Factor=\"1.00\"", "Speed_Factor=\"0.50\"", "speed_factor: not supported"),
        ("Sporadic_External", "Bursty_External", "external_events: not supported: bursty"),
    ] {
        assert!(MAST_XML.contains(from), "{from}");
        let fault = parse(&MAST_XML.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(fault.contains(says) && !fault.contains('\n'), "{says}: {fault}");
    }
    let xmi = "<?xml version=\"1.0\"?><mast2:Mast_Model><Element_List name=\"cpu\"/></mast2:Mast_Model>";
    assert!(parse(xmi).unwrap_err().to_string().contains("XMI of MAST 2"));
}

const REFUSED: &[(&str, &str, &str, &str)] = &[
    (SCHEDCAT, "wcet=\"17116\"", "", "line 4: <task>: wcet is missing"),
    (SCHEDCAT, "wcet=\"17116\"", "wcet=\"1x\"", "line 4: <task>: wcet: \"1x\": expected a number"),
    (SCHEDCAT, "id=\"1\"", "resmodel=\"1\"", "line 4: <task>: not supported: resmodel"),
    (
        SIMSO,
        "schedulers.RM",
        "schedulers.P_RM",
        "line 3: <sched>: not supported: scheduler \"P_RM\"; expected one of RM",
    ),
    (SIMSO, "\"Periodic\"", "\"Sporadic\"", "line 9: <task>: not supported: task_type \"Sporadic\""),
    (SIMSO, "cs_overhead=\"0\"", "cs_overhead=\"9\"", "line 6: <processor>: cs_overhead: counts in cycles"),
    (
        CHEDDAR,
        "POSIX_1003_HIGHEST",
        "LEAST_LAXITY",
        "<scheduler_type>: not supported: LEAST_LAXITY_PRIORITY_FIRST_PROTOCOL",
    ),
    (CHEDDAR, "<blocking_time>0", "<blocking_time>2", "line 15: <periodic_task>: not supported: <blocking_time>;"),
    (
        CHEDDAR_OFFSETS,
        "<preemptive_type>PREEMPTIVE",
        "<preemptive_type>NOT_PREEMPTIVE",
        "not supported: NOT_PREEMPTIVE",
    ),
    (CHEDDAR_OFFSETS, "NO_SCHEDULING_PROTOCOL", "RATE_MONOTONIC_PROTOCOL", "in an address space"),
    (CHEDDAR_OFFSETS, "<priority>5</priority>", "<every>2</every>", "not supported: <every>"),
    (CHEDDAR, "</tasks>", "</tasks><resources><r/></resources>", "<resources>: not supported; remove it"),
    (RT_APP, "\"unlock\" : \"m\", //", "\"wait\" : \"m\", //", "line 7: control: wait: not supported; expected run"),
    (RT_APP, "\"default_policy\" : \"SCHED_FIFO\"", "\"x\" : 1", "control: policy: not supported: SCHED_OTHER"),
    (RT_APP, "\"unlock\" : \"m\", //", "//", "control: lock: the job does not unlock m"),
    (CHEDDAR_OFFSETS, "<speed>1</speed>", "<speed>0.5</speed>", "<speed>: must be 1, got 0.5"),
    (MAST, "Activity,", "Delay,", "line 13: transaction control: event_handlers: not supported: delay"),
    (
        MAST,
        "Fixed_Priority_Policy",
        "EDF_Policy",
        "scheduling_server s1: server_sched_parameters: not supported: edf_policy",
    ),
    (MAST, "Worst_Context_Switch => 0.0", "Worst_Context_Switch => 1", "worst_context_switch: set it to 0"),
    (MAST, "Read, Activity", "Write, Activity", "line 13: transaction control: operation: unknown \"write\""),
];

#[test]
fn what_we_cannot_do_is_refused_by_name() {
    for (text, from, to, says) in REFUSED {
        assert!(text.contains(from), "{from}");
        let fault = parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(fault.contains(says) && !fault.contains('\n'), "{says}: {fault}");
    }
}

#[test]
fn a_job_of_rt_app_can_end_with_a_sleep() {
    let text =
        |events: &str| format!("{{\"tasks\": {{\"a\": {{\"policy\": \"SCHED_FIFO\", \"priority\": 5, {events}}}}}}}");
    assert_eq!(rows(&text("\"run\": 100, \"sleep\": 900")), [("a".to_string(), 1_000, 100, 1_000, 100)]);
    for events in ["\"sleep\": 9, \"run\": 1", "\"run\": 1, \"timer\": {\"ref\": \"t\", \"period\": 5}, \"sleep\": 9"] {
        let fault = parse(&text(events)).unwrap_err().to_string();
        assert!(fault.contains("sleep") && fault.contains("not supported"), "{fault}");
    }
}

#[test]
fn the_keys_of_rt_app_before_2015_are_read() {
    let text = |more: &str| {
        format!(
            "{{\"tasks\": {{\"a\": {{\"exec\": 5000, \"period\": 33333, \"deadline\": 20000, \"priority\": 10{more}}}}},\n\
             \"resources\": {{\"r0\": {{}}}}, \"global\": {{\"default_policy\": \"SCHED_FIFO\"}}}}"
        )
    };
    assert_eq!(rows(&text("")), [("a".to_string(), 33_333, 5_000, 20_000, 5_000)]);
    for (more, says) in [
        (", \"lock_order\": [\"r0\"]", "a: lock_order: not supported"),
        (", \"resources\": {\"r0\": {\"duration\": 1000}}", "a: resources: not supported"),
        (", \"timer\": {\"ref\": \"t\", \"period\": 5}", "a: timer: not supported: a second timer"),
    ] {
        let fault = parse(&text(more)).unwrap_err().to_string();
        assert!(fault.contains(says), "{fault}");
    }
}

#[test]
fn an_event_of_rt_app_without_a_value_is_refused_as_an_event() {
    let text = "{\"tasks\": {\"a\": {\n\"suspend\",\n\"run\": 100}}}";
    assert!(parse(text).unwrap_err().to_string().starts_with("line 2: a: suspend: not supported"));
}

// A part of a MAST model that this reader does not understand may change the answer.
#[test]
fn what_is_not_understood_of_mast_is_refused_by_its_name() {
    for (from, to, says) in [
        ("Type => Fixed_Priority, Name => S1", "Type => EDF, Name => S1", "scheduling_server s1: type: edf"),
        ("Name => Cpu,", "Name => Cpu, Speed_Factor => 0.5,", "speed_factor: not supported"),
        ("Period => 20,", "Period => 20, Phase => 3,", "phase: not supported"),
        (
            "Operation ( Type => Simple, Name => Work,",
            "Operation ( Type => Simple, Name => Work, Shared_Resources_To_Lock => ( Data ),",
            "shared_resources_to_lock",
        ),
        (
            "Shared_Resource (",
            "Scheduler ( Type => Primary_Scheduler, Name => C, Host => Cpu, Policy => ( Type => EDF ) );\nShared_Resource (",
            "policy: edf: not supported",
        ),
    ] {
        let fault = parse(&MAST.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(fault.contains(says) && !fault.contains('\n'), "{fault}");
    }
    let usual = MAST.replacen("Name => Cpu,", "Name => Cpu, Speed_Factor => 1.0, Max_Interrupt_Priority => 32,", 1);
    assert!(parse(&usual).is_ok());
    for (from, to, says) in [
        (
            "data),\n   Mutexes_To_Unlock",
            "data, more),\n   Mutexes_To_Unlock",
            "operation read: shared_resources_to_lock",
        ),
        ("STRICT", "POSIX", "system_pip_behaviour: not supported"),
        ("Type                       => Thread", "Type => Communication_Channel", "type: communication_channel"),
        ("Type => Regular,", "Type => Regular, Composite => 5,", "composite: not supported"),
        ("(Type               => Step", "(Type => Fork", "event_handlers: not supported: fork"),
    ] {
        let text = MAST_2.split_whitespace().collect::<Vec<_>>().join(" ");
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&squeeze(from)), "{from}");
        let fault = parse(&text.replacen(&squeeze(from), &squeeze(to), 1)).unwrap_err().to_string();
        assert!(fault.contains(says) && !fault.contains('\n'), "{says}: {fault}");
    }
}

#[test]
fn what_is_not_understood_of_simso_is_refused_by_its_name() {
    for (from, to, says) in [
        ("speed=\"1.0\"", "speed=\"0.5\"", "speed 0.5: not supported"),
        ("etm=\"wcet\"", "etm=\"cache\"", "etm \"cache\": not supported"),
        ("id=\"2\" task_type", "id=\"2\" followed_by=\"1\" task_type", "followed_by \"1\": not supported"),
    ] {
        let fault = parse(&SIMSO.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(fault.contains(says) && !fault.contains('\n'), "{fault}");
    }
}

#[test]
fn xml_of_another_tool_is_refused_by_its_root() {
    let text = "<?xml version=\"1.0\"?>\n<other:MODEL xmlns:other=\"http://example.org/model\"/>";
    let fault = parse(text).unwrap_err().to_string();
    assert!(fault.contains("<other:MODEL>: unsupported XML") && !fault.contains('\n'), "{fault}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_does_more_than_be_refused_in_one_line(
        which in 0usize..ALL.len(), at: prop::sample::Index, cut in 0usize..60, put in "[ -~\n]{0,12}", from: prop::sample::Index
    ) {
        let text = ALL[which];
        let (start, end) = (at.index(text.len()), from.index(text.len()));
        let mixed = format!("{}{put}{}", &text[..start], &text[(start + cut).min(text.len())..]);
        let moved = format!("{}{}{}", &text[..start], &text[end.min(start)..start], &text[start..]);
        for text in [mixed.as_str(), &moved, &text[..start], &text[start..], &put] {
            match parse(text) {
                Ok(set) => { let _ = set.placed(Costs::default()); }
                Err(fault) => prop_assert_eq!(fault.to_string().lines().count().max(1), 1, "{}", fault),
            }
        }
    }
}
