# SPDX-License-Identifier: MIT OR Apache-2.0
# How many responses are named as `says` tells, as their largest share, in what `backwall blame` prints.
function ends() { if (row ~ "^[0-9]+ of [0-9]+.*: .*" says) named += row + 0; row = "" }
/^ +change:/ { ends() }
/^ / { if (row != "") row = row " " substr($0, 3); next }
{ ends(); row = $0 }
END { ends(); print named + 0 }
