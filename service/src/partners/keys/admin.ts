import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import { parseInstant } from "../../ground/lib/instant.ts";
import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { asImpossible } from "../admin/as-impossible.ts";
import { mountWrite, type Write, type WriteDeps } from "../admin/mount-write.ts";
import { hasRole, type Operator } from "../admin/operator.ts";
import { isRowId, readOperatorPage, readPageFrom, rowId, writeOperatorPage } from "../admin/page.ts";
import { LIVE_KEY_ROLE } from "../admin/role.ts";
import { type Gate, mount, ok } from "../http/mount.ts";
import { changePartnerName, noPartner, refuseNearName } from "./change-partner.ts";
import { GetKey, ListKeys, MintKey, ResumeKey, RevokeKey, RotateKey, SuspendKey } from "./key-admin-contract.ts";
import { keyReply, type ListedKey, listedKeyOf } from "./listed-key.ts";
import { type Minting, mintKey } from "./mint-key.ts";
import { selectKeyPage, selectPartner, selectPartnerPage } from "./page-sql.ts";
import { GetPartner, ListPartners, MakePartner, RenamePartner } from "./partner-admin-contract.ts";
import { putPartners } from "./put-partners.ts";
import { rotateKey } from "./rotate-key.ts";
import { PRESETS } from "./scopes.ts";
import { selectKey } from "./select-key.ts";
import { keysNamed, selectPartners } from "./sql.ts";
import { resumeKey, revokeKey, suspendKey } from "./suspend-key.ts";

export interface KeyAdminDeps extends WriteDeps, Minting {
	readonly readDb: Query;
}

/** The operators' operations on partners and keys. */
export function admin(gate: Gate<Operator>, deps: KeyAdminDeps): void {
	mountPartners(gate, deps);
	mountKeys(gate, deps);
	mountChanges(gate, deps);
}

function mountPartners(gate: Gate<Operator>, deps: KeyAdminDeps): void {
	mount(gate, ListPartners, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) => selectPartnerPage(deps.readDb, query, page.after, most));
		return { status: 200, data: writeOperatorPage(list, ({ name }) => name, asReply) };
	});

	mount(gate, GetPartner, async ({ params }) => ok(await readPartner(deps.readDb, params)));

	mountWrite(gate, deps, MakePartner, async (tx, { body: { name, new_partner: isNew = false } }) => {
		const known = (await selectPartners(tx, [name])).get(name);
		const near = known !== undefined || isNew ? null : await refuseNearName(tx, name);
		if (near !== null) return refuse("invalid_input", `${near.message} To create the partner anyway, set new_partner.`);
		const partnerId = known ?? must((await putPartners(tx, [name])).get(name), "the partner");
		const data = asReply(must(await selectPartner(tx, partnerId), "the partner"));
		return { status: known === undefined ? 201 : 200, data, about: name, changed: known === undefined };
	});

	const read = readPartner;
	const rename: Write<typeof RenamePartner> = async (tx, { params, body }) => {
		const before = await readPartner(tx, params);
		if (isRefusal(before)) return before;
		if (before.name === body.name) return { status: 200, data: before, about: before.name, changed: false };
		const renamed = await changePartnerName(tx, before.name, body.name);
		if (isRefusal(renamed)) return renamed;
		return { status: 200, data: { ...before, name: renamed.name }, about: before.name };
	};
	mountWrite(gate, deps, RenamePartner, rename, { read });
}

async function readPartner(db: Query, { partner_id: named }: { readonly partner_id: string }) {
	const partnerId = isRowId(named) ? named : (await selectPartners(db, [named])).get(named);
	const partner = partnerId === undefined ? null : await selectPartner(db, partnerId);
	return partner === null ? await noPartner(db, named) : asReply(partner);
}

function mountKeys(gate: Gate<Operator>, deps: KeyAdminDeps): void {
	mount(gate, ListKeys, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) => selectKeyPage(deps.readDb, query, page.after, most));
		const reply = ({ key, nowMs }: (typeof list.items)[number]) => keyReply(listedKeyOf(key, nowMs));
		return { status: 200, data: writeOperatorPage(list, ({ key }) => key.keyId, reply) };
	});

	mount(gate, GetKey, async ({ params }) => ok(await readKey(deps.readDb, params)));

	mountWrite(gate, deps, MintKey, async (tx, { caller, body }) => {
		const { environment, preset, scopes = [], expires_at: expiresAt, new_partner: isNew = false } = body;
		const refused = refuseLive(caller, environment);
		if (refused !== null) return refused;
		const end = expiresAt === undefined ? null : parseInstant(expiresAt);
		if (end === null && expiresAt !== undefined) return noTime("/expires_at");
		const near = isNew ? null : await refuseNearName(tx, body.partner);
		if (near !== null) return refuse("invalid_input", `${near.message} To create the partner anyway, set new_partner.`);
		const minted = await mintKey(tx, deps, {
			name: body.name,
			partner: body.partner,
			environment,
			brandCode: body.brand_code ?? null,
			sharedPool: body.shared_pool ?? false,
			scopes: [...new Set([...(preset === undefined ? [] : PRESETS[preset]), ...scopes])],
			requestsPerMinute: body.requests_per_minute ?? null,
			maxHeldUnits: body.max_held_units ?? null,
			expiresAt: end === null ? null : new Date(end),
		});
		if (isRefusal(minted)) return minted;
		const { pk, token, sandboxKeysEnding, sandboxEndsAt } = minted;
		const key = await showKey(tx, pk);
		if (isRefusal(key)) return refuse("internal_error", key.message);
		const ending = { sandbox_keys_ending: sandboxKeysEnding, sandbox_ends_at: sandboxEndsAt?.toISOString() ?? null };
		return { status: 201, data: { ...keyReply(key), token, ...ending }, about: pk };
	});
}

