import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import type { CertificateEntry } from "../../src/inventory/certificates/plan.ts";
import { putCertificates } from "../../src/inventory/certificates/put-certificates.ts";
import { type CoaWorld, openCoaWorld, pdfOf } from "../contract/coa-world.ts";
import { createRandom } from "../contract/random.ts";
import { LINKS } from "../links.ts";
import { recallInSteps } from "../recall-steps.ts";
import { setStatus } from "../set-status.ts";
import { sizeOr } from "../sizes.ts";

/*
 * Mirrors follow the feed while certificates are published, archived, retired, replaced and withdrawn by recalls; at
 * the end they are correct and have seen every change. Also runs the mirror that the guide prints, unchanged.
 */

/** Changes of certificates in one run. */
const CHANGES = sizeOr(50_000, 240);
const PUBLISHERS = 4;
const PRODUCTS = 20;
const BATCHES = 40;
/** Number of commits for the changes of a publisher. */
const PER_COMMIT = sizeOr(25, 4);

let world: CoaWorld;
let token: string;
let folder: string;

beforeAll(async () => {
	world = await openCoaWorld();
	({ token } = await world.key());
	folder = await mkdtemp(path.join(tmpdir(), "holdfast-mirror-"));
});
afterAll(async () => {
	await world.stop();
	await rm(folder, { recursive: true });
});

/** From 0 to below 1. */
function diceOf(seed: number): () => number {
	const random = createRandom(seed);
	return () => random.below(1_000_000) / 1_000_000;
}

interface Item {
	readonly product: { readonly slug: string };
	readonly batch_number: string;
	readonly status: string;
	readonly certificate_url: string;
	readonly updated_at: string;
}
const keyOf = ({ product, batch_number }: Item): string => `${product.slug} ${batch_number}`;

/** The correct content of a mirror: every listed certificate as in the tables. */
async function truth(slugs: readonly string[]): Promise<Map<string, string>> {
	const { rows } = await world.db.query<{ key: string; status: string }>(
		"select product_slug || ' ' || batch_number as key, status from certificate where version is not null and not reissued and product_slug = any($1)",
		[slugs],
	);
	return new Map(rows.map(({ key, status }) => [key, status]));
}

/**
 * Changes certificates by every verb, in transactions of its own, concurrently with others. Returns the number of
 * changes.
 */
async function publish(
	slugs: readonly string[],
	seed: number,
	changes: number,
	pdf: Pick<CertificateEntry, "digest" | "size">[],
): Promise<number> {
	const dice = diceOf(seed);
	const pick = <T>(list: readonly T[]): T => must(list[Math.floor(dice() * list.length)], "one of a list");
	let done = 0;
	while (done < changes) {
		const names = new Map<string, CertificateEntry>();
		for (let n = 0; n < PER_COMMIT; n++) {
			const [slug, batchNumber] = [pick(slugs), `B${Math.floor(dice() * BATCHES)}`];
			const status = dice() < 0.8 ? "current" : "archived";
			const purityPct = Math.round(dice() * 10_000) / 100;
			names.set(`${slug} ${batchNumber}`, {
				slug,
				batchNumber,
				vialSize: null,
				testedOn: null,
				labName: `Lab ${seed}`,
				purityPct,
				status,
				...pick(pdf),
			});
		}
		const answer = await putCertificates(world.db, [...names.values()], { actor: "operator:test", reissue: true });
		if ("plans" in answer) done += answer.plans.filter(({ what }) => what !== "unchanged").length;
		for (const { slug, batchNumber } of names.values()) {
			if (dice() > 0.3) continue;
			const set = await setStatus(world.db, LINKS, { slug, batchNumber }, dice() < 0.5 ? "retired" : "archived", {
				actor: "operator:test",
				reason: null,
			});
			if (!isRefusal(set) && set.changed) done++;
		}
	}
	return done;
}

