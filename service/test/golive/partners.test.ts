import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GetOperatorHold } from "../../src/inventory/holds/admin-contract.ts";
import { CHECKS, type CheckName } from "../../src/upkeep/golive/facts.ts";
import { FinishGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import { GetRequest } from "../../src/upkeep/traffic/admin-contract.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { sizeOr } from "../sizes.ts";
import { hasFastClock } from "./fast-clock.ts";
import { WRONG, type Wrong } from "./partner/wrong.ts";
import {
	having,
	type Judged,
	openPartnerTown,
	type PartnerTown,
	type TownPartner,
	verdictsOn,
} from "./partner-town.ts";

/*
 * Thirteen partners take themselves live at the same time, each a process of its own, in a time that runs faster than
 * ours. On any other day than that of a full run, two begin to.
 */

const WRONGS = Object.keys(WRONG) as Wrong[];
const isFull = sizeOr(true, false);
const ADMITTED: readonly Wrong[] = isFull ? WRONGS : ["orders-after-no-inventory"];
/** The checks that a partner passes in its first minutes. */
const EARLY: readonly CheckName[] = ["webhooks", "errors"];

/** Minutes of the town before which no run can be complete: an hour of counts, beside a drill and its end. */
const EARLIEST_MINUTES = isFull ? 76 : 0;
/** Minutes of the town after which nothing is waited for any more. */
const LATEST_MINUTES = sizeOr(150, 5);
/** Milliseconds of ours between two readings of a run. */
const READ_EVERY_MS = 2_000;
/** What the production key sells. */
const REAL_SKU = "REAL";

/** Those that ask for an unkind hour, in which no check may have a fault. */
const IN_UNKIND_HOUR: ReadonlySet<Wrong | null> = new Set([null, "breaks-on-a-new-field"]);
/** The operations among the requests that prove what was wrong. The messages of a run are not requests. */
const PROOF: { readonly [wrong in Wrong]: readonly string[] } = {
	"polls-too-fast": ["inventory"],
	"ignores-retry-after": ["reserve"],
	"shows-0-on-401": ["postShown"],
	"orders-after-no-inventory": ["reserve", "placeOrder"],
	"forgets-the-tombstone": ["coaFeed"],
	"accepts-a-bad-signature": [],
	"acts-twice-on-one-id": ["reserve"],
	"has-an-old-mirror": ["postShown"],
	"repeats-no-inventory": ["reserve"],
	"takes-a-new-reference": ["reserve"],
	"breaks-on-a-new-field": [],
	"keeps-a-retired-pdf": ["postShown"],
};

describe.skipIf(!hasFastClock)("A partner that is a process", () => {
	let town: PartnerTown;
	const partners = new Map<Wrong | null, TownPartner>();
	const partner = (wrong: Wrong | null): TownPartner => {
		const found = partners.get(wrong);
		if (found === undefined) throw new Error(`there is no partner that ${wrong ?? "does everything right"}`);
		return found;
	};

	beforeAll(async () => {
		town = await openPartnerTown();
		await town.house.importWorld({ brands: [{ code: "ACME", name: "Acme" }] });
		await town.house.stock({ [REAL_SKU]: 10 });
		for (const wrong of [null, ...ADMITTED]) partners.set(wrong, await town.admit(wrong, IN_UNKIND_HOUR.has(wrong)));
	});
	afterAll(() => town?.close());

	/** Whether a partner fails these checks, and no other, and passes what it can have passed. */
	function isJudged(wrong: Wrong | null, failed: readonly CheckName[], judged: readonly Judged[]): boolean {
		const isUnkind = IN_UNKIND_HOUR.has(wrong);
		const all = CHECKS.filter((check) => isUnkind || check !== "unkind");
		const passed = (isFull ? all : EARLY).filter((check) => !failed.includes(check));
		const seen = having(judged, "passed").filter((check) => isFull || passed.includes(check));
		return String(having(judged, "failed")) === String(failed) && String(seen) === String(passed);
	}

	/** The verdicts on a partner once they are as expected; throws when it is too late for that. */
	async function verdictsWhen(wrong: Wrong | null, failed: readonly CheckName[]): Promise<readonly Judged[]> {
		for (;;) {
			const now = await town.minutes();
			const judged = now < EARLIEST_MINUTES ? [] : await verdictsOn(town, partner(wrong));
			if (isJudged(wrong, failed, judged)) return judged;
			if (now > LATEST_MINUTES) {
				const says = judged.map(({ check, verdict, says: why }) => `${check} ${verdict}: ${why}`);
				throw new Error(`${wrong ?? "right"}:\n${says.join("\n")}\n${partner(wrong).child.errors.join("\n")}`);
			}
			await sleep(READ_EVERY_MS);
		}
	}

	const finish = async (wrong: Wrong | null) =>
		await operate(town.operator, FinishGoLive, {
			params: { id: partner(wrong).goLiveId },
			body: { name: "web", brand_code: "ACME", preset: "self_ship", shared_pool: true },
		});

	/** The operation of a request in the log, which must be the partner's; null: a look or a message of its run. */
	async function operationOf(id: string, { pk, goLiveId }: TownPartner): Promise<string | null> {
		if (id.startsWith("req_")) {
			const { status, json } = await operate(town.operator, GetRequest, { params: { request_id: id } });
			expect([status, json.data.key], id).toEqual([200, pk]);
			return json.data.operation;
		}
		const { rows } = await town.house.db.query<{ run: string }>(
			`select golive_id as run from golive_look where look_id = $1
			  union all select golive_id from golive_probe where delivery_id::text = $1`,
			[id],
		);
		expect(rows, id).toEqual([{ run: goLiveId }]);
		return null;
	}

	async function proofOf(wrong: Wrong, evidence: readonly string[]): Promise<Set<string>> {
		expect(evidence.length).toBeGreaterThan(0);
		const operations = await Promise.all(evidence.map((id) => operationOf(id, partner(wrong))));
		return new Set(operations.filter((one) => one !== null));
	}

	it.runIf(!isFull)("and does everything right has nothing held against it", async () => {
		await verdictsWhen(null, []);
		expect((await finish(null)).json.error?.code).toBe("golive_not_passed"); // it has only begun
	});

	it.runIf(isFull)(
		"goes from its sandbox key to a production key by itself, but for the operator's last click",
		async () => {
			await verdictsWhen(null, []);
			const { status, json } = await finish(null);
			keepSecretsOf(JSON.stringify(json));
			expect([status, json.data?.report.passed]).toEqual([201, true]);
			const { token, key } = json.data;
			const sold = await fetch(`${partner(null).address}/desk`, {
				method: "POST",
				body: JSON.stringify({ token, sku: REAL_SKU }),
			});
			const hold = (await sold.json()) as { token: string };
			const shown = await operate(town.operator, GetOperatorHold, { params: { token: hold.token } });
			expect(shown.json.data).toMatchObject({ status: "active", key: key.pk });
		},
	);

	it.each(ADMITTED)("that %s fails exactly the check for that, by requests of its own", async (wrong) => {
		const fails = WRONG[wrong];
		const judged = await verdictsWhen(wrong, [fails]);
		const evidence = judged.find(({ check }) => check === fails)?.evidence ?? [];
		const proof = await proofOf(wrong, evidence);
		expect([...proof]).toEqual(expect.arrayContaining([...PROOF[wrong]]));
		if (fails === "unkind") return; // a run can be finished without it
		const { status, json } = await finish(wrong);
		expect([status, json.error?.code]).toEqual([409, "golive_not_passed"]);
		expect(json.error.message).toMatch(isFull ? new RegExp(`Missing: ${fails}\\.`) : new RegExp(`Missing: .*${fails}`));
	});
});
