import type { Query } from "../../ground/pg/connect.ts";
import { type LoadedFacts, loadFacts } from "./load-facts.ts";
import { type Result, resultOf } from "./result.ts";
import type { GoLiveRun } from "./run.ts";

/** The facts of a run, and the state that follows from them. */
export async function loadResult(
	db: Query,
	run: GoLiveRun,
): Promise<{ readonly loaded: LoadedFacts; readonly result: Result }> {
	const loaded = await loadFacts(db, run);
	return { loaded, result: resultOf(loaded.facts, loaded.waivers) };
}
