import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { newId } from "../../ground/lib/ids.ts";
import { createLog } from "../../ground/lib/log.ts";
import { type FollowDeps, followOrder } from "./follow-order.ts";
import type { BoxWish } from "./orders-side.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

it("A box that stood still only after somebody had let it go on, goes on in the end", async () => {
	const orderId = newId();
	await database.db.query("insert into label_push (order_id, state, platform_id) values ($1, 'taken', 'se-1')", [
		orderId,
	]);
	let wish: BoxWish = "stand_still";
	let stands = false;
	const asked = Promise.withResolvers<void>();
	const arrives = Promise.withResolvers<void>();
	const deps: FollowDeps = {
		db: database.db,
		log: createLog("error"),
		orders: { wishOf: async () => wish },
		platform: {
			async stop() {
				asked.resolve();
				await arrives.promise; // the request takes long
				stands = true;
				return "stopped";
			},
			async letGoOn() {
				stands = false;
				if (wish === "go") wish = "stand_still"; // the order is put on hold again while the answer is on its way
				return "goes_on";
			},
			cancel: async () => "cancelled",
		},
	};
	const follow = () => followOrder(deps, orderId, { number: 1, signal: new AbortController().signal } as never);
	const stopping = follow();
	await asked.promise;
	wish = "go";
	const goingOn = follow();
	await goingOn; // it released a box that was not stopped yet
	arrives.resolve();
	await stopping;
	expect(stands).toBe(true);
	wish = "go";
	await follow();
	expect(stands).toBe(false);
});
