import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { ReserveCache } from "./contract.ts";
import { mirrorPrepaid, type PrepaidDeps } from "./mirror-prepaid.ts";

export function routes(gate: Gate, deps: PrepaidDeps): void {
	mount(gate, ReserveCache, async ({ body, ...request }) => ok(await mirrorPrepaid(deps, request, body)));
}
