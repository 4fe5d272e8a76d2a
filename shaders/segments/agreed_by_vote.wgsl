// Whether a condition holds that is the same for all invocations of a workgroup.
//
// It depends on what has been loaded, so compilers do not see that it is the same. NVIDIA's then keeps account of the
// lanes that are there and puts about twenty instructions in front of each shuffle. A vote is known to have one outcome.

fn agreed(condition: bool) -> bool {
    return subgroupAny(condition);
}
