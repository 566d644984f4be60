// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;

fn units() -> Vec<Unit> {
    (1..4).map(|seed| Unit { key: format!("k{seed}"), scenario: "bare".to_string(), seed, ..Unit::default() }).collect()
}

fn made(claim: &Claim, edges: &str) {
    fs::create_dir_all(claim.part()).unwrap();
    fs::write(claim.part().join(EDGES), edges).unwrap();
}

#[test]
fn a_unit_is_claimed_once_and_has_its_result_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("campaign");
    Place::create(&place, "plan", &units(), &[("bare".into(), "text".into())]).unwrap();
    assert!(Place::create(&place, "plan", &units(), &[]).is_err(), "one that is there is not planned over");
    let (place, units) = Place::open(&place).unwrap();
    let [one, two, _] = &units[..] else { panic!() };
    assert_eq!(fs::read_to_string(place.scenario(one)).unwrap(), "text");
    let claim = place.claim(one).unwrap().unwrap();
    assert_eq!((place.state(one), place.claim(one).unwrap().is_none()), (State::Running, true));
    made(&claim, "edges");
    assert_eq!(place.publish(&claim).unwrap(), UnitFate::New);
    drop(claim);
    assert_eq!((place.state(one), place.claim(one).unwrap().is_none()), (State::Done, true));
    let claim = place.claim(two).unwrap().unwrap();
    made(&claim, "half");
    killed(claim);
    assert_eq!(place.state(two), State::Missing, "who was at it is gone, and nothing half is counted");
    assert!(place.claim(two).unwrap().is_some_and(|claim| !claim.part().exists()));
}

fn killed(claim: Claim) {
    let kept = claim.work.path().to_path_buf();
    let moved = kept.with_extension("kept");
    fs::rename(&kept, &moved).unwrap();
    drop(claim);
    fs::rename(moved, kept).unwrap();
}

#[test]
fn what_a_killed_process_has_left_of_a_unit_that_is_done_is_swept_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    Place::create(folder.path(), "plan", &units(), &[]).unwrap();
    let (place, units) = Place::open(folder.path()).unwrap();
    let [one, two, three] = &units[..] else { panic!() };
    let claims = [one, two, three].map(|unit| place.claim(unit).unwrap().unwrap());
    let works = [0, 1, 2].map(|at| claims[at].work.path().to_path_buf());
    made(&claims[0], "edges");
    place.publish(&claims[0]).unwrap();
    let [done, missing, _held] = claims;
    killed(done);
    killed(missing);
    let others = ["mine", "k1-x", "k9-1"].map(|name| folder.path().join("part").join(name));
    others.iter().for_each(|folder| fs::create_dir(folder).unwrap());
    place.sweep().unwrap();
    assert_eq!(works.each_ref().map(|work| work.is_dir()), [false, true, true]);
    let claim = place.claim(two).unwrap().unwrap();
    assert!(
        claim.work.path() == works[1] && !claim.part().exists(),
        "what is missing is made anew in a place of its own"
    );
    assert!(others.iter().all(|folder| folder.is_dir()));
}

#[test]
fn a_folder_of_a_batch_that_is_a_link_is_refused_before_anything_is_swept() {
    for name in FOLDERS {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(elsewhere.path().join("k1-1")).unwrap();
        Place::create(folder.path(), "plan", &units(), &[]).unwrap();
        let _ = fs::remove_dir(folder.path().join(name));
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(name)).unwrap();
        let refused = Place::open(folder.path()).unwrap_err().to_string();
        assert_eq!(refused, format!("{name}: the link leads out of the folder"));
        assert!(elsewhere.path().join("k1-1").is_dir());
    }
}

#[test]
fn who_looks_at_a_unit_keeps_nobody_from_it() {
    let folder = tempfile::tempdir().unwrap();
    Place::create(folder.path(), "plan", &units(), &[]).unwrap();
    let (place, units) = Place::open(folder.path()).unwrap();
    drop(place.claim(&units[0]).unwrap().unwrap());
    let looker = File::open(place.claim_of(&units[0])).unwrap();
    assert!(try_lock(&looker, FlockOperation::NonBlockingLockShared));
    let (tells, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| tells.send(place.claim(&units[0]).unwrap().is_some()).unwrap());
        assert!(told.try_recv().is_err(), "it is looked at still");
        drop(looker);
        assert!(told.recv().unwrap(), "and is free from then on");
    });
}

#[test]
fn a_result_that_comes_late_is_the_same_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    Place::create(folder.path(), "plan", &units(), &[]).unwrap();
    let (place, units) = Place::open(folder.path()).unwrap();
    let claim = place.claim(&units[0]).unwrap().unwrap();
    made(&claim, "edges");
    place.publish(&claim).unwrap();
    made(&claim, "edges");
    assert_eq!(place.publish(&claim).unwrap(), UnitFate::Same);
    made(&claim, "other");
    assert!(place.publish(&claim).unwrap_err().to_string().contains("not deterministic"));
    assert_eq!(fs::read_to_string(place.result(&units[0]).join(EDGES)).unwrap(), "edges");
}

// A received batch may contain links to anywhere.
#[test]
fn a_link_or_a_pipe_in_the_place_of_a_folder_or_a_claim_is_refused_and_nothing_behind_it_goes() {
    let top = tempfile::tempdir().unwrap();
    let [folder, home] = ["campaign", "home"].map(|name| top.path().join(name));
    for mine in ["bare", "k1-17"] {
        fs::create_dir_all(home.join(mine).join("thesis")).unwrap();
    }
    Place::create(&folder, "plan", &units(), &[]).unwrap();
    let (place, units) = Place::open(&folder).unwrap();
    let link = |name: &str| {
        let _ = fs::remove_dir_all(folder.join(name));
        std::os::unix::fs::symlink(&home, folder.join(name)).unwrap();
    };
    link("merged");
    let mut refused = vec![place.merged_anew("bare").unwrap_err()];
    let pipe = folder.join("claims/k2");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(place.state(&units[1]), State::Missing);
    assert!(place.claim(&units[1]).is_err());
    link("claims/k3");
    refused.push(place.claim(&units[2]).unwrap_err());
    link("scenarios");
    refused.push(place.extend(&units, &[]).unwrap_err());
    for name in ["part", "claims"] {
        link(name);
        refused.push(place.claim(&units[0]).unwrap_err());
    }
    for error in refused {
        assert!(error.to_string().contains("is a symbolic link"), "{error}");
    }
    assert!(["bare/thesis", "k1-17/thesis"].iter().all(|mine| home.join(mine).is_dir()));
    assert_eq!(fs::read_dir(&home).unwrap().count(), 2, "and nothing comes there");
}

#[test]
fn a_line_that_is_no_unit_is_told_with_its_number() {
    let folder = tempfile::tempdir().unwrap();
    Place::create(folder.path(), "plan", &units(), &[]).unwrap();
    let file = folder.path().join(UNITS);
    let text = fs::read_to_string(&file).unwrap();
    let leads_away =
        |key: &str, scenario: &str| format!("{{\"key\":\"{key}\",\"scenario\":\"{scenario}\",\"seed\":1}}");
    let away = [leads_away("../x", "s"), leads_away("k9", "../.."), leads_away("k9", "/etc"), leads_away("k9", "")];
    for wrong in away.iter().map(String::as_str).chain(["{}", "x"]) {
        fs::write(&file, format!("{text}{wrong}\n")).unwrap();
        assert!(Place::open(folder.path()).unwrap_err().to_string().contains("line 4: "), "{wrong}");
    }
}
