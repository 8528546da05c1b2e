import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectKeyInUse } from "../../partners/keys/select-key.ts";
import type { GoLiveRun } from "./run.ts";
import { insertRun, selectRun, selectRunOfKey } from "./sql.ts";

/** Starts the run of a sandbox key. */
export async function beginRun(
	tx: Query,
	{ key: selector, statusUrl, by }: { readonly key: string; readonly statusUrl: string | null; readonly by: string },
): Promise<GoLiveRun | Refusal<"not_found" | "invalid_input" | "not_possible_now">> {
	const key = await selectKeyInUse(tx, selector);
	if (isRefusal(key))
		return key.refusal === "wrong_state" ? refuse("not_possible_now", key.message) : refuse(key.refusal, key.message);
	if (key.environment !== "sandbox")
		return refuse("invalid_input", "/key: a go-live is graded in the sandbox: name a sandbox key of the partner.");
	const last = await selectRunOfKey(tx, key.keyId);
	if (last?.state === "running")
		return refuse("not_possible_now", `Go-live ${last.number} of this key is running: stop it first.`);
	const goLiveId = newId();
	await insertRun(tx, { goLiveId, keyId: key.keyId, startedBy: by, statusUrl });
	return must(await selectRun(tx, { id: goLiveId, number: null }), "the run");
}
