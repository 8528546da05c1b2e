/** Requests rendered once into bytes; only the parts that must differ are overwritten for each sending. */

export interface RequestTemplate {
	readonly method: "GET" | "POST";
	/**
	 * In path, headers and body, `{sku}` is replaced by a random SKU number, `{ref}` by a new reference, and `{hold}`
	 * by the number of one of the key's holds that was not used before.
	 */
	readonly path: string;
	/** Header lines in addition to those of every request. */
	readonly headers?: readonly string[];
	readonly body?: string;
}

/** Digits of a SKU number: `SKU-000123`. */
export const SKU_DIGITS = 6;
/** Characters of a reference's counter, in base 36. */
const REF_CHARACTERS = 8;
/** Digits of a hold's number. */
const HOLD_DIGITS = 12;
const MARKER = /\{(sku|ref|hold)\}/g;
const ZERO = 48;

/** The references of one generator process, unique in a run. */
export class References {
	readonly #prefix: string;
	#count = 0;

	constructor(prefix: string) {
		this.#prefix = prefix;
	}

	get width(): number {
		return this.#prefix.length + REF_CHARACTERS;
	}

	next(): string {
		return this.#prefix + (++this.#count).toString(36).padStart(REF_CHARACTERS, "0");
	}
}

/** Numbers of one key's holds to be placed: every n-th, so that the keys share all holds. */
export class HoldNumbers {
	readonly #step: number;
	#next: number;

	constructor(first: number, step: number) {
		this.#next = first;
		this.#step = step;
	}

	next(): number {
		const number = this.#next;
		this.#next += this.#step;
		return number;
	}
}

export class RenderedRequest {
	readonly bytes: Buffer;
	readonly #skuOffsets: number[] = [];
	readonly #refOffsets: number[] = [];
	readonly #holdOffsets: number[] = [];

	constructor(template: RequestTemplate, host: string, token: string, refWidth: number) {
		const body = template.body === undefined ? undefined : withoutMarkers(template.body, refWidth);
		const head = [
			`${template.method} ${template.path} HTTP/1.1`,
			`Host: ${host}`,
			`Authorization: Bearer ${token}`,
			...(template.headers ?? []),
			...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
			"",
			"",
		].join("\r\n");
		this.bytes = Buffer.from(this.#place(head, 0, refWidth) + (body ?? ""), "latin1");
		if (template.body !== undefined) this.#place(template.body, this.bytes.length - (body ?? "").length, refWidth);
	}

	/** Writes new SKU numbers below `skuCount`, new references and new holds into the bytes. */
	renew(skuCount: number, references: References, holds: HoldNumbers): void {
		for (const offset of this.#skuOffsets) this.#writeNumber(Math.floor(Math.random() * skuCount), offset, SKU_DIGITS);
		for (const offset of this.#holdOffsets) this.#writeNumber(holds.next(), offset, HOLD_DIGITS);
		for (const offset of this.#refOffsets) this.bytes.write(references.next(), offset, "latin1");
	}

	#writeNumber(value: number, offset: number, digits: number): void {
		let rest = value;
		for (let at = offset + digits - 1; at >= offset; at--) {
			this.bytes[at] = ZERO + (rest % 10);
			rest = Math.floor(rest / 10);
		}
	}

	/**
	 * Records the positions of the markers in `text`, which begins at `start`, and returns it with zeros in their
	 * place.
	 */
	#place(text: string, start: number, refWidth: number): string {
		let shift = 0;
		for (const { 0: marker, index } of text.matchAll(MARKER)) {
			const width = widthOf(marker, refWidth);
			this.#offsetsOf(marker).push(start + index + shift);
			shift += width - marker.length;
		}
		return withoutMarkers(text, refWidth);
	}

	#offsetsOf(marker: string): number[] {
		if (marker === "{sku}") return this.#skuOffsets;
		return marker === "{hold}" ? this.#holdOffsets : this.#refOffsets;
	}
}

function widthOf(marker: string, refWidth: number): number {
	if (marker === "{sku}") return SKU_DIGITS;
	return marker === "{hold}" ? HOLD_DIGITS : refWidth;
}

function withoutMarkers(text: string, refWidth: number): string {
	return text.replace(MARKER, (marker) => "0".repeat(widthOf(marker, refWidth)));
}
