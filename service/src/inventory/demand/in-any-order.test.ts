import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { at, DemandWorld, done, operator, settings } from "../../../test/demand-world.ts";
import { executeIn } from "../../../test/execute-in.ts";
import { importWorld } from "../../../test/import-world.ts";
import { audit } from "../../../test/model/audit.ts";
import { openSandbox } from "../../../test/open-sandbox.ts";
import { size } from "../../../test/sizes.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { newKeyRingEntry, parseKeyRing } from "../../partners/keys/key-ring.ts";
import { emptyWorld } from "../../upkeep/import/entries.ts";
import { takeJson } from "../../upkeep/import/read-world.ts";
import { noteOpenOrder, noteShipped } from "./note-report.ts";

let world: DemandWorld;
beforeAll(async () => {
	world = await DemandWorld.open();
});
afterAll(() => world.close());
beforeEach(() => world.move());

describe("Reports in any order", () => {
	it("and any repetition, several at a time, come to what the platform says last: nothing is drawn twice, no unit is lost", async () => {
		const kits = fc.dictionary(fc.constantFrom("one", "pair", "kit", "nope"), fc.integer({ min: 1, max: 3 }), {
			noNullPrototype: true,
		});
		const reports = fc.uniqueArray(
			fc.record({ n: fc.integer({ min: 1, max: 30 }), what: fc.constantFrom("open", "shipped", "cancelled"), kits }),
			{ selector: ({ n }) => n, minLength: 1, maxLength: 5 },
		);
		const orderings = fc.array(fc.nat(), { minLength: 10, maxLength: 10 });
		const say = ({ n, what, kits: of }: { n: number; what: string; kits: Record<string, number> }) =>
			what === "open" ? world.open(n, of) : what === "shipped" ? world.shipped(n, of, "acme") : world.cancelled(n);
		/** The state after these reports, on separate shelves. */
		const outcome = async () => {
			const { rows } = await world.database.db.query(
				`select batch_number, available, shipped from lot where formula_id = any($1::uuid[]) order by 1`,
				[[world.town.id("F0"), world.town.id("F1")]],
			);
			return { lots: rows, promised: await world.promised(), exceptions: await world.exceptions() };
		};
		const fresh = async () => {
			await world.move();
			await world.receive("a", 4, "ACME", "2090-01-01");
			await world.receive("b", 3, "shared", "2089-01-01");
			await world.receive("c", 9, "ACME", "2090-01-01", "F1");
		};
		await fc.assert(
			fc.asyncProperty(reports, orderings, fc.integer({ min: 1, max: 3 }), async (some, keys, atOnce) => {
				await fresh();
				for (const report of some.toSorted((a, b) => a.n - b.n)) done(await say(report));
				const inOrder = await outcome();
				await fresh();
				const again = [...some, ...some]
					.map((report, i) => ({ report, key: keys[i] ?? 0 }))
					.sort((a, b) => a.key - b.key);
				for (let i = 0; i < again.length; i += atOnce) {
					const together = again.slice(i, i + atOnce).map(({ report }) => say(report));
					for (const noted of await Promise.all(together)) done(noted);
				}
				expect(await outcome()).toEqual(inOrder);
			}),
			{ numRuns: size(200) },
		);
		expect(await audit(world.database.db)).toEqual([]);
	});
});

describe("Draw-downs beside partners' reserves on the same shelf", () => {
	it("share the units: none is had twice, none is lost, and what nobody has is an exception", async () => {
		const units = 60;
		for (const lot of ["a", "b", "c"]) await world.receive(lot, units / 3, "ACME", `209${lot === "a" ? 0 : 1}-01-01`);
		const reserve = async (n: number): Promise<number> => {
			const answer = await world.engine.execute({
				...({
					kind: "reserve",
					origin: operator,
					caller: world.town.callers.acme,
					newToken: world.town.id(`h${n}`),
				} as const),
				lines: [
					{
						sku: `${world.town.name}-one`,
						qty: 2,
						brandCode: undefined,
					},
				],
				ttlMinutes: 30,
				externalRef: null,
			});
			return isRefusal(answer) ? 0 : 2;
		};
		const ship = async (n: number) =>
			done(
				await noteShipped(world.database.db, settings, {
					source: "label",
					reference: `${world.town.name}/${n}`,
					store: "acme",
					shippedAt: at(1),
					lines: world.lines({ one: 3 }),
				}),
			);
		const [held, drawn] = await Promise.all([
			Promise.all(Array.from({ length: 20 }, (_, n) => reserve(n))),
			Promise.all(Array.from({ length: 15 }, (_, n) => ship(n))),
		]);
		const heldUnits = held.reduce((total, one) => total + one, 0);
		const drawnUnits = drawn.reduce((total, one) => total + one.drawnUnits, 0);
		const missing = drawn.reduce((total, one) => total + one.missingUnits, 0);
		expect(drawnUnits + missing).toBe(45);
		expect(heldUnits + drawnUnits).toBeLessThanOrEqual(units);
		const { rows } = await world.database.db.query(
			"select sum(available)::int as available, sum(held)::int as held, sum(shipped)::int as shipped from lot where formula_id = $1",
			[world.town.id("F0")],
		);
		expect(rows).toEqual([{ available: units - heldUnits - drawnUnits, held: heldUnits, shipped: drawnUnits }]);
		expect(await audit(world.database.db)).toEqual([]);
	});
});

describe("Draw-downs beside imports that write demand and bring more of the same lots", () => {
	it("wait for each other's turn, never in a circle, and all are done", async () => {
		const ring = parseKeyRing(newKeyRingEntry());
		const { name } = world.town;
		await world.receive("b0", 50, "ACME");
		await world.receive("b1", 50, "ACME");
		const importMore = async (n: number): Promise<void> => {
			const lot = { formula: `${name}-F0`, brand_code: "ACME", units: 50 + n };
			const file = emptyWorld();
			const problems = takeJson(
				file,
				"world.json",
				JSON.stringify({
					lots: ["b0", "b1"].map((batch_number) => ({ ...lot, batch_number })),
					demand: [{ formula: `${name}-F0`, brand_code: "ACME", units: n, reference: `${name} wholesale` }],
				}),
			);
			expect(problems).toEqual([]);
			await importWorld(world.database.db, { executeIn, openSandbox, ring, actor: "operator:ada" }, file);
		};
		const ship = async (n: number) => {
			const report = { source: "label", reference: `${name}/${n}`, lines: world.lines({ one: 2 }) };
			done(await noteOpenOrder(world.database.db, settings, { ...report, store: "acme", modifiedAt: at(1) }));
			return done(await noteShipped(world.database.db, settings, { ...report, store: null, shippedAt: at(2) }));
		};
		const imports = (async () => {
			for (let n = 1; n <= 8; n++) await importMore(n);
		})();
		const shipped = await Promise.all(
			[0, 10, 20].map(async (first) => {
				const outcomes = [];
				for (let n = first; n < first + 8; n++) outcomes.push(await ship(n));
				return outcomes;
			}),
		);
		await imports;
		expect(shipped.flat().map(({ drawnUnits }) => drawnUnits)).toEqual(Array.from({ length: 24 }, () => 2));
		const { rows } = await world.database.db.query(
			"select sum(received)::int as received, sum(shipped)::int as shipped from lot where formula_id = $1",
			[world.town.id("F0")],
		);
		expect(rows).toEqual([{ received: 116, shipped: 48 }]);
		expect(await audit(world.database.db)).toEqual([]);
	});
});
