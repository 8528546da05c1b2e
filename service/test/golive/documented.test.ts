import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckName } from "../../src/upkeep/golive/facts.ts";
import { DrillGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import { operate } from "../operate.ts";
import { openServerPlace } from "../server-place.ts";
import { sizeOr } from "../sizes.ts";
import { byHand, withTheKit } from "./documented-partners.ts";
import { hasFastClock } from "./fast-clock.ts";
import { having, openPartnerTown, type PartnerTown, type TownPartner, verdictsOn } from "./partner-town.ts";

/*
 * The mirrors that the guides print go live: those of the SDK, and those by hand. They pass every check that concerns a
 * mirror, the hour without a gap and the drill among them. That takes half an hour, so only `npm run guarantees` waits.
 */

const isFull = sizeOr(true, false);
/** What a mirror passes before the drill, and after it. */
const BEFORE: readonly CheckName[] = ["rate", "mirror_fresh", "mirror_equal", "coa_shown", "coa_feed"];
const AFTER: readonly CheckName[] = [...BEFORE, "drill"];
/** Minutes of the town after which nothing is waited for any more: of the hour, and of the drill. */
const LATEST_MINUTES = 100;
const LATEST_DRILL_MINUTES = LATEST_MINUTES + 40;
/** Milliseconds of ours between two readings of a run, at each of which a visitor takes a unit of what is shown. */
const READ_EVERY_MS = 3_000;
/** Maximum number of visitors, so that some units are left. */
const MOST_VISITORS = 20;

describe.runIf(isFull && hasFastClock)("The mirrors that the guides print", () => {
	let town: PartnerTown;
	let folder: string;
	const partners: TownPartner[] = [];

	beforeAll(async () => {
		folder = await openServerPlace("documented");
		town = await openPartnerTown();
		for (const [name, program] of [
			["with-the-kit", withTheKit],
			["by-hand", byHand],
		] as const) {
			const own = path.join(folder, name);
			await mkdir(own);
			partners.push(await town.admitProgram(name, program(own)));
		}
	});
	afterAll(async () => {
		await town?.close();
		await rm(folder, { recursive: true, force: true });
	});

	/** A customer of the partner, so that a count changes. */
	async function visit({ token, goLiveId }: TownPartner, visitor: number): Promise<void> {
		if (visitor > MOST_VISITORS) return;
		const body = { items: [{ sku: "SBX-PLENTY", qty: 1 }], external_ref: `${goLiveId}-${visitor}` };
		await town.house.call(token, "/api/v1/reserve", { body });
	}

	/** Waits until these checks of a partner are passed, and none has failed. */
	async function untilPassed(partner: TownPartner, checks: readonly CheckName[], latest: number): Promise<void> {
		for (let visitor = 1; ; visitor++) {
			const judged = await verdictsOn(town, partner);
			const failed = having(judged, "failed", "warning");
			const isPassed = checks.every((check) => having(judged, "passed").includes(check));
			if (isPassed && failed.length === 0) return;
			if ((await town.minutes()) > latest) {
				const says = judged.map(({ check, verdict, says: why }) => `${check} ${verdict}: ${why}`);
				throw new Error(`${partner.partner}:\n${says.join("\n")}\n${partner.child.errors.join("\n")}`);
			}
			if (!checks.includes("drill")) await visit(partner, visitor);
			await sleep(READ_EVERY_MS);
		}
	}

	it(`pass ${BEFORE.join(", ")}`, async () => {
		await Promise.all(partners.map((partner) => untilPassed(partner, BEFORE, LATEST_MINUTES)));
	});

	it("and hide everything in a drill, ask as seldom as they must, and are equal again after it", async () => {
		for (const { goLiveId } of partners) {
			const { status } = await operate(town.operator, DrillGoLive, {
				params: { id: goLiveId },
				body: { what: "drill" },
			});
			expect(status).toBe(200);
		}
		await Promise.all(partners.map((partner) => untilPassed(partner, AFTER, LATEST_DRILL_MINUTES)));
	});
});
