import type { Bug } from "./bug.ts";
import { EXERCISE_BUGS } from "./exercise-bugs.ts";
import { WEBHOOK_BUGS } from "./webhook-bugs.ts";

/** Faults that cut the connection during a COMMIT, or stop the server. */
const AT_COMMIT = ["backend-kill", "backend-terminate", "database-cuts"];
/** Faults that make a batch roll back and run again. */
const ROLLING_BACK = ["backend-terminate", "backend-cancel", "database-cuts"];

const BATCH = "src/ground/engine/batch.ts";
const LOTS = "src/inventory/stock/needed-lots-sql.ts";
const ASK_EVIDENCE = "outcomeOf(means.db, signature.evidence, attempt.patientUntil)";

const BELIEVE_THE_ID = `
const ids = new WeakMap<Signature, string>();

async function statusOfId(db: Database, signature: Signature, until: number): Promise<Outcome> {
	while (monotonicMs() < until) {
		try {
			const { rows } = await db.query<{ status: string | null }>("select pg_xact_status($1::xid8) as status", [ids.get(signature)]);
			if (rows[0]?.status === "committed") return "committed";
			if (rows[0]?.status === "aborted") return "rolled back";
		} catch {
			// the server is away, or does not know the id yet
		}
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	return "unknown";
}

/** The key behind a command is judged`;

const TELL_EARLY = `
async function tellEarly(
	db: Database,
	book: { now: number; events: { eventId: string; partnerId: string; environment: string; type: string; orderId: string; body: string }[] },
): Promise<void> {
	for (const { eventId, partnerId, environment, type, orderId, body } of book.events.splice(0)) {
		await db.query(
			"with taken as materialized (select take_numbers('event_epoch', 1) as seq) insert into event select $1, seq, $2::uuid, $3, $4, $5::uuid, $6::timestamptz, $7 from taken on conflict do nothing",
			[eventId, partnerId, environment, type, orderId, new Date(book.now).toISOString(), body],
		);
	}
}

/** The key behind a command is judged`;

