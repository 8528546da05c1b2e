import { FIRST_KEY, SANDBOX_BRAND, SANDBOX_MODEL_POOL_ID, SCOPES } from "../../glossary.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { typedCommand } from "../../ground/lib/typed-command.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import type { KeyRing } from "../../partners/keys/key-ring.ts";
import { type Minting, mintKey } from "../../partners/keys/mint-key.ts";
import { openSandboxIn } from "./open-sandbox.ts";
import type { SandboxSettings } from "./restock-sandbox.ts";
import { claimRestock, countKeys } from "./sql.ts";

export interface FirstStart {
	/** The sandbox key's token: shown only this once and stored nowhere. */
	readonly token: string;
	/** A command that reserves one SBX-PLENTY, ready to paste. */
	readonly curl: string;
	/** The lines that `npm start` prints. */
	readonly lines: readonly string[];
}

/** Rate limit of the first key, in requests per 60 seconds: enough for experiments with scripts. */
const REQUESTS_PER_MINUTE = 600;

/**
 * On a database without any key: mints a sandbox key, which opens and stocks its sandbox, so that the first request
 * works. Null when there are keys already. `url` is the address of the API.
 */
export async function firstStart(
	db: Database,
	settings: SandboxSettings,
	ring: KeyRing,
	url: string,
): Promise<FirstStart | null> {
	return await transaction(db, async (tx) => {
		// locks, so that only one of two first starts passes
		await claimRestock(tx, [SANDBOX_MODEL_POOL_ID], settings.timeZone, false);
		if ((await countKeys(tx)) > 0) return null;
		const minting: Minting = { ring, openSandbox: (within, partner) => openSandboxIn(within, settings, partner) };
		const minted = await mintKey(tx, minting, {
			...FIRST_KEY,
			environment: "sandbox",
			brandCode: SANDBOX_BRAND,
			sharedPool: false,
			scopes: SCOPES,
			requestsPerMinute: REQUESTS_PER_MINUTE,
		});
		if (isRefusal(minted)) throw new Error(`bug: the first key was refused: ${minted.message}`);
		return welcome(minted.token, url);
	});
}

/** The hint for a service that starts on its own database without keys; null if there are keys. */
export async function hintWithoutKeys(db: Database): Promise<readonly string[] | null> {
	if ((await countKeys(db)) > 0) return null;
	const example = typedCommand(
		`keys mint --name first --partner '${FIRST_KEY.partner}' --environment sandbox --preset self_ship`,
	);
	return [
		"There are no keys yet, so every request is refused. This command creates one for the sandbox:",
		"",
		`  ${example}`,
	];
}

function welcome(token: string, url: string): FirstStart {
	const body = JSON.stringify({ items: [{ sku: "SBX-PLENTY", qty: 1 }], external_ref: "first-hold" });
	const curl = `curl -sS ${url}/api/v1/reserve -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${body}'`;
	const lines = [
		"This is the first start, which created a sandbox key. It is shown only this once: keep it.",
		"",
		`  ${token}`,
		"",
		"Reserve a unit with it:",
		"",
		`  ${curl}`,
		"",
		`Guides, and every operation with a form to try it: ${url}/docs`,
	];
	return { token, curl, lines };
}
