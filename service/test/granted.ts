import { isRefusal } from "../src/ground/lib/refusal.ts";

/** The answer of a verb that must not refuse. */
export function granted<T>(answer: T): Exclude<T, { refusal: unknown }> {
	if (isRefusal(answer)) throw new Error(`${answer.refusal}: ${answer.message}`);
	return answer as Exclude<T, { refusal: unknown }>;
}
