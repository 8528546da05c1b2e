import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { RetireCertificate } from "../../src/inventory/certificates/certificate-write-contract.ts";
import { ReleaseOrder } from "../../src/inventory/orders/admin-contract.ts";
import { QuarantineLot } from "../../src/inventory/recall/lot-admin-contract.ts";
import { LabelBox, VoidBox } from "../../src/inventory/shipping/ship-admin-contract.ts";
import { CHOSEN_EVENT_TYPES } from "../../src/partners/webhooks/endpoint.ts";
import { newPartner } from "../doors.ts";
import { until } from "../processes/child.ts";
import { certified, placed } from "./acts.ts";
import { openStage, type Post, type Stage } from "./stage.ts";

/* docs/partner/sandbox.md has a table of events and how to get them. Here each row is carried out. */

const PAGE = readFileSync(path.join(import.meta.dirname, "../../../docs/partner/sandbox.md"), "utf8");
const [, SECTION = ""] = PAGE.split("## Every event, and how to get it\n");
const ROWS = (SECTION.split("\n## ")[0]?.match(/^\| `.*\|$/gm) ?? []).map((row) => {
	const [type = "", , who = ""] = row.slice(1, -1).split("|");
	return { type: type.trim().replaceAll("`", ""), who: who.trim() };
});

let stage: Stage;

beforeAll(async () => {
	stage = await openStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const order = (token: string) => placed({ stage, token, environment: "sandbox" }, 1);
const send = (token: string, at: string, body: object) => stage.house.call(token, at, { body, method: "POST" });
/** An order that was advanced. */
async function advanced(token: string, to: "shipped" | "held") {
	const one = await order(token);
	await send(token, "/api/v1/sandbox/advance", { order_ref: one.ref, to });
	return one;
}

/** What is done alone, with the token, and what with the operator. */
const PLAYS: { readonly [type: string]: (token: string, post: Post) => Promise<unknown> } = {
	"order.shipped": (token) => advanced(token, "shipped"),
	"order.held": (token) => advanced(token, "held"),
	"order.cancelled": async (token) => await send(token, `/api/v1/orders/${(await order(token)).ref}/cancel`, {}),
	"order.released": async (token) =>
		await stage.operate(ReleaseOrder, { id: (await advanced(token, "held")).order_id }),
	"shipment.label_created": async (token) =>
		await stage.operate(LabelBox, { id: (await order(token)).order_id }, { carrier: "ups", tracking_number: "TEST-1" }),
	"shipment.voided": async (token) => await stage.operate(VoidBox, { id: (await advanced(token, "shipped")).order_id }),
	"hold.impaired": async (token) => {
		const { json } = await send(token, "/api/v1/reserve", { items: [{ sku: "SBX-LOW", qty: 3 }] });
		const fg_id = must(json.data.items[0].fg_ids[0] as string | undefined, "the lot of the hold");
		await stage.operate(QuarantineLot, { fg_id }, { units: 1, reason: "test" });
	},
	"certificate.retired": async () => {
		const { slug, batch } = await certified(stage, "sandbox");
		await stage.operate(RetireCertificate, { slug, batch });
	},
	"webhook.test": (token, { id }) => send(token, `/api/v1/webhook-endpoints/${id}/test`, {}),
};

describe("Every event of the sandbox, and how to get it", () => {
	it("the table has every type, and says who can cause it", () => {
		expect(ROWS.map(({ type }) => type)).toEqual([...CHOSEN_EVENT_TYPES, "webhook.test"]);
		expect(new Set(ROWS.map(({ who }) => who))).toEqual(new Set(["alone", "with the operator"]));
	});

	it.each(ROWS.map(({ type }) => type))("%s", async (type) => {
		const token = await stage.mint(newPartner(), "sandbox");
		const post = await stage.endpoint(token, CHOSEN_EVENT_TYPES);
		await must(PLAYS[type], `how to get ${type}`)(token, post);
		await until("the event", () => post.arrived().some((told) => told.type === type));
	});
});
