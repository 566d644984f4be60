# SPDX-License-Identifier: MIT OR Apache-2.0
# Read by the scripts that try the kernel in QEMU: they set folder, where the log is, and place, what they try it on.

# report RESULT WHAT: a line; a result other than 0 fails the script, and shows the end of the log.
report() {
    if [ "$1" = 0 ]; then
        echo "PASS $place: $2"
    else
        echo "FAIL $place: $2"
        sed 's/^/    /' "$folder/log" | tail -5
        failed=1
    fi
}

# says TEXT: the log holds it.
says() { grep -qF -- "$1" "$folder/log"; }