type ChangeRefusal = "not_found" | "invalid_input" | "not_possible_now" | "forbidden";

function mountChanges(gate: Gate<Operator>, deps: KeyAdminDeps): void {
	const read = readKey;
	const rotate: Write<typeof RotateKey> = async (tx, { caller, params, body }) => {
		const before = await keyToChange(tx, caller, params.pk);
		if (isRefusal(before)) return before;
		const rotated = asImpossible(await rotateKey(tx, deps.ring, before.pk, body.overlap_hours), "wrong_state");
		if (isRefusal(rotated)) return rotated;
		const { keyId, pk, token, oldSecretEndsAt, oldSecrets } = rotated;
		const data = asReply({ keyId, pk, token, oldSecretEndsAt, oldSecrets });
		return { status: 200, data, about: pk };
	};
	mountWrite(gate, deps, RotateKey, rotate, { read });

	for (const [operation, change] of [
		[SuspendKey, suspendKey],
		[ResumeKey, resumeKey],
	] as const) {
		const write: Write<typeof operation> = async (tx, { caller, params }) =>
			changedKey(tx, caller, params.pk, async ({ pk }) => asImpossible(await change(tx, pk), "wrong_state"));
		mountWrite(gate, deps, operation, write, { read });
	}

	const revoke: Write<typeof RevokeKey> = async (tx, { caller, params, body }) => {
		const at = body.at === undefined ? null : parseInstant(body.at);
		if (at === null && body.at !== undefined) return noTime("/at");
		const when = at === null ? null : new Date(at);
		return await changedKey(tx, caller, params.pk, async ({ pk, state }) =>
			state === "revoked" ? null : asImpossible(await revokeKey(tx, pk, when), "wrong_state"),
		);
	};
	mountWrite(gate, deps, RevokeKey, revoke, { read });
}

const noTime = (pointer: string): Refusal<"invalid_input"> =>
	refuse("invalid_input", `${pointer}: expected a time such as 2026-09-06T12:00:00Z (RFC 3339)`);

/** Only an admin may create or change live keys. */
const refuseLive = (caller: Operator, environment: "live" | "sandbox"): Refusal<"forbidden"> | null =>
	environment === "sandbox" || hasRole(caller, LIVE_KEY_ROLE)
		? null
		: refuse("forbidden", `A live key requires the role ${LIVE_KEY_ROLE}.`);

async function keyToChange(tx: Query, caller: Operator, selector: string): Promise<ListedKey | Refusal<ChangeRefusal>> {
	const key = await showKey(tx, selector);
	return isRefusal(key) ? key : (refuseLive(caller, key.environment) ?? key);
}

/** Changes a key and answers with its new state. There is no audit row if nothing changed. */
async function changedKey(tx: Query, caller: Operator, selector: string, change: (key: ListedKey) => Promise<unknown>) {
	const before = await keyToChange(tx, caller, selector);
	if (isRefusal(before)) return before;
	const refused = await change(before);
	if (isRefusal(refused)) return refused as Refusal<ChangeRefusal>;
	const after = await showKey(tx, before.pk);
	if (isRefusal(after)) return after;
	const changed = before.state !== after.state || before.revokeAt?.getTime() !== after.revokeAt?.getTime();
	return { status: 200 as const, data: keyReply(after), about: after.pk, changed };
}

async function showKey(db: Query, selector: string): Promise<ListedKey | Refusal<"not_found" | "invalid_input">> {
	const key = await selectKey(db, selector);
	if (isRefusal(key)) return key;
	return listedKeyOf(key, (await keysNamed(db, key.pk)).nowMs);
}

async function readKey(db: Query, { pk }: { readonly pk: string }) {
	const key = await showKey(db, pk);
	return isRefusal(key) ? key : keyReply(key);
}
