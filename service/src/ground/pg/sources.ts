import type { Query } from "./connect.ts";
import { prepared, type Statement } from "./query.ts";

/** One way in which a batch names rows, as SQL that gives their ids. N: the needs that it reads. */
export interface Source<N> {
	/** Its parameters are numbered from `first`. */
	text(first: number): string;
	/** The parameters; there are always as many. */
	values(needs: N): readonly unknown[];
	/** Does the batch name any row in this way? */
	isAsked(needs: N): boolean;
}

/** Answers no rows, and asks nothing, when no source is asked. `own`: the statement's own parameters. */
export type OverSources<N, Row> = (tx: Query, needs: N, own?: readonly unknown[]) => Promise<Row[]>;

/**
 * A statement over rows that several sources name. It holds those that the batch asks and no others, for each part of a
 * plan is started and ended even when it finds nothing: one prepared statement for each set of sources. `text` gets the
 * SQL of the ids, and the number of a source's first parameter, or null when it is not asked; the statement's own
 * parameters, `owns` of them, come first.
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
