// Lines of a text beside those of the text before it.

const isComment = (line) => line.trim().startsWith("//");

/** The first line that is no comment: what stands above it is about the whole file. */
const headOf = (lines) => lines.findIndex((line) => line.trim() && !isComment(line));

/** Lengths of the longest common subsequences of what follows in either text (Hirschberg, 1975, has the recurrence). */
function lengthsOf(old, now) {
    const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
    for (let i = old.length - 1; i >= 0; i -= 1) {
        for (let j = now.length - 1; j >= 0; j -= 1) {
            lengths[i][j] = old[i] === now[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
        }
    }
    return lengths;
}

/**
 * The lines of `text`, each with what became of it: "same", "added", or "removed" if it is of `before` alone. Comments
 * are never marked, and those that went are left out: what changed is code.
 */
export function* linesBeside(text, before) {
    const lines = text.split("\n");
    if (before === undefined) {
        yield* lines.map((line) => ["same", line]);
        return;
    }
    const oldLines = before.split("\n");
    const [old, now] = [oldLines.slice(headOf(oldLines)), lines.slice(headOf(lines))];
    yield* lines.slice(0, headOf(lines)).map((line) => ["same", line]);
    const lengths = lengthsOf(old, now);
    for (let [i, j] = [0, 0]; i < old.length || j < now.length;) {
        const isMarked = (line) => line.trim() !== "" && !isComment(line);
        if (i < old.length && j < now.length && old[i] === now[j]) {
            yield ["same", now[j]];
            [i, j] = [i + 1, j + 1];
        } else if (j === now.length || (i < old.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
            if (isMarked(old[i])) {
                yield ["removed", old[i]];
            }
            i += 1;
        } else {
            yield [isMarked(now[j]) ? "added" : "same", now[j]];
            j += 1;
        }
    }
}
