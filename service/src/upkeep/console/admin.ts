import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { StockRules } from "../../inventory/stock/read-stock-around.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { EVENTS_TYPE, GetLive } from "./live-contract.ts";
import type { Live } from "./live-streams.ts";
import { GetOverview } from "./overview-contract.ts";
import { overviewReply } from "./overview-reply.ts";
import { readOverview } from "./read-overview.ts";

export interface ConsoleDeps {
	readonly readDb: Database;
	readonly stockRules: StockRules;
	readonly live: Live;
}

/** The first page of the operator's console, and the stream of changes that keeps it up to date. */
export function admin(gate: Gate<Operator>, { readDb, stockRules, live }: ConsoleDeps): void {
	mount(gate, GetOverview, async () => ({
		status: 200,
		data: overviewReply(await readOverview(readDb, stockRules)),
	}));
	mount(gate, GetLive, ({ caller, standing, headers }) => {
		const content = live.listen({
			operator: actorOf(caller),
			confirm: () => standing.confirm(),
			lastEventId: headers["Last-Event-ID"] ?? null,
		});
		if (isRefusal(content)) return content;
		return { status: 200, type: EVENTS_TYPE, content, headers: { "X-Accel-Buffering": "no" } };
	});
}
