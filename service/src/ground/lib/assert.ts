/** For bugs, not refusals: the batch is rolled back and the caller answers 500. */
export function assert(condition: unknown, message: string): asserts condition {
	if (!condition) throw new Error(`bug: ${message}`);
}

export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The message of anything that was thrown. */
export const messageOf = (thrown: unknown): string => asError(thrown).message;

/** Returns the value; throws if it is missing, which would be a bug. */
export function must<T>(value: T | undefined | null, what: string): T {
	assert(value !== undefined && value !== null, `${what} is missing`);
	return value;
}
