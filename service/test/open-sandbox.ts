import type { OpenSandbox } from "../src/partners/keys/mint-key.ts";
import { openSandboxIn } from "../src/upkeep/sandbox/open-sandbox.ts";
import { executeIn } from "./execute-in.ts";

/** The settings of restocks, with days in UTC. */
export const SANDBOX_SETTINGS = { timeZone: "UTC", executeIn } as const;

/** Opens the sandbox of a partner in the test's transaction, as the service does. */
export const openSandbox: OpenSandbox = (tx, partner, numbered) =>
	openSandboxIn(tx, SANDBOX_SETTINGS, partner, numbered);
