import { toRfc3339 } from "../../ground/lib/clock.ts";
import { readSince } from "../../ground/lib/page.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import type { Operator } from "../../partners/admin/operator.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { GetSeries } from "./admin-contract.ts";
import { readSpan } from "./span.ts";
import { selectSeries } from "./sql.ts";
import { SERIES } from "./tally.ts";

export interface SeriesAdminDeps {
	readonly readDb: Query;
}

/** The operator's operation on figures over time. */
export function admin(gate: Gate<Operator>, { readDb }: SeriesAdminDeps): void {
	mount(gate, GetSeries, async ({ query }) => {
		const { name, step = "hour", key } = query;
		if (key !== undefined && SERIES[name] === "state") {
			return refuse(
				"invalid_input",
				`/key: ${name} are not counted by key. Leave it out, or ask for requests, refusals, holds or deliveries.`,
			);
		}
		const [since, until] = [readSince("from", query.from), readSince("to", query.to)];
		if (isRefusal(since)) return since;
		if (isRefusal(until)) return until;
		const span = readSpan(step, since, until ?? Math.ceil(await selectNow(readDb)));
		if (isRefusal(span)) return span;
		const named = key === undefined ? null : await selectKey(readDb, key);
		if (isRefusal(named)) return named;
		const [from, to] = [toRfc3339(span.from), toRfc3339(span.to)];
		const { rows } = await selectSeries(readDb, { name, step, from, to, keyId: named?.keyId ?? null });
		const points = rows.map(({ at, by, n }) => ({ at: at.toISOString(), by, n }));
		return { status: 200, data: { name, step, key: named?.pk ?? null, from, to, points } };
	});
}
