// A row's elements are those of several axes. Of the innermost, `share` follow each other a stride apart.

// The other axes: their dimensions are behind those of the rows, the last first.
override OUTER: u32 = 1u;

// How far element k is from the first.
fn element_of_row(k: u32) -> u32 {
    var rest = k / parameters.share;
    var far = (k - rest * parameters.share) * parameters.stride;
    for (var d = 0u; d < OUTER; d++) {
        let dimension = parameters.dimensions[DIMENSIONS + d];
        let before = rest / dimension.x;
        far += (rest - before * dimension.x) * dimension.y;
        rest = before;
    }
    return far;
}
