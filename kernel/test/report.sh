# SPDX-License-Identifier: MIT OR Apache-2.0
# The scripts that test the kernel in QEMU read this file. They set `folder`, which contains the log, and `place`, the tested machine.

# report RESULT WHAT: prints one line. A result other than 0 fails the script, and prints the end of the log.
report() {
    if [ "$1" = 0 ]; then
        echo "PASS $place: $2"
    else
        echo "FAIL $place: $2"
        sed 's/^/    /' "$folder/log" | tail -5
        failed=1
    fi
}

# says TEXT: whether the log contains the text.
says() { grep -qF -- "$1" "$folder/log"; }
