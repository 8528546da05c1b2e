import { toRfc3339 } from "../../ground/lib/clock.ts";
import { readSince } from "../../ground/lib/page.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import type { Operator } from "../../partners/admin/operator.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { GetSeries } from "./admin-contract.ts";
import type { Step } from "./limits.ts";
import { type SeriesRow, selectSeries } from "./sql.ts";

export interface SeriesAdminDeps {
	readonly readDb: Query;
}

/** Milliseconds that a reply covers by default, by its step. */
const USUAL_MS: { readonly [step in Step]: number } = { minute: 3_600_000, hour: 86_400_000 };

/** The operator's operation on figures over time. */
export function admin(gate: Gate<Operator>, { readDb }: SeriesAdminDeps): void {
	mount(gate, GetSeries, async ({ query }) => {
		const { name, step = "hour" } = query;
		const [since, until] = [readSince("from", query.from), readSince("to", query.to)];
		if (isRefusal(since)) return since;
		if (isRefusal(until)) return until;
		const end = until ?? Math.ceil(await selectNow(readDb));
		const [from, to] = [toRfc3339(since ?? end - USUAL_MS[step]), toRfc3339(end)];
		const { rows } = await selectSeries(readDb, name, step, from, to);
		return { status: 200, data: { name, step, from, to, lines: linesOf(rows) } };
	});
}

function linesOf(rows: readonly SeriesRow[]) {
	const lines = Map.groupBy(rows, ({ label }) => label);
	return [...lines]
		.toSorted(([one], [other]) => (one < other ? -1 : 1))
		.map(([label, points]) => ({
			label,
			points: points.map(({ at, value }) => ({ at: at.toISOString(), value })),
		}));
}