/** Every bug that can be planted. */
export const BUGS: readonly Bug[] = [
	{
		name: "believe-the-transaction-id",
		says: "The outcome of a lost COMMIT is queried by the transaction's id, which the server may assign again after a crash.",
		edits: [
			{ file: BATCH, find: ASK_EVIDENCE, replace: "statusOfId(means.db, signature, attempt.patientUntil)" },
			{
				file: BATCH,
				find: "\n	return book;",
				replace: `	const { rows } = await client.query<{ xid: string }>("select pg_current_xact_id()::text as xid");
	ids.set(signature, rows[0]?.xid ?? "");
	return book;`,
			},
			{ file: BATCH, find: "\n/** The key behind a command is judged", replace: BELIEVE_THE_ID },
		],
		faults: ["backend-kill", "postgres-kill"],
		minutes: 2,
	},
	{
		name: "swallow-a-commit-error",
		says: "A COMMIT whose answer is lost counts as done.",
		edits: [{ file: BATCH, find: "const outcome = await ask();", replace: 'const outcome = "committed" as Outcome;' }],
		faults: AT_COMMIT,
		minutes: 1.5,
	},
	{
		name: "answer-before-commit",
		says: "Callers are answered when the COMMIT is sent, not when it is confirmed.",
		edits: [
			{
				file: BATCH,
				find: "usable = await confirm(",
				replace: "usable = true;\n\t\tvoid confirm(",
			},
			{
				file: BATCH,
				find: "			outcomeOf(means.db, signature.evidence, attempt.patientUntil),\n		);",
				replace: "			outcomeOf(means.db, signature.evidence, attempt.patientUntil),\n		).catch(() => undefined);",
			},
		],
		faults: AT_COMMIT,
		minutes: 1.5,
	},
	{
		name: "skip-the-lock-of-lots",
		says: "Lots are read without being locked, so two nodes grant the same units.",
		edits: [{ file: LOTS, find: "order by l.fg_id for update`", replace: "order by l.fg_id`" }],
		faults: [],
		minutes: 0.5,
	},
	{
		name: "read-before-lock",
		says: "Lots are locked, but their quantities are read before the lock is granted.",
		edits: [
			{
				file: LOTS,
				find: "from lot l where l.fg_id = any(array(${ids})) order by l.fg_id for update`",
				replace:
					"from lot l join lot locked on locked.fg_id = l.fg_id where locked.fg_id = any(array(${ids})) order by l.fg_id for update of locked`",
			},
		],
		faults: [],
		minutes: 0.5,
	},
	{
		name: "cap-forgets-the-batch",
		says: "The check of a key's cap ignores units that the same batch has just granted to the key.",
		edits: [
			{
				file: "src/inventory/holds/reserve.ts",
				find: "	book.holds.noteHeld(caller.keyId, units);",
				replace: "	void units;",
			},
		],
		faults: [],
		minutes: 2, // about four findings a minute, fewer on a busy machine
	},
	{
		name: "expire-without-the-clock",
		says: "A hold past its end can still be used: no use of a hold checks the clock.",
		edits: [
			{
				file: "src/inventory/holds/end-hold.ts",
				find: 'statusAt(hold, book.now) !== "expired"',
				replace: 'statusAt(hold, 0) !== "expired"',
			},
		],
		faults: [],
		minutes: 2,
	},
	{
		name: "count-waits-for-the-sweep",
		says: "Counts show the units of a hold past its end as held until the sweep has ended the hold.",
		edits: [
			{
				file: "src/inventory/stock/sql.ts",
				find: "where h.ended_at is null and h.expires_at <= ${now} and",
				replace: "where false and",
			},
		],
		faults: [],
		minutes: 1.6,
	},
	{
		name: "double-release",
		says: "A release that is sent again frees the units again.",
		edits: [
			{
				file: "src/inventory/holds/sql.ts",
				find: "and status in ('active', 'consumed', 'placed')",
				replace: "and status in ('active', 'consumed', 'placed', 'released')",
			},
			{
				file: "src/inventory/holds/release.ts",
				find: 'case "released":\n			return { ok: true, idempotent: true };',
				replace:
					'case "released":\n			freeHold(book, hold, "released", { cause: "release", causeId: token, origin });\n			return { ok: true, idempotent: true };',
			},
			{
				file: "src/inventory/holds/end-hold.ts",
				find: "if (part.state !== from) continue;",
				replace: 'if (part.state !== from && !(from === "held" && part.state === "freed")) continue;',
			},
		],
		faults: [],
		minutes: 0.5,
	},
	{
		name: "forget-a-rollback",
		says: "Values that a rolled-back batch left in memory are used when the batch is run again.",
		edits: [
			{
				file: "src/inventory/holds/reserve.ts",
				find: "const MS_PER_MINUTE = 60_000;",
				replace: "const MS_PER_MINUTE = 60_000;\nconst granted = new WeakMap<ReserveCommand, Reserved>();",
			},
			{
				file: "src/inventory/holds/reserve.ts",
				find: "	const resolved = book.stock.resolved.get(command)",
				replace:
					"	const before = granted.get(command);\n	if (before) return before;\n	const resolved = book.stock.resolved.get(command)",
			},
			{
				file: "src/inventory/holds/reserve.ts",
				find: "	return { hold: pictureOf(makeHold(book, command, lines, expiresAt, picks)), idempotent: false, warnings: [] };",
				replace: `	const answer = { hold: pictureOf(makeHold(book, command, lines, expiresAt, picks)), idempotent: false, warnings: [] };
	granted.set(command, answer);
	return answer;`,
			},
		],
		faults: ROLLING_BACK,
		minutes: 1,
	},
	{
		name: "event-before-commit",
		says: "An event about an order is written over a connection of its own, before the transaction that changes the order.",
		edits: [
			{
				file: BATCH,
				find: "const answers = pending.map((one) => refuseIfOut(one) ?? steps.decide(book, one.command));",
				replace: `const answers = pending.map((one) => refuseIfOut(one) ?? steps.decide(book, one.command));
		await tellEarly(means.db, book as never);`,
			},
			{ file: BATCH, find: "\n/** The key behind a command is judged", replace: TELL_EARLY },
		],
		faults: [],
		minutes: 1,
	},
	{
		name: "cancel-forgets-a-part",
		says: "The cancel of an order from several lots gives back all parts but the last.",
		edits: [
			{
				file: "src/inventory/orders/cancel.ts",
				find: 'moveParts(book, hold, "allocated"',
				replace:
					'moveParts(book, { ...hold, parts: hold.parts.slice(0, Math.max(1, hold.parts.length - 1)) }, "allocated"',
			},
		],
		faults: [],
		minutes: 0.5,
	},
	{
		name: "boxes-numbered-before-their-commit",
		says: "Changes of boxes are numbered in the order in which transactions begin, so that a reader of the list misses some.",
		edits: [
			{
				file: "src/inventory/orders/sql.ts",
				find: "select last - cardinality(${ids}) as before, at from take_numbers_at('shipment_epoch', cardinality(${ids})))",
				replace: "select pg_current_xact_id()::text::bigint * 1000 as before, clock_timestamp() as at)",
			},
		],
		faults: [],
		minutes: 1,
	},
	{
		name: "key-cache-never-ages",
		says: "A key in memory is never updated.",
		edits: [
			{
				file: "src/partners/keys/key-cache.ts",
				find: "keys.set(row.pk, toCachedKey(row, maxHeldUnits));",
				replace: "if (!keys.has(row.pk)) keys.set(row.pk, toCachedKey(row, maxHeldUnits));",
			},
		],
		faults: [],
		minutes: 1.5,
	},
	{
		name: "holds-of-strangers",
		says: "Any key that has a hold's token may use the hold.",
		edits: [
			{
				file: "src/inventory/holds/own-hold.ts",
				find: "return keyId === null || hold?.keyId === keyId ? hold : undefined;",
				replace: 'return keyId === "" ? undefined : hold;',
			},
			{
				file: "src/inventory/holds/sql.ts",
				find: "(n.key_id is null or key_id = n.key_id)",
				replace: "n.key_id is not distinct from n.key_id",
			},
		],
		faults: [],
		minutes: 0.5,
	},
	{
		name: "shared-stock-for-everybody",
		says: "Keys without access to the shared stock can draw on it.",
		edits: [
			{
				file: "src/inventory/catalog/brand.ts",
				find: "caller.sharedPool ? [poolId, SHARED_POOL_ID] : [poolId];",
				replace: "caller.sharedPool ? [poolId, SHARED_POOL_ID] : [poolId, SHARED_POOL_ID];",
			},
		],
		faults: [],
		minutes: 0.5,
	},
	{
		name: "recall-forgets-certificates",
		says: "A recall leaves the certificates of its lots current.",
		edits: [
			{
				file: "src/inventory/certificates/rows.ts",
				find: "newlyRecalled.size > 0 ? retireOfLots(tx, idsOf(newlyRecalled), shown) : null",
				replace: "newlyRecalled.size < 0 ? retireOfLots(tx, idsOf(newlyRecalled), shown) : null",
			},
		],
		faults: [],
		minutes: 2,
	},
	...WEBHOOK_BUGS,
	...EXERCISE_BUGS,
];
