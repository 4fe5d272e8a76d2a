# shellcheck shell=bash
# What scripts that print tables take of several figures; they source it, and put `$statistics` before their program for awk.
#
# Figures are words of a text: `median` of them, `least`, `most`, `mean`, and `spread`, how far they differ: the most less the
# least, in percent of the median, or "-" where there are fewer than two.

# shellcheck disable=SC2034 # who sources this uses it
# shellcheck disable=SC2016 # awk's own
statistics='
    # How many there are, and the figures themselves, the least first.
    function in_order(text, figures,    count, i, j, figure) {
        count = split(text, figures, " ")
        for (i = 1; i <= count; i++) {
            figure = figures[i] + 0
            for (j = i; j > 1 && figures[j - 1] > figure; j--) figures[j] = figures[j - 1]
            figures[j] = figure
        }
        return count
    }
    function median(text,    figures, count) {
        count = in_order(text, figures)
        return figures[int(count / 2) + 1]
    }
    function least(text,    figures) { in_order(text, figures); return figures[1] }
    function most(text,    figures, count) { count = in_order(text, figures); return figures[count] }
    function mean(text,    figures, count, i, all) {
        count = in_order(text, figures)
        for (i = 1; i <= count; i++) all += figures[i]
        return all / count
    }
    function spread(text,    figures, count) {
        count = in_order(text, figures)
        if (count < 2 || figures[int(count / 2) + 1] == 0) return "-"
        return sprintf("%.1f", 100 * (figures[count] - figures[1]) / figures[int(count / 2) + 1])
    }
'
