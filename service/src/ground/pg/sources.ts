import type { Query } from "./connect.ts";
import { prepared, type Statement } from "./query.ts";

/** One way in which a batch names rows, as SQL that returns their ids. N: the needs that it reads. */
export interface Source<N> {
	/** Its parameters are numbered from `first`. */
	text(first: number): string;
	/** The parameters, always the same number. */
	values(needs: N): readonly unknown[];
	/** Whether the batch names any row in this way. */
	isAsked(needs: N): boolean;
}

/** Returns no rows, without a query, if no source is used. `own`: the statement's own parameters. */
export type OverSources<N, Row> = (tx: Query, needs: N, own?: readonly unknown[]) => Promise<Row[]>;

/**
 * A statement over rows that several sources name. It contains only the sources that the batch uses, because every part
 * of a plan costs a start and an end even if it finds nothing; there is one prepared statement for each set of sources.
 * `text` receives the SQL of the ids and a function that returns a source's first parameter, or null if it is unused.
 * The statement's own `owns` parameters come first.
 */
export function overSources<N, Row extends readonly unknown[]>(
	name: string,
	sources: readonly Source<N>[],
	text: (ids: string, firstOf: (source: Source<N>) => number | null) => string,
	owns = 0,
): OverSources<N, Row> {
	const statements = new Map<string, Statement<Row>>();
	return async (tx, needs, own = []) => {
		const asked = sources.filter((source) => source.isAsked(needs));
		if (asked.length === 0) return [];
		const values = asked.map((source) => source.values(needs));
		const which = asked.map((source) => sources.indexOf(source)).join("_");
		let statement = statements.get(which);
		if (statement === undefined) {
			let first = owns + 1;
			const firsts = new Map<Source<N>, number>();
			const texts = asked.map((source, index) => {
				const from = first;
				firsts.set(source, from);
				first += values[index]?.length ?? 0;
				return source.text(from);
			});
			const ids = texts.join("\n\t    union all");
			statement = prepared(
				`${name}_${which}`,
				text(ids, (source) => firsts.get(source) ?? null),
			);
			statements.set(which, statement);
		}
		return await statement(tx, [...own, ...values.flat()]);
	};
}
