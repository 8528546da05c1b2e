/** Requests rendered once into bytes; only the parts that must differ are written over for each sending. */

export interface RequestTemplate {
	readonly method: "GET" | "POST";
	/** `{sku}` and `{ref}` in path or body become a random SKU number and a reference never used before. */
	readonly path: string;
	readonly body?: string;
}

/** Digits of a SKU number: `SKU-000123`. */
export const SKU_DIGITS = 6;
/** Characters of a reference's counter, base 36. */
const REF_CHARACTERS = 8;
const MARKER = /\{(sku|ref)\}/g;
const ZERO = 48;

/** What one generator process writes into references, so that no two of a run are alike. */
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

export class RenderedRequest {
	readonly bytes: Buffer;
	readonly #skuOffsets: number[] = [];
	readonly #refOffsets: number[] = [];

	constructor(template: RequestTemplate, host: string, token: string, refWidth: number) {
		const body = template.body === undefined ? undefined : withoutMarkers(template.body, refWidth);
		const head = [
			`${template.method} ${template.path} HTTP/1.1`,
			`Host: ${host}`,
			`Authorization: Bearer ${token}`,
			...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
			"",
			"",
		].join("\r\n");
		this.bytes = Buffer.from(this.#place(head, 0, refWidth) + (body ?? ""), "latin1");
		if (template.body !== undefined) this.#place(template.body, this.bytes.length - (body ?? "").length, refWidth);
	}

	/** Writes new SKU numbers below `skuCount` and a new reference into the bytes. */
	renew(skuCount: number, references: References): void {
		for (const offset of this.#skuOffsets) this.#writeNumber(Math.floor(Math.random() * skuCount), offset);
		for (const offset of this.#refOffsets) this.bytes.write(references.next(), offset, "latin1");
	}

	#writeNumber(value: number, offset: number): void {
		let rest = value;
		for (let at = offset + SKU_DIGITS - 1; at >= offset; at--) {
			this.bytes[at] = ZERO + (rest % 10);
			rest = Math.floor(rest / 10);
		}
	}

	/** Remembers where the markers of `text` are once it stands at `start`, and gives it back with zeros in their place. */
	#place(text: string, start: number, refWidth: number): string {
		let shift = 0;
		for (const { 0: marker, index } of text.matchAll(MARKER)) {
			const width = marker === "{sku}" ? SKU_DIGITS : refWidth;
			(marker === "{sku}" ? this.#skuOffsets : this.#refOffsets).push(start + index + shift);
			shift += width - marker.length;
		}
		return withoutMarkers(text, refWidth);
	}
}

function withoutMarkers(text: string, refWidth: number): string {
	return text.replace(MARKER, (marker) => "0".repeat(marker === "{sku}" ? SKU_DIGITS : refWidth));
}
