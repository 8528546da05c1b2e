import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { GoLiveRun } from "./run.ts";
import { selectRun } from "./sql.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/**
 * The number that a text spells; null: it is not a number. Up to nine digits: runs have 32-bit numbers in the database.
 */
export const numberIn = (text: string): number | null => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : null);

/** The run with this id or number. `lock`: until the transaction ends. */
export async function findRun(db: Query, named: string, lock = false): Promise<GoLiveRun | Refusal<"not_found">> {
	const id = UUID.test(named) ? named.toLowerCase() : null;
	const number = numberIn(named);
	const run = id === null && number === null ? null : await selectRun(db, { id, number }, lock);
	return run ?? refuse("not_found", `There is no go-live with the id or number ${JSON.stringify(named)}.`);
}

/** The same for a change: refuses a run that has ended. It is locked until the transaction ends. */
export async function findRunning(
	tx: Query,
	named: string,
): Promise<GoLiveRun | Refusal<"not_found" | "not_possible_now">> {
	const run = await findRun(tx, named, true);
	return "refusal" in run || run.state === "running" ? run : refuse("not_possible_now", hasEnded(run));
}

const hasEnded = ({ number, state, productionKey }: GoLiveRun): string =>
	state === "finished"
		? `Go-live ${number} is finished: its report never changes, and its production key is ${productionKey}.`
		: `Go-live ${number} is stopped: start another one.`;
