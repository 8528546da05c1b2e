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
 * Runs commands inside the caller's transaction and returns all their answers before anything is committed. A refused
 * command changed nothing, but the others did: the caller rolls back if it does not want that. Injected by the
 * assembly, because the engine is assembled above the rooms that use this.
 *
 * `numbered` collects the writes that use numbers of lists: a caller with more to do sends them at the end of its
 * transaction. Without `numbered`, they are sent immediately.
 */
export type ExecuteIn = (
	tx: Query,
	commands: readonly (ReceiveCommand | CorrectCommand)[],
	numbered?: NumberedWrite[],
) => Promise<readonly object[]>;

/** Receipts passed to the engine at a time. */
const RECEIPTS_AT_ONCE = 2_000;

/** The dependencies of receiving lots. */
interface Receiving {
	readonly executeIn: ExecuteIn;
	readonly actor: string;
	readonly requestId?: string;
	/** Collects the writes to be sent at the end of the transaction. */
	readonly numbered: NumberedWrite[];
}

/**
 * Receives, through the engine and in the order given, the units that each lot lacks. The difference is computed under
 * the lot's lock, so units received since the comparison count. Returns the result for each lot by natural key.
 */
export async function receiveLots(
	tx: Query,
	{ executeIn, actor, requestId, numbered }: Receiving,
	lots: readonly Placed<LotEntry>[],
	ids: Ids,
	advance: Advance,
): Promise<Map<string, Received>> {
	const received = new Map<string, Received>();
	for (const some of chunks(lots, RECEIPTS_AT_ONCE)) {
		const answers = await executeIn(
			tx,
			some.map(({ entry }) => receiveCommand(entry, ids, { actor, requestId: requestId ?? null })),
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

function receiveCommand(lot: LotEntry, ids: Ids, origin: ReceiveCommand["origin"]): ReceiveCommand {
	return {
		kind: "receive",
		origin,
		newFgId: newId(),
		formulaId: must(ids.formulas.get(lot.formula), lot.formula),
		poolId: poolOf(lot.brandCode, ids),
		batchNumber: lot.batchNumber,
		expiresOn: lot.expiresOn,
		receivedOn: lot.receivedOn,
		units: { inAll: lot.units },
	};
}
