# What device.sh has left, as tables in Markdown: tests by program and by adapter, soaks, and each failure's message. Fails if anything has
# failed or has not ended, or if there is nothing.
#
#   awk -f tests/device/table.awk *.log *.out *.seed *.status

FNR == 1 {
    program = FILENAME
    sub(/^\.\//, "", program)
    sub(/\.[a-z]*$/, "", program)
    if (!(program in seen)) programs[++program_count] = program
    seen[program] = 1
}

FILENAME ~ /\.seed$/ { seed[program] = $1; next }
FILENAME ~ /\.status$/ { seconds[program] = $NF; sub(/ [0-9]+$/, ""); status[program] = $0; next }

# The test of coverage names the adapters, each on a line of its own.
/^adapters covered: / { is_in_adapters = 1; next }
is_in_adapters && /^  .*, driver / { sub(/^ */, ""); adapters[$0] = 1; next }
{ is_in_adapters = 0 }

/^soak: [0-9]+ rounds/ { rounds[program] = $2 }

# The first lines of each message.
/^---- .* ----$/ { is_in_message = 1; line_count = 0; messages = messages "\n" program ": " $0 "\n"; next }
/^(failures:|test result: .*)$/ { is_in_message = 0 }
is_in_message && line_count++ < 12 { messages = messages $0 "\n" }

/^test .* \.\.\. (ok|FAILED)$/ {
    result = $NF == "ok" ? "passed" : "failed"
    rig = FILENAME ~ /\.log$/ ? "no adapter in particular" : "the library's own"
    if (match($0, / \[.*\] /)) rig = substr($0, RSTART + 2, RLENGTH - 4)
    if (!(rig in is_rig)) rigs[++rig_count] = rig
    is_rig[rig] = 1
    count[rig, result]++
    of[program, result]++
    all[result]++
}

# As its status says.
function ending(program) {
    if (status[program] == "") return "never"
    if (status[program] ~ /^[1-9][0-9]*$/) return "with status " status[program]
    return status[program] == "0" ? "well" : status[program]
}

END {
    for (adapter in adapters) print adapter
    print "\n| program | passed | failed | seconds | ended |\n|---|---:|---:|---:|---|"
    for (i = 1; i <= program_count; i++) {
        program = programs[i]
        is_bad = is_bad || ending(program) != "well"
        printf "| %s | %d | %d | %d | %s |\n", program, of[program, "passed"], of[program, "failed"], seconds[program], ending(program)
    }
    print "\n| tests of | passed | failed |\n|---|---:|---:|"
    for (i = 1; i <= rig_count; i++) printf "| %s | %d | %d |\n", rigs[i], count[rigs[i], "passed"], count[rigs[i], "failed"]
    printf "| all | %d | %d |\n", all["passed"], all["failed"]
    head = "\n| soak | seed | rounds | seconds | ended |\n|---|---:|---:|---:|---|\n"
    for (i = 1; i <= program_count; i++) {
        program = programs[i]
        if (!(program in seed)) continue
        printf "%s| %s | %s | %d | %d | %s |\n", head, program, seed[program], rounds[program], seconds[program], ending(program)
        head = ""
    }
    if (messages != "") printf "\n```%s```\n", messages
    exit is_bad || all["failed"] > 0 || program_count == 0
}
