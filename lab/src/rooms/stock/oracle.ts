import { countDone } from "../../check/exercise.ts";
import { finding } from "../../check/findings.ts";
import type { Oracle, Probe } from "../room.ts";
import { judgeDemand, settleDemand } from "./demand.ts";
import { lookUpStock, type StockFacts } from "./look-up-sql.ts";
import { judgeReads } from "./reads.ts";
import { judgeSupply, settleSupply } from "./supply.ts";

export const STOCK_ORACLE: Oracle = {
	lookUp: lookUpStock,
	settle(on) {
		settleSupply(on);
		settleDemand(on, on.facts<StockFacts>("stock")?.demand ?? null);
	},
	judge(on) {
		const facts = on.facts<StockFacts>("stock");
		return [...judgeSupply(on), ...(facts ? judgeDemand(on, facts.demand) : []), ...judgeReads(on)];
	},
	exercised: (on) => [
		{ what: "quarantines of stock", count: countDone(on, ["stock", "quarantine"]), perMinute: 0.5 },
		{ what: "restores of stock", count: countDone(on, ["stock", "restore"]), perMinute: 0.5 },
		{ what: "changes of demand", count: countDone(on, ["demand"]), perMinute: 1.2 },
	],
	/**
	 * Every key of the world counts every SKU again: nothing changes any more, so each count has one right answer,
	 * apart from expiry.
	 */
	probes: (on) =>
		on.opening.world.keys.flatMap(({ name }) =>
			on.opening.world.skus.map(
				({ sku }): Probe => ({
					actor: name,
					method: "POST",
					path: "/api/v1/check",
					body: { items: [{ sku, qty: 1 }] },
					urgent: true,
					judge: (status, reply) => {
						if (status !== 200) return finding("unexpected", `check of ${sku} by ${name} answers ${status} at the end`);
						const item = (reply as { data: { items: { atp_qty: number }[] } }).data.items[0];
						// holds left to expire may still end between the end of the run and the probe
						const counts = on.shelves.counts(on.actor(name), null, sku, on.lookedAt, on.lookedAt + PROBED_WITHIN_MS);
						if (counts === null || counts.blurred || !item) return null;
						if (item.atp_qty >= counts.atp.low && item.atp_qty <= counts.atp.high) return null;
						return finding(
							"wrong read",
							`check of ${sku} by ${name} says ${item.atp_qty} at the end; possible are ${counts.atp.low} to ${counts.atp.high}`,
						);
					},
				}),
			),
		),
};
/** Milliseconds after the final reading of the tables within which all probes are answered. */
const PROBED_WITHIN_MS = 60_000;
