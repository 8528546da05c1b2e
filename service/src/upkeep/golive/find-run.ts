import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { GoLiveRun } from "./run.ts";
import { selectRun } from "./sql.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Up to nine digits: the numbers of runs are 32-bit numbers in the database. */
const NUMBER = /^[1-9]\d{0,8}$/;

/** The run with this id or number. `lock`: until the transaction ends. */
export async function findRun(db: Query, named: string, lock = false): Promise<GoLiveRun | Refusal<"not_found">> {
	const id = UUID.test(named) ? named.toLowerCase() : null;
	const number = NUMBER.test(named) ? Number(named) : null;
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
