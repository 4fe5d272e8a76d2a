// A picture for those who have none at hand.

const [WIDTH, HEIGHT] = [480, 320];

/** A field of flowers by the sea. */
function draw(context) {
    const sky = context.createLinearGradient(0, 0, 0, HEIGHT / 2);
    sky.addColorStop(0, "#2b6fd6");
    sky.addColorStop(1, "#bfe3f5");
    const fill = (style, ...box) => {
        context.fillStyle = style;
        context.fillRect(...box);
    };
    const disc = (style, x, y, radius) => {
        context.fillStyle = style;
        context.beginPath();
        context.arc(x, y, radius, 0, 2 * Math.PI);
        context.fill();
    };
    fill(sky, 0, 0, WIDTH, HEIGHT / 2);
    disc("#ffd84a", 380, 60, 32);
    [[90, 60], [120, 50], [150, 62]].forEach(([x, y]) => disc("#fdfdfd", x, y, 24));
    fill("#17707c", 0, 150, WIDTH, 50);
    fill("#3f9a3c", 0, 195, WIDTH, HEIGHT - 195);
    disc("#6b7078", 60, 205, 34);
    for (let flower = 0; flower < 70; flower += 1) {
        // Even steps that never meet look as if they were scattered.
        const [x, y] = [(flower * 137.5) % WIDTH, 215 + ((flower * 61.8) % 100)];
        disc(["#d92b2b", "#f08a24", "#f45fb4", "#7a35c9"][flower % 4], x, y, 5 + (flower % 3));
        disc("#ffe066", x, y, 2);
    }
}

/** The picture as a file, as if somebody had chosen it. */
export async function drawnFile() {
    const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
    draw(canvas.getContext("2d"));
    return new File([await canvas.convertToBlob()], "drawn here.png");
}
