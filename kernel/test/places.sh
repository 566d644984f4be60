#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# usage: test/places.sh FOLDER: links the image in the folder once more, through a folder whose path contains names of the kernel's own
# folders. The image must be the same in memory, byte for byte. If such a name put programs into the kernel's text, it would be larger.
set -eu
built=$(cd "$1" && pwd)
folder=$(mktemp -d)
place=places
trap 'rm -rf "$folder"' EXIT
failed=0
. "$(dirname "$0")/report.sh"

mkdir -p "$folder/x86/process"
ln -s "$built" "$folder/x86/process/core"
again=$folder/x86/process/core/detent-again.elf
result=0
make -s -C "$(dirname "$0")/.." OUT="$folder/x86/process/core" IMAGE="$again" "$again" >"$folder/log" 2>&1 || result=1
objcopy -O binary "$1/detent.elf" "$folder/here" && objcopy -O binary "$again" "$folder/there" || result=1
cmp "$folder/here" "$folder/there" >>"$folder/log" 2>&1 || result=1
rm -f "$again"*
report $result "the image is the same when its folder is named as one of the kernel's"
exit $failed
