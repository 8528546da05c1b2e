import { isRefusal } from "../../ground/lib/refusal.ts";
import { type Gate, mount } from "../http/mount.ts";
import { Introspect } from "./contract.ts";
import { type IntrospectDeps, introspect } from "./introspect.ts";

export function routes(gate: Gate, deps: IntrospectDeps): void {
	mount(gate, Introspect, async ({ caller, body }) => {
		const answer = await introspect(deps, caller, body.token);
		return isRefusal(answer) ? answer : { status: 200, data: answer };
	});
}
