/**
 * What partners and operators remember while they work, by topic. A room defines its topics; a later room may read
 * those of an earlier one (orders are placed from holds).
 */
export interface Topic<T> {
	readonly name: string;
	readonly make: () => T;
}

export class Knowledge {
	readonly #topics = new Map<string, unknown>();

	of<T>(topic: Topic<T>): T {
		if (!this.#topics.has(topic.name)) this.#topics.set(topic.name, topic.make());
		return this.#topics.get(topic.name) as T;
	}
}
