#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The page of `backwall run` without options on this machine: its size, and how many of largest, cause and advice stand whole on its
# first screen, by the places of their texts in a browser, in a window of a laptop and in one of a phone.
set -eu
cd "$(dirname "$0")/.."
out=target/bench/page
rm -rf $out && mkdir -p $out
target/release/backwall run --quiet --out $out/run >&2 || [ $? = 3 ] # no evidence has a page, too
page=$out/run/report.html
bytes=$(stat -c %s $page)
met=$([ "$bytes" -le 400000 ] && echo yes || echo no)
printf 'page\t%s\tbytes\t<= 400000\t%s\t-\t-\tbackwall run without options, on this machine\n' "$bytes" "$met"

# framed WIDTH HEIGHT: a page that holds this one in a frame, for a browser's window cannot be as narrow as a phone's; the frame's
# script, the same as the tests', tells where the texts lie. Scripts are forbidden by the page's own policy, which goes.
framed() {
    echo "<body><script>addEventListener('message',e=>{const p=document.createElement('pre');p.textContent=e.data;document.body.append(p)})</script>"
    printf '<iframe width=%s height=%s style="border:0" srcdoc="' "$1" "$2"
    {
        sed 's/<meta http-equiv="Content-Security-Policy"[^>]*>//; s/<\/body>.*//' $page
        echo '<script>' && cat cli/tests/pure/browser/places.js && echo '</script></body>'
    } | sed 's/&/\&amp;/g; s/"/\&quot;/g'
    echo '"></iframe>'
}

# first_screen NAME WIDTH HEIGHT
first_screen() {
    framed "$2" "$3" >$out/frame.html
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run \
        --force-device-scale-factor=1 --window-size=1300,2000 --user-data-dir=$out/profile --dump-dom "file://$PWD/$out/frame.html" \
        >$out/tree 2>$out/log
    # Without a cause in a run there is nothing to advise; what is there has to be on the screen.
    sed -n '/^<pre>PLACES\|>PLACES/,/<\/pre>/p' $out/tree | sed 's/<\/pre>.*//' | awk -v what="$1" -v width="$2" -v height="$3" '
        $1 ~ /^(\.hero|#cause|#change)$/ { known++; whole += $2 >= 0 && $4 <= width && $5 <= height && $5 > $3 }
        END {
            printf "page.first_screen_%s\t%d\ttexts\t>= 3\t%s\t-\t-\tlargest, cause and advice whole on %d x %d; %d of them are on the page\n", \
                what, whole, known < 3 ? "-" : whole == 3 ? "yes" : "no", width, height, known
        }'
}

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    printf 'page.first_screen\t-\ttexts\t>= 3\t-\t-\t-\tnot measured here: no browser is installed\n'
    exit 0
}
first_screen laptop 1180 800
first_screen phone 390 844
