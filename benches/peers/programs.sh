# shellcheck shell=bash
# Programs that cargo makes, for machines without it.

# Copies what a command of cargo's makes and would run to a file, stripped. In the package's folder: FILE, and the command.
program() {
    local made
    made=$(cargo "${@:2}" --no-run 2>&1) || { echo "$made" >&2; return 1; }
    cp "$(sed -n 's/^ *Executable .*(\(.*\))$/\1/p' <<<"$made")" "$1" && strip "$1"
}
