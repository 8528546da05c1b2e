import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Environment } from "../../src/glossary.ts";
import { RetireCertificate } from "../../src/inventory/certificates/certificate-write-contract.ts";
import { RecallLots } from "../../src/inventory/recall/admin-contract.ts";
import { CHOSEN_EVENT_TYPES } from "../../src/partners/webhooks/endpoint.ts";
import { newPartner } from "../doors.ts";
import { until } from "../processes/child.ts";
import { certified } from "./acts.ts";
import { INSTANT, openStage, type Stage, untested } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
	stage = await openStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

/** The endpoints that a withdrawn certificate of this environment may concern, and one of the other environment. */
async function readers(environment: Environment) {
	const [a, b] = [await stage.mint(newPartner(), environment), await stage.mint(newPartner(), environment)];
	const blind = await stage.mint(newPartner(), environment, ["atp.webhooks", "atp.check"]);
	const over = await stage.mint(newPartner(), environment === "live" ? "sandbox" : "live");
	const revoked = await stage.mint(newPartner(), environment);
	const told = [await stage.endpoint(a, ["certificate.retired"]), await stage.endpoint(b, CHOSEN_EVENT_TYPES)];
	const untold = [
		await stage.endpoint(a),
		await stage.endpoint(blind, CHOSEN_EVENT_TYPES),
		await stage.endpoint(over, CHOSEN_EVENT_TYPES),
	];
	const gone = await stage.endpoint(revoked, CHOSEN_EVENT_TYPES);
	await stage.house.db.query("update api_key set revoke_at = now() where pk = $1", [revoked.split(":")[0]]);
	return { told, untold, gone };
}

describe.each(["live", "sandbox"] as const)("A withdrawn certificate of the environment %s", (environment) => {
	const ways: [way: string, withdraw: (one: Awaited<ReturnType<typeof certified>>) => Promise<unknown>][] = [
		["is retired", ({ slug, batch }) => stage.operate(RetireCertificate, { slug, batch }, { reason: "wrong method" })],
		...(environment === "live"
			? ([
					[
						"is retired with its lots",
						({ slug, batch }) => stage.operate(RetireCertificate, { slug, batch }, { reason: "bad", recall: true }),
					],
					[
						"is of a batch that is recalled",
						({ batch }) => stage.operate(RecallLots, {}, { batch_number: batch, reason: "bad" }),
					],
				] as typeof ways)
			: []),
	];
	it.each(ways)(
		"that %s is told once to each partner that may read the feed there and chose it",
		async (_way, withdraw) => {
			const { told, untold, gone } = await readers(environment);
			const one = await certified(stage, environment);
			await withdraw(one);
			await stage.settle([...told, ...untold]);
			for (const post of told) {
				const [event, ...more] = untested(post);
				expect(more).toEqual([]);
				expect(event).toMatchObject({ type: "certificate.retired", environment, timestamp: INSTANT, data: one.data });
				expect(Object.keys(event?.data ?? {})).toEqual(["product", "batch_number", "verify_url"]);
			}
			const ids = told.flatMap((post) => untested(post).map(({ id }) => id));
			expect(new Set(ids).size).toBe(2);
			for (const post of untold) expect(untested(post)).toEqual([]);
			expect(gone.receiver.arrived).toEqual([]);
			const { rows } = await stage.house.db.query(
				"select from webhook_delivery d join event e using (seq) where d.endpoint_id = $1 and e.type = 'certificate.retired'",
				[gone.id],
			);
			expect(rows).toEqual([]);
		},
	);

	it("that nobody chose leaves no event, and neither does a dry run nor a repeat", async () => {
		const one = await certified(stage, environment);
		const { slug, batch } = one;
		const count = async (): Promise<number> =>
			(
				await stage.house.db.query<{ n: number }>(
					"select count(*)::int as n from event where type = 'certificate.retired' and body like '%' || $1 || '%'",
					[slug],
				)
			).rows[0]?.n ?? -1;
		const token = await stage.mint(newPartner(), environment);
		const post = await stage.endpoint(token, ["certificate.retired"]);
		await stage.operate(RetireCertificate, { slug, batch }, { reason: "wrong", dry_run: true });
		expect(await count()).toBe(0);
		await stage.operate(RetireCertificate, { slug, batch }, { reason: "wrong" });
		await stage.operate(RetireCertificate, { slug, batch }, { reason: "wrong" });
		await until("the event", () => post.arrived().length > 0);
		const { rows } = await stage.house.db.query(
			"select from event where partner_id = (select partner_id from api_key where pk = $1)",
			[token.split(":")[0]],
		);
		expect(rows).toHaveLength(1);
	});
});
