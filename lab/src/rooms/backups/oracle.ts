/**
 * A backup contains everything that was acknowledged before it began, nothing that was requested after it ended, and
 * no effect in part.
 */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { outcomeOfErrand } from "../../history.ts";
import { judgeUnits } from "../holds/judge-tables.ts";
import type { Life } from "../holds/lives.ts";
import type { HoldFact } from "../holds/look-up-sql.ts";
import { livesIn } from "../holds/oracle.ts";
import { careersIn } from "../orders/oracle.ts";
import { shipmentsOf } from "../orders/settle.ts";
import type { Oracle } from "../room.ts";
import type { StockErrand } from "../stock/chores.ts";
import type { RestoredNote } from "./neighbours.ts";

export const BACKUP_ORACLE: Oracle = {
	lookUp: async () => null,
	settle: () => undefined,
	judge: (on) => restoredIn(on).flatMap((note) => judgeRestored(on, note)),
	probes: () => [],
	exercised: (on) => [
		{
			what: "backups restored",
			count: restoredIn(on).filter(({ code }) => code === 0).length,
			perMinute: 0,
			always: 1,
		},
	],
};

const restoredIn = (on: Case): RestoredNote[] => on.records("backups").map(({ note }) => note as RestoredNote);

function judgeRestored(on: Case, note: RestoredNote): Finding[] {
	const failed =
		note.code === 0
			? []
			: [finding("lost", `the restore of a backup ended with ${note.code}: ${note.trouble}`, note.end)];
	return [
		...failed,
		...judgeHolds(on, note),
		...judgeOrders(on, note),
		...judgeBoxes(on, note),
		...judgeSupply(on, note),
	];
}

const missing = (what: string, at: number): Finding =>
	finding(
		"lost",
		`${what} was acknowledged before a backup was begun, but is missing in what was restored from it`,
		at,
	);

/** The possible states of a hold after a partner was notified of this end. */
const REACHED = {
	consumed: ["consumed", "reversed"],
	released: ["released"],
	placed: ["placed"],
	expired: [],
} as const;

function judgeHolds(on: Case, { start, end, holds }: RestoredNote): Finding[] {
	const restored = new Map(holds.map((hold) => [hold.token, hold]));
	return [...livesIn(on).values()].flatMap((life) => {
		const fact = restored.get(life.token);
		const said = `hold ${life.token} of ${life.actor}`;
		if (fact === undefined) return life.told && life.created.latest < start ? [missing(said, life.created.latest)] : [];
		if (life.created.earliest > end)
			return [finding("doubled", `${said} is in a backup that was complete before it was requested`, end)];
		return [...judgeEnd(life, fact, said, start), ...judgeUnits(on, { ...life, fact }, fact, `restored ${said}`)];
	});
}

function judgeEnd({ end, back }: Life, { status }: HoldFact, said: string, start: number): Finding[] {
	const reached: readonly string[] = REACHED[end.how];
	if (back !== null && back.latest < start)
		return status === "reversed" ? [] : [missing(`${said}: reversed`, back.latest)];
	if (!end.told || end.latest >= start || reached.includes(status)) return [];
	return [missing(`${said}: ${end.how}`, end.latest)];
}

function judgeOrders(on: Case, { start, orders }: RestoredNote): Finding[] {
	const restored = new Map(orders.orders.map((order) => [order.orderId, order]));
	return [...careersIn(on).byId.values()].flatMap(({ orderId, told, placed, cancelled }) => {
		const fact = restored.get(orderId);
		if (fact === undefined) return told && placed.latest < start ? [missing(`order ${orderId}`, placed.latest)] : [];
		const over = cancelled?.told === true && cancelled.latest < start && fact.status !== "cancelled";
		return over ? [missing(`order ${orderId}: cancelled`, cancelled.latest)] : [];
	});
}

function judgeBoxes(on: Case, { start, orders }: RestoredNote): Finding[] {
	const restored = new Map(orders.boxes.map((box) => [box.shipmentId, box.status]));
	return careersIn(on)
		.commands.filter(({ errand }) => errand.end < start)
		.flatMap((command) =>
			shipmentsOf(command).flatMap((box) => {
				const status = restored.get(box);
				return status === "shipped" || status === "voided" ? [] : [missing(`box ${box}: shipped`, command.errand.end)];
			}),
		);
}

function judgeSupply(on: Case, { start, batches }: RestoredNote): Finding[] {
	const restored = new Set(batches.map(({ batch }) => batch));
	return on.errands
		.filter((errand) => errand.end < start && outcomeOfErrand(errand) === "done")
		.flatMap(({ args, about, end }) => {
			const { mark } = about as Partial<StockErrand>;
			const came = args[0] === "import" || (args[0] === "stock" && args[1] === "receive");
			return !came || mark === undefined || restored.has(mark) ? [] : [missing(`the units received as ${mark}`, end)];
		});
}
