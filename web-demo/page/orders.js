// Sums that disagree: the same numbers in several orders.

import { Orders } from "./pkg/wgpu_reduce_web.js";
import { explain, say } from "./main.js";

const COUNT = 65536;

const words = new Uint32Array(1);
const floats = new Float32Array(words.buffer);

/** The value, and its bits as eight hexadecimal digits. */
function show(value) {
    floats[0] = value;
    const bits = words[0].toString(16).padStart(8, "0");
    return `${floats[0]} (${bits})`;
}

const bits = (value) => show(value).slice(-9, -1);

function verdict(seen) {
    const counts = ["one by one", "sum", "sum_exact"].map((name, column) => {
        const different = new Set(seen.map((row) => row[column])).size;
        return `${name} ${different}`;
    });
    return `Different results in ${seen.length} orders: ${counts.join(", ")}.`;
}

/** Makes the panel ready, and sums in three orders. */
export async function startOrders(gpu) {
    const button = document.getElementById("shuffle");
    const orders = new Orders(gpu, COUNT);
    const seen = [];
    const next = async () => {
        button.disabled = true;
        try {
            const order = seen.length;
            const sums = await orders.sums(order);
            const values = [sums.naive, sums.sum, sums.exact];
            seen.push(values.map(bits));
            const row = document.getElementById("orders").insertRow();
            const texts = [order === 0 ? "as made" : `shuffled ${order}`, ...values.map(show)];
            for (const text of texts) {
                row.insertCell().textContent = text;
            }
            const agrees = bits(sums.exact) === bits(sums.exact_on_host);
            const host = agrees ? " The CPU's exact sum has the same bits." : " The CPU's exact sum differs!";
            document.getElementById("verdict").textContent = verdict(seen) + host;
            sums.free();
            button.disabled = false;
        } catch (error) {
            say(explain(error), true);
        }
    };
    button.addEventListener("click", next);
    for (let order = 0; order < 3; order += 1) {
        await next();
    }
}
