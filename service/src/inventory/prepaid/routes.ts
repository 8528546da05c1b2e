import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import type { CatalogCache } from "../catalog/cache.ts";
import { ReserveCache } from "./contract.ts";
import { mirrorPrepaid } from "./mirror-prepaid.ts";

export interface PrepaidDeps {
	readonly db: Database;
	readonly catalog: CatalogCache;
	readonly pushes: Turns;
}

export function routes(gate: Gate, deps: PrepaidDeps): void {
	mount(gate, ReserveCache, async ({ caller, body }) => {
		const answer = await mirrorPrepaid(deps, caller, body);
		return isRefusal(answer) ? answer : { status: 200, data: answer };
	});
}
