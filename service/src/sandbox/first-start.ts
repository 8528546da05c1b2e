import { SANDBOX_BRAND } from "../glossary.ts";
import { applyWorld } from "../import/apply-world.ts";
import { emptyWorld, type Place } from "../import/entries.ts";
import { must } from "../lib/assert.ts";
import type { Database } from "../pg/connect.ts";
import { transaction } from "../pg/transaction.ts";
import { restockIn, type SandboxSettings } from "./restock-sandbox.ts";
import { claimRestock, countKeys } from "./sql.ts";

export interface FirstStart {
	/** The sandbox key's token: shown this once, stored nowhere. */
	readonly token: string;
	/** Reserves one SBX-PLENTY; ready to paste. */
	readonly curl: string;
	/** What `npm start` prints. */
	readonly lines: readonly string[];
}

/** Rate of the first key, requests in any 60 seconds: room to try things out by script. */
const REQUESTS_PER_MINUTE = 600;

/**
 * On a database without any key: stocks the sandbox and mints a key for it, so that the first request works. Null when there
 * are keys already. `url` is the address of the API.
 */
export async function firstStart(db: Database, settings: SandboxSettings, url: string): Promise<FirstStart | null> {
	return await transaction(db, async (tx) => {
		await claimRestock(tx, settings.timeZone, false); // its lock: of two first starts, one is the first
		if ((await countKeys(tx)) > 0) return null;
		await restockIn(tx, settings);
		const at: Place = { file: "first start", spot: "" };
		const partner = "Sandbox partner";
		const { keys } = await applyWorld(
			tx,
			{ ...settings, actor: "system:first-start" },
			{
				...emptyWorld(),
				partners: [{ at, name: partner }],
				keys: [
					{
						at,
						name: "first-start",
						partner,
						environment: "sandbox",
						brandCode: SANDBOX_BRAND,
						grants: { preset: "self_ship" },
						sharedPool: false,
						requestsPerMinute: REQUESTS_PER_MINUTE,
						expiresAt: null,
						maxHeldUnits: null,
					},
				],
			},
		);
		return welcome(must(keys[0]?.token, "the token of the key just made"), url);
	});
}

function welcome(token: string, url: string): FirstStart {
	const body = JSON.stringify({ items: [{ sku: "SBX-PLENTY", qty: 1 }] });
	const curl = `curl -sS ${url}/api/v1/reserve -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${body}'`;
	const lines = [
		"This is the first start: here is a sandbox key. It is shown this once, so keep it.",
		"",
		`  ${token}`,
		"",
		"Reserve a unit with it:",
		"",
		`  ${curl}`,
		"",
		`Every operation, with examples: ${url}/docs`,
	];
	return { token, curl, lines };
}
