/**
 * Messages to PostgreSQL, rendered once into bytes; only the values that must differ are overwritten for each sending.
 */
import { SKU_DIGITS } from "./request.ts";

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
/** Characters of a uuid. */
const TOKEN_WIDTH = 36;
const MARKER = /\{(sku|ref|token)\}/g;

/** The values of one reserve. */
export interface Values {
	/** SKU_DIGITS digits. */
	readonly sku: string;
	readonly ref: string;
	readonly token: string;
}

/** Bind, Execute and Sync of a prepared statement. */
export class WireMessage {
	readonly bytes: Buffer;
	readonly #places: { value: keyof Values; offset: number }[] = [];

	/** `renew` replaces `{sku}`, `{ref}` and `{token}` in the texts of `parameters`. */
	constructor(statement: string, parameters: readonly string[], refWidth: number) {
		const widths = { sku: SKU_DIGITS, ref: refWidth, token: TOKEN_WIDTH };
		const parts = [cstring(""), cstring(statement), int16(0), int16(parameters.length)];
		for (const parameter of parameters) {
			const before = TYPE_BYTES + LENGTH_BYTES + Buffer.concat(parts).length + LENGTH_BYTES;
			let shift = 0;
			const text = parameter.replace(MARKER, (marker, value: keyof Values, at: number) => {
				this.#places.push({ value, offset: before + at + shift });
				shift += widths[value] - marker.length;
				return "0".repeat(widths[value]);
			});
			parts.push(int32(text.length), Buffer.from(text, "latin1"));
		}
		const bind = message("B", ...parts, int16(0));
		this.bytes = Buffer.concat([bind, message("E", cstring(""), int32(0)), message("S")]);
	}

	renew(values: Values): void {
		for (const { value, offset } of this.#places) this.bytes.write(values[value], offset, "latin1");
	}
}

/** Parse for each statement under its name, and Sync. */
export const renderPreparation = (statements: readonly { name: string; text: string }[]): Buffer =>
	Buffer.concat([
		...statements.map(({ name, text }) => message("P", cstring(name), cstring(text), int16(0))),
		message("S"),
	]);

const cstring = (text: string): Buffer => Buffer.from(`${text}\0`, "latin1");

function int16(value: number): Buffer {
	const bytes = Buffer.alloc(2);
	bytes.writeInt16BE(value);
	return bytes;
}

function int32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeInt32BE(value);
	return bytes;
}

function message(type: string, ...parts: Buffer[]): Buffer {
	const body = Buffer.concat(parts);
	return Buffer.concat([Buffer.from(type, "latin1"), int32(body.length + LENGTH_BYTES), body]);
}
