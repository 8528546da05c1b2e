const PAPER = { light: "#ffffff", dark: "#14171a" } as const;

/** The lookup page's style in the given colour (`#rrggbb`): mobile first, with a dark mode. */
export const styleOf = (colour: string): string =>
	`
:root{color-scheme:light dark;--ground:#f3f4f5;--paper:${PAPER.light};--ink:#1b1f23;--quiet:#52595f;--line:#c9ced3;
--link:${readableOn(colour, PAPER.light)};--band:${colour};--on-band:${inkOn(colour)};
--good:#0b6b3a;--good-ground:#e3f4ea;--old:#5b4a00;--old-ground:#fff4cc;--bad:#a11212;--bad-ground:#fde8e8;--none:#3a4046;--none-ground:#e9ebed}
@media (prefers-color-scheme:dark){:root{--ground:#0c0e10;--paper:${PAPER.dark};--ink:#eceff1;--quiet:#aab2b9;--line:#3a4147;
--link:${readableOn(colour, PAPER.dark)};
--good:#8fe3b4;--good-ground:#0e2b1c;--old:#ffe08a;--old-ground:#2e2600;--bad:#ffb3b3;--bad-ground:#3a1010;--none:#d5dadf;--none-ground:#22272b}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1.0625rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header{background:var(--band);color:var(--on-band);padding:.9rem 0}
header div,main{max-width:40rem;margin:0 auto}
header div{padding:0 1rem;display:flex;align-items:center;gap:.75rem;font-weight:600}
header img{height:2.5rem;max-width:12rem;object-fit:contain}
main{padding:1rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 1rem}
h2{font-size:1.15rem;margin:0 0 .5rem}
section,form{background:var(--paper);border:1px solid var(--line);border-radius:.5rem;padding:1rem;margin:0 0 1rem}
.state{border-left:.5rem solid}
.state p{margin:.25rem 0}
.state a{color:inherit}
.state .word{font-size:1.3rem;font-weight:700}
.current{background:var(--good-ground);border-color:var(--good)}.current .word{color:var(--good)}
.archived{background:var(--old-ground);border-color:var(--old)}.archived .word{color:var(--old)}
.withdrawn{background:var(--bad-ground);border-color:var(--bad)}.withdrawn .word{color:var(--bad)}
.sample{background:var(--bad-ground);border-color:var(--bad)}.sample .word{color:var(--bad)}
.pending,.unknown,.busy,.wrong,.failed{background:var(--none-ground);border-color:var(--none)}
.pending .word,.unknown .word,.busy .word,.wrong .word,.failed .word{color:var(--none)}
dl{display:grid;grid-template-columns:1fr;gap:0 1rem;margin:0}
dt{color:var(--quiet);font-size:.9rem}
dd{margin:0 0 .6rem}
@media (min-width:34rem){dl{grid-template-columns:10rem 1fr}dd{margin:0 0 .3rem}dt{font-size:1rem}}
a{color:var(--link)}
.pdf{display:inline-block;padding:.6rem 0;font-weight:600}
label{display:block;font-weight:600;margin:0 0 .3rem}
.hint{color:var(--quiet);margin:0 0 .6rem}
input{width:100%;font:inherit;padding:.6rem;border:1px solid var(--quiet);border-radius:.3rem;background:var(--paper);color:var(--ink)}
button{margin-top:.75rem;min-height:2.75rem;padding:.5rem 1.25rem;font:inherit;font-weight:600;border:2px solid var(--on-band);border-radius:.3rem;background:var(--band);color:var(--on-band);cursor:pointer}
a:focus-visible,input:focus-visible,button:focus-visible{outline:3px solid var(--link);outline-offset:3px}
.skip{position:absolute;left:-100rem}
.skip:focus{left:.5rem;top:.5rem;background:var(--paper);color:var(--link);padding:.5rem}
`.trim();

/** Minimum contrast of text and background (WCAG 2.2, 1.4.3, AA). */
const AA = 4.5;

type Rgb = readonly [red: number, green: number, blue: number];

const rgbOf = (colour: string): Rgb =>
	[1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb;
const textOf = (rgb: Rgb): string => `#${rgb.map((one) => Math.round(one).toString(16).padStart(2, "0")).join("")}`;

function luminance(colour: string): number {
	const [red, green, blue] = rgbOf(colour).map((one) => {
		const part = one / 255;
		return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	}) as unknown as Rgb;
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours, from 1 to 21. */
export function contrast(a: string, b: string): number {
	const [light, dark] = [luminance(a), luminance(b)].toSorted((one, other) => other - one) as [number, number];
	return (light + 0.05) / (dark + 0.05);
}

/** Black or white, whichever is readable on this background; one of them always is. */
export const inkOn = (ground: string): string => (contrast("#ffffff", ground) >= AA ? "#ffffff" : "#000000");

/** The colour itself, or mixed with as much black or white as it needs to be readable on this background. */
export function readableOn(colour: string, ground: string): string {
	const towards = rgbOf(luminance(ground) > 0.5 ? "#000000" : "#ffffff");
	for (let part = 0; part < 1; part += 0.05) {
		const mixed = textOf(rgbOf(colour).map((one, at) => one + ((towards[at] ?? 0) - one) * part) as unknown as Rgb);
		if (contrast(mixed, ground) >= AA) return mixed;
	}
	return textOf(towards);
}
