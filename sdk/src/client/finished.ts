/**
 * How a hold ended. Only the methods of a `WholeHold` make one, so a callback that does not end its hold does not
 * compile.
 */
export class Finished<out Value = unknown> {
	readonly #value: Value;
	readonly #maker: object;

	private constructor(value: Value, maker: object) {
		this.#value = value;
		this.#maker = maker;
	}

	/** @internal */
	static make<Value>(value: Value, maker: object): Finished<Value> {
		return new Finished(value, maker);
	}

	/** @internal The value, if `maker` made it. */
	static open(finished: unknown, maker: object): { readonly value: unknown } | undefined {
		const isOne = typeof finished === "object" && finished !== null && #value in finished;
		return isOne && finished.#maker === maker ? { value: finished.#value } : undefined;
	}
}
