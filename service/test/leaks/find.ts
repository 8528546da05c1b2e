/** One form in which a secret may be stored. */
export interface Trace {
	/** The secret's purpose and its stored form, in words without any part of the secret itself. */
	readonly what: string;
	readonly bytes: Buffer;
}

/** Bytes between two positions that are examined, and bytes that are examined at each. */
const STRIDE = 16;
const WINDOW = 4;
/** Bytes of the shortest trace that is found at every offset: one of the examined positions is within it. */
export const SHORTEST_TRACE = STRIDE + WINDOW - 1;
/** Bits of the number by which a window is first looked up. */
const HASH_BITS = 20;

/** The form of all secrets of partners, including those that no test registered. */
const SHAPES = [
	{ start: "sk_hf_live_", rest: /^[0-9A-Za-z]{49}/, what: "a key's secret that no test named" },
	{ start: "sk_hf_sandbox_", rest: /^[0-9A-Za-z]{49}/, what: "a key's secret that no test named" },
	{ start: "whsec_", rest: /^[0-9A-Za-z+/]{43}=/, what: "a webhook's secret that no test named" },
] as const;
const LONGEST_SHAPE = 64;

/** Searches for many secrets at once; the time hardly depends on their number. */
export interface Finder {
	/** The traces in these bytes, each once. */
	find(bytes: Buffer): ReadonlySet<string>;
	/** Bytes of the longest trace. If bytes are searched in pieces, the pieces must overlap by one byte less. */
	readonly longest: number;
}

interface Place {
	readonly trace: Trace;
	/** Offset of the window in the trace. */
	readonly offset: number;
}

/** @throws if a trace is too short to be found at every offset */
export function createFinder(traces: readonly Trace[]): Finder {
	const places = new Map<number, Place[]>();
	const maybe = new Uint8Array(1 << HASH_BITS);
	let longest = LONGEST_SHAPE;
	for (const trace of traces) {
		if (trace.bytes.length < SHORTEST_TRACE) throw new Error(`${trace.what} is shorter than ${SHORTEST_TRACE} bytes`);
		longest = Math.max(longest, trace.bytes.length);
		for (let offset = 0; offset < STRIDE; offset++) {
			const window = trace.bytes.readUInt32LE(offset);
			const there = places.get(window) ?? [];
			there.push({ trace, offset });
			places.set(window, there);
			maybe[hashOf(window)] = 1;
		}
	}
	return {
		longest,
		find(bytes) {
			const found = new Set<string>();
			for (let at = 0; at + WINDOW <= bytes.length; at += STRIDE) {
				const window = bytes.readUInt32LE(at);
				if (maybe[hashOf(window)] === 0) continue;
				for (const { trace, offset } of places.get(window) ?? []) {
					const start = at - offset;
					if (start < 0 || start + trace.bytes.length > bytes.length) continue;
					if (bytes.compare(trace.bytes, 0, trace.bytes.length, start, start + trace.bytes.length) === 0)
						found.add(trace.what);
				}
			}
			for (const { start, rest, what } of SHAPES) {
				for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
					const after = bytes.toString("latin1", at + start.length, at + LONGEST_SHAPE);
					if (rest.test(after)) found.add(what);
				}
			}
			return found;
		},
	};
}

const hashOf = (window: number): number => Math.imul(window, 0x9e3779b1) >>> (32 - HASH_BITS);
