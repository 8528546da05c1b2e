import { expect, it } from "vitest";
import { PureHouse } from "../../../test/model/pure-house.ts";
import { makeTown } from "../../../test/model/town.ts";
import { SHARED_POOL_ID } from "../../glossary.ts";

it("a reverse knows a reference that was reserved under earlier in its own batch", () => {
	const town = makeTown("batch");
	const house = new PureHouse(town);
	const origin = { actor: "operator:test", requestId: null };
	const caller = town.callers.open;
	const lot = { newFgId: town.id("lot"), formulaId: town.id("F0"), poolId: SHARED_POOL_ID, batchNumber: "b" };
	house.run({ kind: "receive", origin, ...lot, expiresOn: null, receivedOn: null, units: 2 });
	const reverse = { kind: "reverse", origin, caller, externalRef: "r1" } as const;
	expect(house.run(reverse).answer).toMatchObject({ refusal: "not_found" });
	const lines = [{ sku: `${town.name}-one`, qty: 1, brandCode: undefined }];
	const reserve = { origin, caller, newToken: town.id("hold"), lines, ttlMinutes: 30, externalRef: "r1" };
	expect(house.run({ kind: "reserve", ...reserve }, true).answer).toMatchObject({ idempotent: false });
	expect(house.run(reverse, true).answer).toMatchObject({ refusal: "not_consumed" });
});
