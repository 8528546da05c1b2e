import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { DemandSettings } from "../demand/draw-units.ts";
import { isReported, type Noted, noteCancelled, noteGone, noteOpenOrder, noteShipped } from "../demand/note-report.ts";
import { type ForeignReport, foreignLines, foreignReports } from "./foreign-box.ts";
import type { LabelPlatform, PlatformBox } from "./label-platform.ts";
import { selectFollowedFrom } from "./sql.ts";

export interface ForeignDeps {
	readonly db: Database;
	readonly platform: Pick<LabelPlatform, "id">;
	readonly demand: DemandSettings;
}

/**
 * Reports the foreign goods in a box to demand: those of an open box are promised, those of a shipped box are drawn
 * down, and those of a cancelled box are released. Reports commute, so this needs no lock and may be repeated. Returns
 * demand's refusal of a report, for the operator. @throws on a conflict, which a retry may resolve
 */
export async function reportForeign(
	deps: ForeignDeps,
	box: PlatformBox,
	known: ReadonlySet<string>,
): Promise<Refusal | null> {
	const { db, platform } = deps;
	const lines = foreignLines(box, known);
	const name = { source: platform.id, reference: box.platformId };
	if (lines.length === 0 && !(await isReported(db, name))) return null;
	const [[followedFromMs] = [0]] = await selectFollowedFrom(db, [platform.id]);
	for (const one of foreignReports(platform.id, box, lines, followedFromMs)) {
		const noted = unlessPassing(await note(deps, one));
		if (isRefusal(noted)) return noted;
	}
	return null;
}

/** Reports a box that no longer exists: its contents are in another box now, or nowhere. */
export async function reportGone({ db, platform, demand }: ForeignDeps, platformId: string): Promise<void> {
	const name = { source: platform.id, reference: platformId };
	if (await isReported(db, name)) unlessPassing(await noteGone(db, demand, name));
}

async function note({ db, demand }: ForeignDeps, one: ForeignReport): Promise<Noted> {
	switch (one.what) {
		case "open":
			return await noteOpenOrder(db, demand, one.report);
		case "shipped":
			return await noteShipped(db, demand, one.report);
		case "cancelled":
			return await noteCancelled(db, demand, one.report);
	}
}

function unlessPassing(noted: Noted): Noted {
	if (isRefusal(noted) && noted.refusal === "rate_limited")
		throw new Error(`the report was not recorded yet: ${noted.message}`);
	return noted;
}
