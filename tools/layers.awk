# SPDX-License-Identifier: MIT OR Apache-2.0
# Holds every include of C and assembly against the list of what each module may use. Called by tools/layers.sh:
#   awk -v allow=FILE -f tools/layers.awk LIST      LIST names the files to look at, one a line
# The list's own grammar stands at its head.

function wrong(text) { print "layers: " text | "cat >&2"; failed = 1 }

# --- the list -------------------------------------------------------------------------------------------------------

# A name of the list from the top of the repository: "/wire" already is, any other stands below its section.
function from_top(name) { return name ~ /^\// ? substr(name, 2) : (section == "" ? name : section "/" name) }

function pattern_of(key,   pattern) {
    pattern = key
    gsub(/\./, "[.]", pattern)
    return key ~ /\*/ ? "^" star(pattern) "([.][a-zA-Z]+)?$" : "^" pattern "([.][a-zA-Z]+|/.*)?$"
}

function star(pattern) { gsub(/\*/, "[^/]*", pattern); return pattern }

function read_allow(   row, place) {
    while ((getline row < allow) > 0) {
        place++
        sub(/[ \t]*#.*/, "", row)
        if (row ~ /^[ \t]*$/) continue
        if (row ~ /^\[.*\]$/) section = substr(row, 2, length(row) - 2)
        else if (row ~ / <-> .*: *[^ ]/) read_circle(row, place)
        else if (row ~ /^[^ ]+:/) read_module(row, place)
        else wrong(allow ":" place ": neither a [folder], nor a module with what it uses, nor a circle with its reason")
    }
    close(allow)
}

function read_circle(row, place,   names, count, i, j) {
    sub(/:.*/, "", row)
    count = split(row, names, " <-> ")
    told[place] = row
    for (i = 1; i <= count; i++)
        for (j = 1; j <= count; j++) if (i != j) circle[node_of(from_top(names[i])), node_of(from_top(names[j]))] = place
}

function read_module(row, place,   key, words, count, i, word) {
    key = row
    sub(/:.*/, "", key)
    sub(/^[^:]*:/, "", row)
    key = from_top(key)
    if (key in pattern) wrong(allow ":" place ": a second line for " key)
    pattern[key] = pattern_of(key)
    count = split(row, words, " ")
    for (i = 1; i <= count; i++) {
        word = words[i]
        if (word ~ /^\+/) { may[key, word] = 1; continue }
        word = from_top(word)
        if (!(word in pattern)) wrong(allow ":" place ": " key " may use only what stands above it, and " word " does not")
        may[key, word] = 1
    }
}

# --- the files ------------------------------------------------------------------------------------------------------

# The most exact key that fits a path.
function module_of(path,   key, best) {
    if (path in known) return known[path]
    best = ""
    for (key in pattern) if (path ~ pattern[key] && length(key) > length(best)) best = key
    return known[path] = best
}

function folder_of(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "." }

# "a/b/../c" without the way back.
function straight(path) {
    while (match(path, /[^\/.][^\/]*\/\.\.\//)) path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    return path
}

# In C a header and the file beside it that has its functions are one thing: who includes the one depends on the other.
function node_of(path) { sub(/\.[chS]$/, "", path); return path }

function uses(file, target,   module, other) {
    module = module_of(file)
    other = module_of(target)
    if ((node_of(file), node_of(target)) in circle) { needed[circle[node_of(file), node_of(target)]] = 1; return }
    edge[node_of(file)] = edge[node_of(file)] " " node_of(target)
    if (module != other && !((module, other) in may)) wrong(file " uses " target ", and " module " may not use " other)
}

function needs(file, word, because) {
    if (!((module_of(file), word) in may)) wrong(file " " because ", and " module_of(file) " has no " word)
}

# --- C and assembly -------------------------------------------------------------------------------------------------

function read_c(file,   row, name) {
    while ((getline row < file) > 0) {
        if (match(row, /^[ \t]*#[ \t]*include[ \t]*["<]/)) {
            name = substr(row, RLENGTH + 1)
            sub(/[">].*/, "", name)
            if (row ~ /</) { if (!(name in freestanding)) needs(file, "+system", "includes <" name ">") }
            else include(file, name)
        } else if (file !~ /S$/ && row ~ /(__asm|[^_a-z]asm *\(|asm volatile)/) needs(file, "+assembly", "holds assembly")
    }
    close(file)
}

# A header beside the file; or else every one of that name that an include path could mean, those of its own part first.
function include(file, name,   beside, part, count, i, found, ours) {
    beside = straight(folder_of(file) "/" name)
    if (beside in exists) { uses(file, beside); return }
    part = substr(file, 1, index(file, "/"))
    count = split(headers, all_headers, " ")
    for (i = 1; i <= count; i++) {
        if (substr("/" all_headers[i], length(all_headers[i]) + 1 - length(name)) != "/" name) continue
        found = found " " all_headers[i]
        if (index(all_headers[i], part) == 1) ours = ours " " all_headers[i]
    }
    if (ours != "") found = ours
    if (found == "") wrong(file " includes \"" name "\", which is nowhere")
    count = split(found, all_headers, " ")
    for (i = 1; i <= count; i++) uses(file, all_headers[i])
}

# --- maps -----------------------------------------------------------------------------------------------------------

function read_map(file,   row) {
    map[folder_of(file)] = " "
    while ((getline row < file) > 0) map[folder_of(file)] = map[folder_of(file)] row "\n"
    close(file)
}

# The nearest map above a file of C names it, or the header or the code beside it. `user/programs/` stands for all below it.
function held_by_map(file,   folder, below, name) {
    folder = folder_of(file)
    while (!(folder in map) && folder ~ /\//) folder = folder_of(folder)
    if (!(folder in map)) return
    below = substr(folder_of(file), length(folder) + 2)
    name = file
    sub(/.*\//, "", name)
    sub(/[.][a-zA-Z]+$/, "", name)
    if (below != "" && index(map[folder], "`" below "/`:")) return
    if (map[folder] !~ ("[`/]" name "[.][a-zA-Z]+`")) wrong(folder "/README.md has no line for " file)
}

# --- circles --------------------------------------------------------------------------------------------------------

# `file` is a node: a file, or a header with the file beside it.
function visit(file, way,   targets, count, i) {
    if (state[file] == 2) return
    if (state[file] == 1) { report_circle(way, file); return }
    state[file] = 1
    count = split(edge[file], targets, " ")
    for (i = 1; i <= count; i++) if (targets[i] != file) visit(targets[i], way " " targets[i])
    state[file] = 2
}

function report_circle(way, file) {
    sub("^.*(^| )" file " ", file " ", way)
    gsub(/ /, " -> ", way)
    wrong("a circle: " way)
}

# ----------------------------------------------------------------------------------------------------------------------

# The headers of C11 that a freestanding compiler has, and the functions on memory that it calls by itself.
BEGIN {
    count = split("limits.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h string.h", names, " ")
    for (i = 1; i <= count; i++) freestanding[names[i]] = 1
    read_allow()
}

/README\.md$/ { read_map($0); next }

{
    files[++file_count] = $0
    exists[$0] = 1
    if ($0 ~ /\.(h|inc)$/) headers = headers " " $0
}

END {
    for (f = 1; f <= file_count; f++) {
        file = files[f]
        if (module_of(file) == "") { wrong(file " belongs to no module: give it a line in " allow); continue }
        seen[module_of(file)] = 1
        read_c(file)
        held_by_map(file)
    }
    for (key in pattern) if (!(key in seen)) wrong(allow ": no file for " key)
    for (place in told) if (!(place in needed)) wrong(allow ":" place ": no such circle: " told[place])
    for (f = 1; f <= file_count; f++) visit(node_of(files[f]), node_of(files[f]))
    close("cat >&2")
    exit failed
}
