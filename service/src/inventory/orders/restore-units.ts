import type { Executes } from "../../ground/engine/kind.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { ORDER_COMMANDS } from "./commands.ts";
import { HOLDERS_PER_STEP } from "./find-holders.ts";
import { oneStep } from "./one-step.ts";
import type { RestoreCommand, Restored } from "./restore.ts";
import { selectWhoLacks } from "./restore-units-sql.ts";

/**
 * Some units were restored, and then it could not go on. What was restored stays so; the same again restores the rest.
 */
export class RestoreInterrupted extends Error {
	readonly soFar: Restored;
	constructor(soFar: Restored, why: string, cause?: unknown) {
		super(why, { cause });
		this.soFar = soFar;
	}
}

/**
 * Gives quarantined units of a lot back: first to the holds and orders that lost theirs to it and still lack them, the
 * oldest first, and with the last of these the rest to everybody. Nearly always that is one batch; where very many lack
 * units it is one for each HOLDERS_PER_STEP of them, and what waits for the later ones stays in quarantine until then.
 * @throws RestoreInterrupted
 */
export async function restoreUnits(
	db: Query,
	engine: Executes<Pick<typeof ORDER_COMMANDS, "restore">>,
	command: Pick<RestoreCommand, "origin" | "fgId" | "units" | "reason">,
	onStep: (soFar: Restored) => void = () => undefined,
): Promise<Restored | Refusal<"not_found" | "invalid_input" | "rate_limited" | "unauthorized">> {
	const rows = await selectWhoLacks(db, [command.fgId]);
	const holders = rows.map(([token]) => token);
	let soFar: Restored = { fgId: command.fgId, moved: 0, replaced: 0, lost: 0, givenBack: 0, left: 0 };
	try {
		for (let first = 0; ; first += HOLDERS_PER_STEP) {
			const isLast = first + HOLDERS_PER_STEP >= holders.length;
			const step = await oneStep(() =>
				engine.execute({
					kind: "restore",
					...command,
					units: first === 0 ? command.units : soFar.left,
					holders: holders.slice(first, first + HOLDERS_PER_STEP),
					rest: isLast ? "free" : "waits",
				}),
			);
			if (isRefusal(step)) {
				if (first === 0) return step;
				throw new RestoreInterrupted(soFar, step.message);
			}
			const { moved, givenBack } = soFar;
			soFar = { ...step, moved: moved + step.moved, givenBack: givenBack + step.givenBack };
			onStep(soFar);
			if (isLast || soFar.left === 0) return soFar;
		}
	} catch (error) {
		if (error instanceof RestoreInterrupted || soFar.moved === 0) throw error;
		throw new RestoreInterrupted(soFar, error instanceof Error ? error.message : String(error), error);
	}
}
