// The sum of the numbers of the invocations before each in its workgroup.
//
//   sum[local] <- my number
//   for distance <- 1, 2, 4, ... WORKGROUP_SIZE / 2
//       barrier; sum[local] <- sum[local - distance] + sum[local], if there is such an invocation

var<workgroup> sums: array<u32, WORKGROUP_SIZE>;

fn scanned_before(mine: u32, local: u32) -> u32 {
    var until = mine;
    // Everybody has read the sums of the call before.
    workgroupBarrier();
    sums[local] = until;
    for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
        workgroupBarrier();
        if (local >= distance) {
            until += sums[local - distance];
        }
        workgroupBarrier();
        sums[local] = until;
    }
    return until - mine;
}
