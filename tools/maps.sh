#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The first page of a crate names every module of it, as `name`; so does every folder's that names one this way.
set -eu
cd "$(dirname "$0")/.."
failed=0
for page in crates/*/src/lib.rs $(git ls-files '*/src/*/mod.rs'); do
    lacks=
    modules=$(sed -n 's/^\(pub \|pub([a-z]*) \)\{0,1\}mod \([a-z_0-9]*\);.*/\2/p' "$page")
    for module in $modules; do
        grep -q "^//!.*\`$module\`" "$page" || lacks="$lacks $module"
    done
    # A folder's page that has no map is none of this; a crate's is.
    case $page in
    */mod.rs) grep -q '^//! - .*`' "$page" || continue ;;
    esac
    if [ -n "$lacks" ]; then
        echo "maps: the first page of $page does not name:$lacks"
        failed=1
    fi
done
exit $failed