/** Lots that are certified and recalled while everything else continues. */
async function recallSome(
	slugs: readonly string[],
	count: number,
	pdf: Pick<CertificateEntry, "digest" | "size">,
): Promise<void> {
	for (let n = 0; n < count; n++) {
		const [slug, batch, code] = [must(slugs[n % slugs.length], "a slug"), `R${n}`, `F-${slugs[0]}-${n}`];
		await world.has({
			formulas: [{ code, name: code, status: "active" }],
			skus: [
				{ sku: `S-${code}`, name: code, product: slug, kind: "single", components: [{ formula: code, per_kit: 1 }] },
			],
			lots: [{ formula: code, brand_code: null, batch_number: batch, units: 5 }],
		});
		const entry = {
			slug,
			batchNumber: batch,
			vialSize: null,
			testedOn: null,
			labName: null,
			purityPct: null,
			status: "current",
			...pdf,
		} as const;
		await putCertificates(world.db, [entry], { actor: "operator:test" });
		const origin = { actor: "operator:test", requestId: null };
		const told = await recallInSteps(world.db, {
			origin,
			target: { batchNumber: batch, formula: code, slug: null },
			reason: "bad",
		});
		if (isRefusal(told)) throw new Error(told.message);
	}
}

interface Follower {
	readonly name: string;
	readonly limit: number;
	readonly format: "json" | "csv";
	/**
	 * The kinds of mirrors: by cursor; by times, restarted at random moments; by cursor, and killed at random moments,
	 * so that unsaved data is lost.
	 */
	readonly by: "cursor" | "times" | "killed";
}

/** Reads one page: its records, the next cursor, whether there are more, and the moment. */
async function readPage(query: URLSearchParams, format: string) {
	const { status, json, text, headers } = await world.ask(`/api/partner/v1/coa?${query}`, { token });
	if (status !== 200) throw new Error(`${status} ${text}`);
	const next = must(headers.get("x-next-cursor"), "a cursor");
	const more = headers.get("link") !== null;
	if (format === "json") return { items: json.data.items as Item[], next, more };
	const rows = parse(text, { columns: true }) as Record<string, string>[];
	const items = rows.map(
		({ product_slug = "", batch_number = "", status: is = "", certificate_url = "", updated_at = "" }) => ({
			product: { slug: product_slug },
			batch_number,
			status: is,
			certificate_url,
			updated_at,
		}),
	);
	return { items, next, more };
}

