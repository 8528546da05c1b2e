import type { Turns } from "../../ground/lib/turns.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import type { CatalogCache } from "../catalog/cache.ts";
import { ReserveCache } from "./contract.ts";
import { mirrorPrepaid } from "./mirror-prepaid.ts";

export interface PrepaidDeps {
	readonly db: Database;
	readonly catalog: CatalogCache;
	readonly pushes: Turns;
}

export function routes(gate: Gate, deps: PrepaidDeps): void {
	mount(gate, ReserveCache, async ({ body, ...request }) => ok(await mirrorPrepaid(deps, request, body)));
}
