import { must } from "../src/ground/lib/assert.ts";
import type { OpenSandbox } from "../src/partners/keys/mint-key.ts";
import { putPartners } from "../src/partners/keys/put-partners.ts";
import { openSandboxIn } from "../src/upkeep/sandbox/open-sandbox.ts";
import { insertSandbox } from "../src/upkeep/sandbox/sql.ts";
import { executeIn } from "./execute-in.ts";

/** The settings of restocks, with days in UTC. */
export const SANDBOX_SETTINGS = { timeZone: "UTC", executeIn } as const;

/** Opens the sandbox of a partner in the test's transaction, as the service does. */
export const openSandbox: OpenSandbox = (tx, partner, numbered) =>
	openSandboxIn(tx, SANDBOX_SETTINGS, partner, numbered);

/** Opens it without stock and test SKUs, for tests that count what an import writes; of partners that have none yet. */
export const openBareSandbox: OpenSandbox = async (tx, partner) =>
	await insertSandbox(tx, must((await putPartners(tx, [partner])).get(partner), partner), "UTC");
