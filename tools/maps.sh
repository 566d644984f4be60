#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The first page of a crate or of a folder of modules names every module of it, as `name`, and lists none that is gone:
# tools/maps.sh [TREE]. Tests of a folder's own need no line.
set -eu
cd "${1:-$(dirname "$0")/..}"
failed=0
for page in $(find crates cli/src lab/cli/src -name lib.rs -o -name mod.rs | grep '/src/' | LC_ALL=C sort); do
    modules=$(sed -n 's/^\(pub \|pub([a-z]*) \)\{0,1\}mod \([a-z_0-9]*\);.*/\2/p' "$page")
    lacks=
    for module in $modules; do
        [ "$module" = tests ] || grep -q "^//!.*\`$module\`" "$page" || lacks="$lacks $module"
    done
    gone=
    for named in $(sed -n 's/^\/\/! - \[\{0,1\}`\([a-z_0-9]*\)`\]\{0,1\}:.*/\1/p' "$page"); do
        case " $(echo $modules) " in *" $named "*) ;; *) gone="$gone $named" ;; esac
    done
    if [ -n "$lacks" ]; then
        echo "maps: the first page $page does not name:$lacks"
        failed=1
    fi
    if [ -n "$gone" ]; then
        echo "maps: the first page $page lists what is no module of it:$gone"
        failed=1
    fi
done
exit $failed
