import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import type { CorrectCommand } from "../../inventory/stock/correct.ts";
import type { ReceiveCommand, Received } from "../../inventory/stock/receive.ts";
import { type LotEntry, type Placed, pointAt } from "./entries.ts";
import { keyOf } from "./plan.ts";
import { ImportRefused } from "./refused.ts";
import { type Advance, chunks, type Ids, poolOf } from "./write-catalog.ts";

/**
 * Carries out commands inside a transaction of the caller's, and answers all of them before anything is committed. A
 * refused command changed nothing, the commands around it did: the caller rolls back if that is not wanted. Handed in
 * by whoever assembles the engine, because the engine stands above the rooms that use this.
 *
 * `numbered` takes the writes that take numbers of lists: a caller that goes on afterwards sends them at the end of its
 * transaction. Without it they are sent at once.
 */
export type ExecuteIn = (
	tx: Query,
	commands: readonly (ReceiveCommand | CorrectCommand)[],
	numbered?: NumberedWrite[],
) => Promise<readonly object[]>;

/** Receipts given to the engine at a time. */
const RECEIPTS_AT_ONCE = 2_000;

/** What lots are received with. */
interface Receiving {
	readonly executeIn: ExecuteIn;
	readonly actor: string;
	/** Takes the writes that are to be sent at the end of the transaction. */
	readonly numbered: NumberedWrite[];
}

/**
 * Receives what the lots lack of the units that their entries say, through the engine, in the order given. How much
 * that is, is decided under each lot's lock: what came since it was compared counts. Returns by natural key what came
 * of each lot.
 */
export async function receiveLots(
	tx: Query,
	{ executeIn, actor, numbered }: Receiving,
	lots: readonly Placed<LotEntry>[],
	ids: Ids,
	advance: Advance,
): Promise<Map<string, Received>> {
	const received = new Map<string, Received>();
	for (const some of chunks(lots, RECEIPTS_AT_ONCE)) {
		const answers = await executeIn(
			tx,
			some.map(({ entry }) => receiveCommand(entry, ids, actor)),
			numbered,
		);
		for (const [i, { at, entry }] of some.entries()) {
			const answer = must(answers[i], "an answer");
			if (isRefusal(answer)) throw new ImportRefused([{ at: pointAt(at), message: answer.message }]);
			received.set(keyOf("lots", entry), answer as Received);
		}
		advance(some.length);
	}
	return received;
}

function receiveCommand(lot: LotEntry, ids: Ids, actor: string): ReceiveCommand {
	return {
		kind: "receive",
		origin: { actor, requestId: null },
		newFgId: newId(),
		formulaId: must(ids.formulas.get(lot.formula), lot.formula),
		poolId: poolOf(lot.brandCode, ids),
		batchNumber: lot.batchNumber,
		expiresOn: lot.expiresOn,
		receivedOn: lot.receivedOn,
		units: { inAll: lot.units },
	};
}
