import { toBuffer, toString as toText } from "qrcode";

/** White modules around the code; some readers need at least this many. */
const QUIET_MODULES = 4;
/** Pixels per module in a PNG. */
const PNG_SCALE = 8;
/** Error correction: up to 15 % of the code may be damaged. */
const CORRECTION = "M";

/** The address as a QR code: a string for SVG, bytes for PNG. */
export async function drawQr(url: string, format: "svg" | "png"): Promise<string | Buffer> {
	const options = { errorCorrectionLevel: CORRECTION, margin: QUIET_MODULES } as const;
	return format === "svg"
		? toText(url, { ...options, type: "svg" })
		: toBuffer(url, { ...options, type: "png", scale: PNG_SCALE });
}
