import { describe, expect, it } from "vitest";
import { withoutDetail } from "./without-detail.ts";

describe("The words of an event", () => {
	it.for([
		[
			'{"type":"order.held","timestamp":"t","data":{"order_id":"o","reason":"other","detail":"Ada moved","action":"partner"}}',
			'{"type":"order.held","timestamp":"t","data":{"order_id":"o","reason":"other","detail":null,"action":"partner"}}',
		],
		[
			'{"type":"order.cancelled","data":{"by":"partner","detail":""}}',
			'{"type":"order.cancelled","data":{"by":"partner","detail":null}}',
		],
		['{"type":"order.held","data":{"reason":"other","detail":null}}', null],
		['{"type":"order.shipped","data":{"final":true}}', null],
		['{"pruned":true,"data":{"shipment":{"shipment_id":null}}}', null],
		['{"pruned":true}', null],
	] as const)("of %s are taken out, and nothing else is changed", ([body, without]) => {
		expect(withoutDetail(body)).toBe(without);
	});
});
