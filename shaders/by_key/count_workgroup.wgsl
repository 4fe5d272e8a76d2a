// The sum of the numbers of the invocations before each in its workgroup, through workgroup memory alone.

fn count_before(mine: u32, me: Invocation) -> u32 {
    return scanned_before(mine, me.local);
}
