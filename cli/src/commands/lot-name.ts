import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import type { LotName } from "../../../service/src/inventory/stock/find-lot.ts";
import type { CallOperator } from "../client/operator-client.ts";

export type LotOptions = Omit<LotName, "lot">;

/** The hint for a lot that does not exist. */
export const LOT_HINT = { not_found: `${quotedCommand("stock show")} lists them.` } as const;

/**
 * Lets a command name a lot by its `fg_id`, or by its batch number and the options that distinguish lots with the same
 * number.
 */
export const addLotName = (command: Command): Command =>
	command
		.argument("<lot>", "the lot, by its id or batch number")
		.option("--formula <code>", "its formula, where several lots have the batch number")
		.option("--brand <code>", "its brand, where several lots have the batch number; shared: the shared stock");

export const findLot = (call: CallOperator, lot: string, { formula, brand }: LotOptions) =>
	call("get_lot", { params: { fg_id: lot }, query: { formula, brand_code: brand } }, LOT_HINT);

/** The `fg_id` of the named lot. */
export const findNamedLot = async (call: CallOperator, lot: string, options: LotOptions): Promise<string> =>
	(await findLot(call, lot, options)).fg_id;
