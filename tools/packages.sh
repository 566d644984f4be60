#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Makes target/packages/MACHINE: the static files of both programs, an archive for any Linux with packaging/install.sh, .deb, .rpm, a recipe for Arch and
# one for a container, and their checksums. tools/packages.sh [x86_64|aarch64]; the default is this machine.
# tools/packages.sh release [TAG] makes both machines' and collects what a release page offers in target/packages/release, with checksums and the
# changes of this version; a TAG must be that of the version. The same commit and the same compilers give the same bytes in any folder.
set -eu
cd "$(dirname "$0")/.."
. tools/rust.sh
. tools/target.sh
builder_is_nobody
umask 022
here=$(uname -m)
machine=${1:-$here}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
BACKWALL_COMMIT=$(git log -1 --abbrev=12 --format='%h, %cs' 2>/dev/null || true) # as long in a shallow clone as in a whole one
export SOURCE_DATE_EPOCH BACKWALL_COMMIT
packages=$PWD/target/packages/$machine
name=backwall-$version-$machine
lab=backwall-lab-$version-$machine
tree=$packages/parts/$name

case "$machine" in
x86_64 | aarch64) debian=$(debian_of "$machine") ;;
release)
    [ "${2:-v$version}" = "v$version" ] || { echo "packages: TAG is $2, but Cargo.toml has version $version: tag v$version, or change the version" >&2 && exit 2; }
    mkdir -p target/packages && awk -v head="## [$version]" '/^## / { own = index($0, head) } own' CHANGELOG.md >target/packages/changes.md
    [ -s target/packages/changes.md ] || { echo "packages: CHANGELOG.md has no section ## [$version], so the release would have no notes" >&2 && exit 2; }
    for machine in x86_64 aarch64; do tools/packages.sh $machine; done
    rm -rf "$packages" && mkdir "$packages"
    ln target/packages/x86_64/backwall[-_]* target/packages/aarch64/backwall[-_]* "$packages"
    for kind in "-$version-" "-lab-$version-" "_$version" "-$version-1"; do
        [ "$(find "$packages" -name "backwall$kind*" | wc -l)" -ge 2 ] || { echo "packages: backwall$kind… of a machine is missing" >&2 && exit 1; }
    done
    (cd "$packages" && sha256sum -- * >../sums && mv ../sums SHA256SUMS)
    ls -l "$packages" >&2
    exit
    ;;
*)
    echo "packages: no packages for $machine: x86_64, aarch64 or release" >&2
    exit 2
    ;;
esac

target_for "$machine"

static_files() {
    cargo build --profile packaged --locked --package backwall --package backwall-lab-cli --target "$triple"
    "$objcopy" --strip-all "target/$triple/packaged/backwall" "$packages/$name"
    "$objcopy" --strip-all "target/$triple/packaged/backwall-lab" "$packages/$lab"
}

# The licences of every library that is linked into the programs, each with the text that its package has.
libraries() {
    cargo tree --locked --package backwall-lab-cli --edges normal --target "$triple" --prefix none --format '{p}|{l}' |
        sed 's/ (\*)//' | grep -v "$PWD" | LC_ALL=C sort -u | while IFS='|' read -r library licence; do
        folder=$(echo "$library" | awk '{ sub(/^v/, "", $2); print $1 "-" $2 }')
        printf '== %s: %s\n\n' "$folder" "$licence"
        LC_ALL=C find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -mindepth 2 -maxdepth 2 -name "$folder" | head -n 1 | while read -r source; do
            for text in "$source"/LICEN[CS]E* "$source"/COPYING* "$source"/NOTICE*; do [ ! -f "$text" ] || cat "$text"; done
        done
    done
}

documents() {
    doc=$tree/share/doc/backwall
    mkdir -p "$doc"
    cp packaging/copyright LICENSE-MIT LICENSE-APACHE docs/start/installing.md "$doc"
    cp lab/instrument/LICENSE "$doc/GPL-2"
    gzip -9nc CHANGELOG.md >"$doc/CHANGELOG.md.gz"
    libraries | gzip -9nc >"$doc/crates.gz"
    archive . --exclude=build lab/instrument lab/machine wire/connector.h | gzip -9n >"$doc/instrument.tar.gz"
}

