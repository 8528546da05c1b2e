import type { IncomingMessage } from "node:http";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { checkerOf } from "./checker.ts";
import { describe, type Finding, invalidInput } from "./findings.ts";
import type { Operation } from "./operation.ts";

/** The declared headers of a request, by their declared names, without missing optional ones. */
export type GivenHeaders = { readonly [name: string]: string };

/**
 * Reads the headers that an operation declares. A missing or empty header is answered with its own code; a header
 * that is given twice or does not fit its schema, with `invalid_input`. Null if the operation declares none.
 */
export function headerReader(
	declared: Operation["headers"],
): ((request: IncomingMessage) => GivenHeaders | Refusal) | null {
	if (declared === undefined) return null;
	const headers = Object.entries(declared).map(([name, { schema, missing }]) => ({
		name,
		key: name.toLowerCase(),
		missing,
		check: checkerOf(schema),
	}));
	return ({ headersDistinct }) => {
		const given: Record<string, string> = {};
		const findings: Finding[] = [];
		for (const { name, key, missing, check } of headers) {
			const [value = "", ...more] = headersDistinct[key] ?? [];
			if (more.length > 0) {
				findings.push({ where: name, problem: "given more than once; expected one value" });
			} else if (value === "") {
				if (missing !== null) return refuse(missing, describe([{ where: name, problem: "this header is required" }]));
			} else {
				for (const { problem } of check(value) ?? []) findings.push({ where: name, problem });
				given[name] = value;
			}
		}
		return findings.length === 0 ? given : invalidInput(findings);
	};
}
