import type { ErrorCode } from "../../glossary.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";

/** One thing that is wrong with a request. */
export interface Finding {
	/** A JSON pointer into the body, the query or the path, `/` for the whole; or the name of a header. */
	readonly where: string;
	/** What was expected there, as the end of a sentence. */
	readonly problem: string;
}

/** Places that one message names. */
export const MAX_NAMED = 7;

/** Codes that differ from `invalid_input`, by the JSON pointer of the part of the body that they stand for. */
export type CodesBySubtree = { readonly [pointer: string]: ErrorCode };

/** One sentence about what was found: each place once, with what was expected there. */
export function describe(findings: readonly Finding[]): string {
	const places = new Map<string, string>();
	for (const { where, problem } of findings) if (!places.has(where)) places.set(where, problem);
	const named = [...places].slice(0, MAX_NAMED).map(([where, problem]) => `${where}: ${problem}`);
	return `${named.join("; ")}${places.size > MAX_NAMED ? "; and more" : ""}.`;
}

/** The refusal of a request in which this was found. */
export const invalidInput = (findings: readonly Finding[]): Refusal<"invalid_input"> =>
	refuse("invalid_input", describe(findings));

/**
 * The refusal with a subtree's own code when the first finding is at or below that subtree; null: no subtree has it.
 */
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
