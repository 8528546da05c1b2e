import { randomUUID } from "node:crypto";
import type { Deps } from "../../src/deps.ts";
import { SANDBOX_BRAND, SCOPES } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import type { Database } from "../../src/ground/pg/connect.ts";
import type { MintRequest } from "../../src/partners/keys/key-rules.ts";
import type { MintedKey } from "../../src/partners/keys/mint-key.ts";
import type { ImportReport } from "../../src/upkeep/import/apply-world.ts";
import type { EntryKind } from "../../src/upkeep/import/entries.ts";
import { mint, newPartner } from "../doors.ts";
import { openHouse } from "../house.ts";
import { takeOutInSteps } from "../recall-steps.ts";
import { type Client, createClient } from "./client.ts";

/** An operator's file, as tests write it: the sections of `holdfast import`. */
export type Entries = { readonly [K in EntryKind]?: readonly Readonly<Record<string, unknown>>[] };

/** Ids that an import created. */
interface Made {
	readonly formulas: Map<string, string>;
	readonly lots: Map<string, string>;
}

export interface StockedLot {
	readonly brand: string | null;
	readonly units: number;
	readonly expires?: string;
	readonly received?: string;
}

export interface Stocked {
	readonly sku: string;
	/** The id of its formula. */
	readonly code: string;
	readonly formulaId: string;
	/** Ids, in the order the lots were given. */
	readonly lots: readonly string[];
}

/** A whole service with real keys and a real database of its own, reached over real HTTP. */
export interface World extends Client {
	readonly deps: Deps;
	/** For reading the tables directly. */
	readonly db: Database;
	readonly port: number;
	/** Creates everything that the entries name. Returns the new ids, by code and by batch number. */
	has(entries: Entries): Promise<Made>;
	/** A new SKU with a new formula, and these lots. */
	stocked(lots: readonly StockedLot[], perKit?: number): Promise<Stocked>;
	/** A key with every scope and a rate limit that no test reaches, bound to a brand if one is named. */
	key(request?: Partial<MintRequest> & { readonly brand?: string }): Promise<MintedKey>;
	partner(): string;
	/** A day relative to the database's current day. */
	day(offset: number): string;
	quarantine(fgId: string, units: number | "all"): Promise<void>;
	destroy(fgId: string, units: number | "all"): Promise<void>;
	/** Moves the times of a hold back, so that its end has passed. */
	lapse(token: string): Promise<void>;
	/** Errors in the balances, as sentences; empty if every unit is accounted for. */
	audit(): Promise<string[]>;
	stop(): Promise<void>;
}

const MS_PER_DAY = 86_400_000;
const origin = { actor: "operator:test", requestId: null };

/** `env`: HOLDFAST_* variables beside those the house sets. */
export async function openWorld(env: Record<string, string> = {}): Promise<World> {
	const house = await openHouse({ env });
	const { db, ring } = house;
	const deps = house.deps;
	const port = Number(new URL(house.api).port);
	const client = createClient(port);
	const today = await todayOf(db);
	const takeAway = async (kind: "quarantine" | "destroy", fgId: string, units: number | "all"): Promise<void> => {
		const answer = await takeOutInSteps(db, { kind, origin, fgId, units, reason: "test" });
		if (isRefusal(answer)) throw new Error(answer.message);
	};
	const has = async (entries: Entries): Promise<Made> => madeBy(await house.importWorld(entries));
	return {
		...client,
		deps,
		db,
		port,
		has,
		stocked: (lots, perKit = 1) => makeStocked(has, lots, perKit),
		key: async ({ brand, ...request } = {}) =>
			mint(db, ring, {
				scopes: SCOPES,
				...(brand === undefined ? {} : { brandCode: brand }),
				...(brand === SANDBOX_BRAND ? { environment: "sandbox", sharedPool: false } : {}),
				...request,
			}),
		partner: newPartner,
		day: (offset) => new Date(today + offset * MS_PER_DAY).toISOString().slice(0, 10),
		quarantine: (fgId, units) => takeAway("quarantine", fgId, units),
		destroy: (fgId, units) => takeAway("destroy", fgId, units),
		lapse: (token) => lapse(db, token),
		audit: () => audit(db),
		stop: async () => {
			client.close();
			await house.close();
		},
	};
}

async function todayOf(db: Database): Promise<number> {
	const { rows } = await db.query<{ today: string }>("select (now() at time zone 'UTC')::date as today");
	return Date.parse(`${must(rows[0], "today").today}T00:00:00Z`);
}

const madeBy = ({ formulas, lots }: ImportReport): Made => ({
	formulas: new Map(formulas.map(({ code, formula_id }) => [code, must(formula_id, code)])),
	lots: new Map(lots.map(({ batch_number, fg_id }) => [batch_number, must(fg_id, batch_number)])),
});

async function makeStocked(has: World["has"], lots: readonly StockedLot[], perKit: number): Promise<Stocked> {
	const [code, sku] = [unique("F"), unique("S")];
	const batch = (index: number): string => `${code}-${index}`;
	const made = await has({
		formulas: [{ code, name: code, status: "active" }],
		skus: [{ sku, name: sku, kind: "single", components: [{ formula: code, per_kit: perKit }] }],
		lots: lots.map(({ brand, units, expires, received }, index) => ({
			formula: code,
			brand_code: brand,
			batch_number: batch(index),
			units,
			...(expires === undefined ? {} : { expires_on: expires }),
			...(received === undefined ? {} : { received_on: received }),
		})),
	});
	return {
		sku,
		code,
		formulaId: must(made.formulas.get(code), code),
		lots: lots.map((_, index) => must(made.lots.get(batch(index)), "lot")),
	};
}

async function lapse(db: Database, token: string): Promise<void> {
	await db.query("update hold set expires_at = now() - interval '1 second' where reservation_token = $1", [token]);
}

/** The balances computed again from the ledger and the holds alone. */
async function audit(db: Database): Promise<string[]> {
	const { rows } = await db.query<{ wrong: string }>(`
		with flow as (
			select fg_id, to_bucket as bucket, units from unit_move
			union all
			select fg_id, from_bucket, -units from unit_move),
		moved as (select fg_id, bucket, sum(units) as units from flow group by 1, 2),
		kept as (
			select l.fg_id, b.bucket, b.units from lot l cross join lateral (values
				('received', -l.received), ('corrected', -l.corrected), ('available', l.available), ('held', l.held),
				('allocated', l.allocated), ('consumed', l.consumed), ('shipped', l.shipped), ('quarantined', l.quarantined),
				('destroyed', l.destroyed)) b(bucket, units))
		select format('lot %s: %s is %s, its moves say %s', k.fg_id, k.bucket, k.units, coalesce(m.units, 0)) as wrong
		  from kept k left join moved m using (fg_id, bucket) where k.units <> coalesce(m.units, 0)
		union all
		select format('lot %s: units made or lost', fg_id) from lot
		 where received + corrected <> available + held + allocated + consumed + shipped + quarantined + destroyed
		union all
		select format('lot %s: %s held, its holds say %s', l.fg_id, l.held, p.units)
		  from lot l cross join lateral (
			select coalesce(sum(p.units), 0) as units from part_now p where p.fg_id = l.fg_id and p.state = 'held') p
		 where l.held <> p.units`);
	return rows.map(({ wrong }) => wrong);
}

let names = 0;

/** A name that no other test uses. */
export const unique = (what: string): string => `${what}-${(++names).toString(36)}`;

/** A token of no hold. */
export const neverIssued = (): string => randomUUID();
