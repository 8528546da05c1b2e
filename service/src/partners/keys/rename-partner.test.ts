import { afterAll, beforeAll, expect, it } from "vitest";
import { mint } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { until } from "../../../test/processes/child.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { changePartnerName } from "./change-partner.ts";
import { newKeyRingEntry, parseKeyRing } from "./key-ring.ts";
import { nextKeyVersion } from "./sql.ts";
import { revokeKey } from "./suspend-key.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

it("a partner is renamed beside a command on its keys: neither waits for the other in a circle", async () => {
	const { db } = database;
	const partner = "Renamed beside";
	const { pk } = await mint(db, parseKeyRing(newKeyRingEntry()), { partner });
	let renaming: Promise<unknown> = Promise.resolve();
	await transaction(db, async (tx) => {
		await nextKeyVersion(tx); // every command on keys begins like this
		renaming = transaction(db, (other) => changePartnerName(other, partner, "Renamed already"));
		await until("the rename to wait", async () => {
			const { rowCount } = await db.query(
				"select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
			);
			return (rowCount ?? 0) > 0;
		});
		expect(await revokeKey(tx, pk)).toMatchObject({ pk });
	});
	expect(await renaming).toMatchObject({ name: "Renamed already" });
});
