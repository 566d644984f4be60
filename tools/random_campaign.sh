# SPDX-License-Identifier: MIT OR Apache-2.0
# For the scripts that carry a campaign out: random_campaign UNITS writes random.toml and matrix.toml into the folder that one is in. A unit
# takes a moment, and has other edges with each seed.
random_campaign() {
    cat >random.toml <<'SCENARIO'
about = "random arrivals"
guest = "bare:service-irq7-1000"
load = "loop"
[generator.a]
shape = "poisson"
period = 8000
count = 500
SCENARIO
    printf '[matrix]\nscenario = ["random.toml"]\nseeds = "1-%s"\n' "$1" >matrix.toml
}
