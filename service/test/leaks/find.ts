/** One way in which a secret may lie somewhere. */
export interface Trace {
	/** What the secret is, and how it lies there, in words: nothing of the secret itself. */
	readonly what: string;
	readonly bytes: Buffer;
}

/** Bytes between two places that are looked at, and bytes that are looked at there. */
const STRIDE = 16;
const WINDOW = 4;
/** Bytes of the shortest trace that is found wherever it lies: one of the places that are looked at is within it. */
export const SHORTEST_TRACE = STRIDE + WINDOW - 1;
/** Bits of the number by which a window is looked up first. */
const HASH_BITS = 20;

/** What all secrets of partners look like, also those that no test named. */
const SHAPES = [
	{ start: "sk_hf_live_", rest: /^[0-9A-Za-z]{49}/, what: "a key's secret that no test named" },
	{ start: "sk_hf_sandbox_", rest: /^[0-9A-Za-z]{49}/, what: "a key's secret that no test named" },
	{ start: "whsec_", rest: /^[0-9A-Za-z+/]{43}=/, what: "a webhook's secret that no test named" },
] as const;
const LONGEST_SHAPE = 64;

/** Looks for many secrets at once; its time hardly depends on how many they are. */
export interface Finder {
	/** What lies in these bytes, each once. */
	find(bytes: Buffer): ReadonlySet<string>;
	/** Bytes of the longest thing that is looked for: whoever looks at pieces must let them overlap by one less. */
	readonly longest: number;
}

interface Place {
	readonly trace: Trace;
	/** Where in the trace the window lies. */
	readonly offset: number;
}

/** @throws when a trace is too short to be found everywhere */
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
