/** A span's place in a trace, as W3C Trace Context passes it on. */
export interface SpanPlace {
	/** 32 hexadecimal digits, not all of them 0. */
	readonly traceId: string;
	/** 16 hexadecimal digits, not all of them 0. */
	readonly spanId: string;
}

/** What a caller said about its own span. */
export interface TraceParent extends SpanPlace {
	/** Whether the caller records the span. */
	readonly sampled: boolean;
}

/** Version, trace, span and flags; a later version than 00 may have more parts. */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Maximum length of a header, in characters: those of later versions may be longer than ours, within limits. */
const MAX_LENGTH = 512;
const SAMPLED = 1;

/** Reads a `traceparent` header; null if there is none, or if it is not valid. */
export function readTraceParent(header: string | readonly string[] | undefined): TraceParent | null {
	if (typeof header !== "string" || header.length > MAX_LENGTH) return null;
	const [, version, traceId = "", spanId = "", flags = "", more] = FORM.exec(header) ?? [];
	if (version === undefined || (version === "00" && more !== undefined)) return null;
	return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The header for whoever is called from this span, which is recorded. */
export const writeTraceParent = ({ traceId, spanId }: SpanPlace): string => `00-${traceId}-${spanId}-01`;

/** Hexadecimal digits of a trace id that decide whether it is recorded, and how many values they have. */
const DRAWN_DIGITS = 8;
const DRAWN_VALUES = 16 ** DRAWN_DIGITS;

/** Whether this trace is among the given percentage. Every service that decides by the same digits decides alike. */
export const isDrawn = (traceId: string, percent: number): boolean =>
	Number.parseInt(traceId.slice(-DRAWN_DIGITS), 16) < (DRAWN_VALUES * percent) / 100;
