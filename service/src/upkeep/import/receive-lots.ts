import type { ExecutesIn } from "../../ground/engine/kind.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import type { STOCK_COMMANDS } from "../../inventory/stock/commands.ts";
import type { ReceiveCommand, Received } from "../../inventory/stock/receive.ts";
import { type LotEntry, type Placed, pointAt } from "./entries.ts";
import { keyOf } from "./plan.ts";
import { ImportRefused } from "./refused.ts";
import { type Advance, chunks, type Ids, poolOf } from "./write-catalog.ts";

/** Receipts passed to the engine at a time. */
const RECEIPTS_AT_ONCE = 2_000;

interface Receiving {
	readonly executeIn: ExecutesIn<typeof STOCK_COMMANDS>;
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
			undefined,
			numbered,
		);
		for (const [i, { at, entry }] of some.entries()) {
			const answer = must(answers[i], "an answer");
			if (isRefusal(answer)) throw new ImportRefused([{ at: pointAt(at), message: answer.message }]);
			received.set(keyOf("lots", entry), answer);
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
