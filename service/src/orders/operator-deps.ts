import type { Executes } from "../engine/kind.ts";
import type { Query } from "../pg/connect.ts";
import type { ORDER_COMMANDS } from "./commands.ts";
import type { LabelGate } from "./label-gate.ts";

/** What the operator's verbs work with: orders are looked up without locks, then the engine is given one command. */
export interface OperatorDeps {
	readonly db: Query;
	readonly engine: Executes<typeof ORDER_COMMANDS>;
	readonly labels: LabelGate;
}
