import type { Executes } from "../../ground/engine/kind.ts";
import { must } from "../../ground/lib/assert.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { HOLD_COMMANDS } from "../../inventory/holds/commands.ts";
import type { Links } from "../../inventory/orders/order-book.ts";
import { orderReply } from "../../inventory/orders/order-reply.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import type { AdvanceDeps } from "./advance-due-boxes.ts";
import { advanceGoal } from "./advance-goal.ts";
import { advanceOrder } from "./advance-order.ts";
import { AdvanceSandbox, NOT_FOR_LIVE_KEYS, RestockSandbox } from "./contract.ts";
import { type RestockDeps, restockOnRequest } from "./restock-on-request.ts";

export interface SandboxDeps extends AdvanceDeps, RestockDeps {
	readonly engine: AdvanceDeps["engine"] & Executes<typeof HOLD_COMMANDS>;
	readonly links: Links;
}

const refuseLive = ({ environment }: Caller): typeof NOT_FOR_LIVE_KEYS | undefined =>
	environment === "sandbox" ? undefined : NOT_FOR_LIVE_KEYS;

/** Operations by which a partner's developer controls the sandbox. */
export function routes(gate: Gate, deps: SandboxDeps): void {
	mountAdvance(gate, deps);

	mount(gate, RestockSandbox, async ({ caller, standing }) => {
		const refusal = refuseLive(caller);
		if (refusal) return refusal;
		const poolId = must(caller.poolId, "a sandbox key is bound to its sandbox");
		const restocked = await restockOnRequest(deps, poolId, standing);
		if (isRefusal(restocked)) return restocked;
		const { received_units, removed_units } = restocked;
		return { status: 200, data: { ok: true, received_units, removed_units } };
	});
}

/** Needs the database only for reads of orders. */
export function mountAdvance(gate: Gate, deps: Omit<SandboxDeps, keyof RestockDeps> & AdvanceDeps): void {
	const { engine, links } = deps;

	mount(gate, AdvanceSandbox, async ({ caller, standing, body, requestId }) => {
		const goal = refuseLive(caller) ?? advanceGoal(body);
		if (isRefusal(goal)) return goal;
		const origin = { actor: `key:${caller.pk}`, requestId };
		if ("ref" in goal) {
			const record = await advanceOrder(deps, caller, { ...goal, origin }, standing);
			return isRefusal(record) ? record : { status: 200, data: orderReply(record, links) };
		}
		const ended = await engine.execute({ kind: "expireNow", origin, caller, token: goal.token }, standing);
		if (isRefusal(ended)) return ended;
		const { token: reservation_token, expiresAt } = ended;
		return { status: 200, data: { reservation_token, status: "expired", expires_at: toRfc3339(expiresAt) } };
	});
}
