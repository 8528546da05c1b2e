import type { Executes } from "../../ground/engine/kind.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import type { Origin } from "../stock/move.ts";
import type { HOLD_COMMANDS } from "./commands.ts";
import { Consume, DEFAULT_TTL_MINUTES, FindHold, ReadHold, Release, Reserve, ReverseConsume } from "./contract.ts";
import type { HoldReader } from "./hold-reader.ts";
import { holdReply } from "./hold-reply.ts";

export interface HoldDeps {
	readonly engine: Executes<typeof HOLD_COMMANDS>;
	readonly holdReader: HoldReader;
	readonly config: {
		/** Longer lifetimes are shortened to this, in minutes; null: only the contract's own limit applies. */
		readonly maxTtlMinutes: number | null;
	};
}

const originOf = ({ pk }: Caller, requestId: string): Origin => ({ actor: `key:${pk}`, requestId });
const REPLAY = { "Idempotent-Replayed": "true" } as const;
const NO_HEADERS = {} as const;

export function routes(gate: Gate, { engine, holdReader, config }: HoldDeps): void {
	mount(gate, Reserve, async ({ caller, standing, body, requestId }) => {
		const asked = body.ttl_minutes ?? DEFAULT_TTL_MINUTES;
		const command = {
			kind: "reserve",
			origin: originOf(caller, requestId),
			caller,
			newToken: newId(),
			lines: body.items.map(({ sku, qty, brand_code }) => ({ sku, qty, brandCode: brand_code })),
			ttlMinutes: config.maxTtlMinutes === null ? asked : Math.min(asked, config.maxTtlMinutes),
			externalRef: body.external_ref ?? null,
		} as const;
		const answer = await engine.execute(command, standing);
		if (isRefusal(answer)) return answer;
		const { idempotent, warnings } = answer;
		const warned = warnings.length === 0 ? NO_HEADERS : { "Partner-Warning": warnings.join(", ") };
		const headers = idempotent ? { ...REPLAY, ...warned } : NO_HEADERS;
		return { status: 201, data: holdReply(answer), headers };
	});

	mount(gate, Release, async ({ caller, standing, body, requestId }) => {
		const token = body.reservation_token.toLowerCase();
		const command = { kind: "release", origin: originOf(caller, requestId), caller, token } as const;
		const answer = await engine.execute(command, standing);
		return isRefusal(answer) ? answer : ok({ ok: answer.ok });
	});

	mount(gate, Consume, async ({ caller, standing, body, requestId }) => {
		const command = {
			kind: "consume",
			origin: originOf(caller, requestId),
			caller,
			token: body.reservation_token.toLowerCase(),
			externalRef: body.external_ref,
		} as const;
		const answer = await engine.execute(command, standing);
		if (isRefusal(answer)) return answer;
		const { consumedUnits: consumed_units, idempotent } = answer;
		const data = { consumed_units, external_ref: body.external_ref, idempotent };
		return { status: 200, data, headers: idempotent ? REPLAY : NO_HEADERS };
	});

	mount(gate, ReverseConsume, async ({ caller, standing, body, requestId }) => {
		const { external_ref: externalRef } = body;
		const command = { kind: "reverse", origin: originOf(caller, requestId), caller, externalRef } as const;
		const answer = await engine.execute(command, standing);
		if (isRefusal(answer)) return answer;
		const { returnedUnits: returned_units, idempotent } = answer;
		return { status: 200, data: { returned_units, idempotent }, headers: idempotent ? REPLAY : NO_HEADERS };
	});

	mount(gate, ReadHold, async ({ caller, params }) => {
		const token = params.reservation_token.toLowerCase();
		return ok(await holdReader.read({ keyId: caller.keyId, token }));
	});

	mount(gate, FindHold, async ({ caller, query }) =>
		ok(await holdReader.read({ keyId: caller.keyId, externalRef: query.external_ref })),
	);
}
