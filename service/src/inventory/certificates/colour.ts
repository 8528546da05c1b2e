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

/** Contrast ratio as defined by WCAG 2, from 1 to 21. */
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
