import { type Gate, mount, ok } from "../http/mount.ts";
import { Introspect } from "./contract.ts";
import { type IntrospectDeps, introspect } from "./introspect.ts";

export function routes(gate: Gate, deps: IntrospectDeps): void {
	mount(gate, Introspect, async ({ caller, body }) => ok(await introspect(deps, caller, body.token)));
}
