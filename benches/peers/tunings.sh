#!/usr/bin/env bash
# The default tunings of sums beside others, in several processes.
#
#   benches/peers/tunings.sh [processes, 5] [laps, 21] [log2 of the shortest, 10] [log2 of the longest, 23]
#
# Needs cargo unless TUNINGS_BENCH names the built program of `benches/tunings.rs`. Sums of a few microseconds differ from one process
# to the next, whatever the tuning, so tunings are compared by means over processes of the medians of their runs. Prints a table in
# Markdown: the default's mean with its least and most, the tuning with the least mean, and the default's mean divided by that. Fails
# if an answer is wrong.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=benches/peers/statistics.sh
source "$here/statistics.sh"
processes=${1:-5}
laps=${2:-21}
shortest=${3:-10}
longest=${4:-23}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [[ -z ${TUNINGS_BENCH:-} ]]; then
    TUNINGS_BENCH=$(cd "$here/../.." && cargo bench --no-run --bench tunings 2>&1 | sed -n 's/^ *Executable .*(\(.*\))$/\1/p')
    [[ $TUNINGS_BENCH == /* ]] || TUNINGS_BENCH=$here/../../$TUNINGS_BENCH
fi
for ((process = 0; process < processes; process++)); do
    "$TUNINGS_BENCH" --bench "$laps" "$shortest" "$longest" >>"$folder/times"
done

printf '%s, means of %s processes, in µs\n\n' "$(date -u +%F)" "$processes"
# A tuning stands in quotes, with commas in it.
awk -F'"' "$statistics"'
    NF < 3 { next }
    {
        split($1, head, ","); split($3, tail, ",")
        row = head[1] "," head[2]
        if (!(row in rows)) { rows[row] = 1; names[++count] = row }
        if (head[3] == "default") default_of[row] = $2
        if (!((row, $2) in of_tuning)) tunings[row] = tunings[row] "\n" $2
        of_tuning[row, $2] = of_tuning[row, $2] " " tail[2]
    }
    END {
        print "| type | elements | processes | default µs | least to most | best | its µs | ratio |"
        print "|---|---:|---:|---:|---:|---|---:|---:|"
        for (i = 1; i <= count; i++) {
            row = names[i]; split(row, of, ",")
            mine = of_tuning[row, default_of[row]]; best = default_of[row]
            number = split(substr(tunings[row], 2), list, "\n")
            for (j = 1; j <= number; j++) {
                if (mean(of_tuning[row, list[j]]) < mean(of_tuning[row, best])) best = list[j]
            }
            time = mean(of_tuning[row, best])
            printf "| %s | 2^%d | %d | %.2f |", of[1], log(of[2]) / log(2) + 0.5, split(mine, all, " "), mean(mine)
            printf " %.2f to %.2f | %s |", least(mine), most(mine), best == default_of[row] ? "the same" : best
            printf " %.2f | %.3f |\n", time, mean(mine) / time
        }
    }
' "$folder/times"
