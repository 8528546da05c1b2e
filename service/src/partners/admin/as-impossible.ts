import type { ErrorCode } from "../../glossary.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";

/** The members of a union of answers, with `not_possible_now` in place of the code `C`. */
type Translated<A, C extends ErrorCode> =
	A extends Refusal<infer Code> ? Refusal<Exclude<Code, C> | "not_possible_now"> : A;

/**
 * Translates the answer of a use case to this surface, where one code covers every write that a state forbids (operator
 * contract, section 8). `code`: the one with which the use case refuses such a write.
 */
export function asImpossible<A, C extends ErrorCode>(answer: A, code: C): Translated<A, C> {
	const isImpossible = isRefusal(answer) && answer.refusal === code;
	return (isImpossible ? refuse("not_possible_now", answer.message) : answer) as Translated<A, C>;
}
