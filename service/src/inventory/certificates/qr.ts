import { toBuffer, toString as toText } from "qrcode";

/** Modules of white around the code: less, and some readers do not find it. */
const QUIET_MODULES = 4;
/** Pixels of a module in a PNG. */
const PNG_SCALE = 8;
/** Of the code may be damaged: 15 per cent. */
const CORRECTION = "M";

/** The address as a QR code: SVG is a text, PNG are bytes. */
export async function drawQr(url: string, format: "svg" | "png"): Promise<string | Buffer> {
	const options = { errorCorrectionLevel: CORRECTION, margin: QUIET_MODULES } as const;
	return format === "svg"
		? toText(url, { ...options, type: "svg" })
		: toBuffer(url, { ...options, type: "png", scale: PNG_SCALE });
}