# archive FOLDER ARGUMENTS...: as tar, without anything of the builder's.
archive() {
    folder=$1
    shift
    tar --create --directory "$folder" --sort=name --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$@"
}

# bin and share, as they lie below /usr or /usr/local.
whole_tree() {
    rm -rf "$packages/parts"
    mkdir -p "$tree/bin" "$tree/share/man/man1" "$tree/share/bash-completion/completions" \
        "$tree/share/zsh/site-functions" "$tree/share/fish/vendor_completions.d"
    cp "$packages/$name" "$tree/bin/backwall"
    cp "$packages/$lab" "$tree/bin/backwall-lab"
    # Those of both programs.
    $run "$tree/bin/backwall-lab" generate man "$tree/share/man/man1" >/dev/null
    gzip -9n "$tree"/share/man/man1/*.1
    $run "$tree/bin/backwall-lab" generate completions bash >"$tree/share/bash-completion/completions/backwall"
    $run "$tree/bin/backwall-lab" generate completions zsh >"$tree/share/zsh/site-functions/_backwall"
    $run "$tree/bin/backwall-lab" generate completions fish >"$tree/share/fish/vendor_completions.d/backwall.fish"
    documents
}

# filled FILE OUT: a file of packaging/ with its blanks filled.
filled() {
    sed -e "s/@VERSION@/$version/" -e "s/@MACHINE@/$machine/" -e "s/@DEBIAN@/$debian/" \
        -e "s/@SHA256@/${sum:-}/" -e "s/@KIB@/${kib:-}/" \
        -e "s/@DATE@/$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")/" "packaging/$1" >"$2"
}

any_linux() {
    cp packaging/install.sh "$tree/"
    archive "$packages/parts" "$name" | gzip -9n >"$packages/$name.tar.gz"
    rm "$tree/install.sh"
}

deb() {
    command -v dpkg-deb >/dev/null 2>&1 || { echo "packages: no .deb: dpkg-deb is not installed" >&2; return; }
    root=$packages/parts/deb
    mkdir -p "$root/DEBIAN" "$root/usr"
    cp -r "$tree/." "$root/usr/"
    mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
    rm "$root/usr/share/doc/backwall/GPL-2" "$root/usr/share/doc/backwall/LICENSE-APACHE" # Debian has them once for all
    mkdir -p "$root/usr/lib/systemd/system"
    cp contrib/backwall*.service contrib/backwall*.timer "$root/usr/lib/systemd/system/"
    filled changelog /dev/stdout | gzip -9n >"$root/usr/share/doc/backwall/changelog.gz"
    kib=$(du -sk --apparent-size "$root/usr" | cut -f 1)
    filled control "$root/DEBIAN/control"
    cp packaging/postinst "$root/DEBIAN/"
    chmod 755 "$root/DEBIAN/postinst"
    (cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$packages/backwall_${version}_$debian.deb" >/dev/null
}

rpm() {
    command -v rpmbuild >/dev/null 2>&1 || { echo "packages: no .rpm: rpmbuild is not installed" >&2; return; }
    filled backwall.spec "$packages/parts/backwall.spec"
    rpmbuild --quiet -bb --target "$machine" --define "_topdir $packages/parts/rpm" --define "tree $tree" --define "units $PWD/contrib" \
        --define "_rpmdir $packages" --define '_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm' "$packages/parts/backwall.spec"
}

recipes() {
    sum=$(sha256sum "$packages/$name.tar.gz" | cut -d ' ' -f 1)
    filled PKGBUILD "$packages/PKGBUILD"
    cp packaging/backwall.install "$packages/"
    filled Containerfile "$packages/Containerfile"
}

rm -rf "$packages"
mkdir -p "$packages"
static_files
whole_tree
any_linux
deb
rpm
recipes
rm -rf "$packages/parts"
(cd "$packages" && sha256sum -- * >"$packages.sums" && mv "$packages.sums" SHA256SUMS)
echo "packages: $packages" >&2
(cd "$packages" && wc -c -- *)