/** Follows until `isOver` is true and then to the end. Returns the mirror's content. */
async function follow({ limit, format, by }: Follower, slugs: readonly string[], isOver: () => boolean, seed: number) {
	const dice = diceOf(seed);
	let kept = { cursor: null as string | null, since: null as string | null, has: new Map<string, string>(), seen: 0 };
	for (let last = false; ; ) {
		const over = isOver(); // before the page is read
		const query = new URLSearchParams({ status: "all", limit: String(limit), format });
		for (const slug of slugs) query.append("product", slug);
		if (kept.since !== null) query.set("updated_since", kept.since);
		if (kept.cursor !== null) query.set("cursor", kept.cursor);
		const { items, next, more } = await readPage(query, format);
		if (by === "killed" && dice() < 0.2) continue; // killed between reading and saving
		const has = new Map(kept.has);
		for (const item of items) has.set(keyOf(item), item.status);
		const newest = items.reduce(
			(latest, { updated_at }) => (updated_at > latest ? updated_at : latest),
			kept.since ?? "",
		);
		const restarts = by === "times" && newest !== "" && dice() < 0.1;
		kept = restarts
			? { cursor: null, since: newest, has, seen: kept.seen + items.length }
			: { ...kept, cursor: next, has, seen: kept.seen + items.length };
		if (items.some(({ status, certificate_url }) => (status === "retired") !== (certificate_url === "")))
			throw new Error("a tombstone with a PDF, or the other way about");
		if (last && !more && !restarts) return kept;
		last = over && !restarts;
		if (!more && !over) await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

describe("A mirror of the feed", () => {
	it(`ends with the truth, tombstones included, whatever ${CHANGES} changes happen meanwhile`, async () => {
		const slugs = Array.from({ length: PRODUCTS }, (_, at) => `mirror-${at}`);
		await world.has({ products: slugs.map((slug) => ({ slug, name: slug })) });
		const pdf = await Promise.all(
			["x", "y", "z"].map(async (name) => {
				const bytes = await pdfOf(name, name);
				return { digest: await world.deps.files.put(bytes), size: bytes.length };
			}),
		);
		const followers: Follower[] = [
			{ name: "JSON by 500", limit: 500, format: "json", by: "cursor" },
			{ name: "JSON by 50, killed", limit: 50, format: "json", by: "killed" },
			{ name: "JSON by 50, by times", limit: 50, format: "json", by: "times" },
			{ name: "CSV by 50", limit: 50, format: "csv", by: "cursor" },
			{ name: "CSV by 500, by times", limit: 500, format: "csv", by: "times" },
			{ name: "JSON by 1, killed", limit: 1, format: "json", by: "killed" },
			{ name: "CSV by 1", limit: 1, format: "csv", by: "cursor" },
		];
		let over = false;
		const following = followers.map((follower, at) => follow(follower, slugs, () => over, 100 + at));
		const changed = await Promise.all([
			...Array.from({ length: PUBLISHERS }, (_, at) => publish(slugs, at + 1, CHANGES / PUBLISHERS, pdf)),
			recallSome(slugs, sizeOr(100, 6), must(pdf[0], "a PDF")).then(() => 0),
		]);
		over = true;
		const ended = await Promise.all(following);
		const right = await truth(slugs);
		expect(changed.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(CHANGES);
		expect([...right.values()].filter((status) => status === "retired").length).toBeGreaterThan(0);
		for (const [at, { has }] of ended.entries()) {
			const missed = [...right].filter(([key, status]) => has.get(key) !== status);
			expect([followers[at]?.name, missed]).toEqual([followers[at]?.name, []]);
			expect(has.size).toBe(right.size);
		}
	}, 1_200_000);
});

describe("The mirror that the guide prints", () => {
	it("runs as it is printed: from nothing, from its cursor, and with a key that was revoked", async () => {
		const guide = await readFile(path.resolve(import.meta.dirname, "../../../docs/partner/coa.md"), "utf8");
		const [, sample = ""] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
		const script = path.join(folder, "mirror.mjs");
		await writeFile(script, sample);
		expect(sample.split("\n").length).toBeLessThanOrEqual(50);
		const slug = "guide";
		await world.has({ products: [{ slug, name: "Guide" }] });
		await world.certify({ slug, batchNumber: "1" }, { slug, batchNumber: "2" });
		const run = (key: string) =>
			new Promise<{ code: number | null; err: string }>((resolve) => {
				const child = spawn(process.execPath, [script], {
					env: { COA_URL: world.coa, COA_KEY: key, COA_FILE: path.join(folder, "coa.json") },
				});
				let err = "";
				child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
				child.on("close", (code) => resolve({ code, err }));
			});
		const has = async () => {
			const { records } = JSON.parse(await readFile(path.join(folder, "coa.json"), "utf8")) as {
				records: Record<string, Item>;
			};
			return Object.values(records)
				.filter(({ product }) => product.slug === slug)
				.map(({ batch_number }) => batch_number);
		};
		expect(await run(token)).toEqual({ code: 0, err: "" });
		expect(await has()).toEqual(["1", "2"]);
		await world.set(slug, "1", "retired");
		await world.certify({ slug, batchNumber: "3" });
		expect(await run(token)).toEqual({ code: 0, err: "" });
		expect(await has()).toEqual(["2", "3"]);
		expect(await run(`${token}x`)).toMatchObject({ code: 1, err: expect.stringContaining("show no certificates") });
		expect(await has()).toEqual(["2", "3"]);
	});
});
