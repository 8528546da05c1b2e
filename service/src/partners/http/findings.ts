import type { ErrorCode } from "../../glossary.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";

export interface Finding {
	/** A JSON pointer into the body, query or path, `/` for the whole; or the name of a header. */
	readonly where: string;
	/** The expectation, as the end of a sentence. */
	readonly problem: string;
}

/** Maximum number of places that one message names. */
export const MAX_NAMED = 7;

/** Codes other than `invalid_input`, by the JSON pointer of the part of the body they apply to. */
export type CodesBySubtree = { readonly [pointer: string]: ErrorCode };

/** One sentence about the findings: each place once, with its expectation. */
export function describe(findings: readonly Finding[]): string {
	const places = new Map<string, string>();
	for (const { where, problem } of findings) if (!places.has(where)) places.set(where, problem);
	const named = [...places].slice(0, MAX_NAMED).map(([where, problem]) => `${where}: ${problem}`);
	return `${named.join("; ")}${places.size > MAX_NAMED ? "; and more" : ""}.`;
}

export const invalidInput = (findings: readonly Finding[]): Refusal<"invalid_input"> =>
	refuse("invalid_input", describe(findings));

/** The refusal with a subtree's own code, if the first finding is at or below that subtree; otherwise null. */
export function refusalOfSubtree(codes: CodesBySubtree | undefined, findings: readonly Finding[]): Refusal | null {
	const first = findings[0];
	if (codes === undefined || first === undefined) return null;
	for (const pointer in codes) {
		const code = codes[pointer];
		if (code === undefined || !isAtOrBelow(first, pointer)) continue;
		return refuse(code, describe(findings.filter((one) => isAtOrBelow(one, pointer))));
	}
	return null;
}

const isAtOrBelow = ({ where }: Finding, pointer: string): boolean =>
	where === pointer || where.startsWith(`${pointer}/`);
