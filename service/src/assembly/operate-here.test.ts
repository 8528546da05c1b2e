import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openTestDatabase } from "../../test/house.ts";
import { readEnv, toConfig } from "../config.ts";
import { newKeyRingEntry, parseKeyRing } from "../partners/keys/key-ring.ts";
import { TAKE_OVER_EVERY_MS } from "../partners/runs/limits.ts";
import { operateHere } from "./operate-here.ts";

it("A command that needs no key ring leaves the runs of others alone; one that has it takes them over", async () => {
	const { db, url: databaseUrl, close } = await openTestDatabase();
	await db.query(
		`insert into operator_run (run_id, operation, about, actor, request_id, status, state, done, held_until)
		 values (gen_random_uuid(), 'import_world', 'x', 'operator:test', 'req_1', 'running', '{"rows": 1}', 0, now() - interval '1 minute')`,
	);
	const config = toConfig(readEnv({ HOLDFAST_DATABASE_URL: databaseUrl }));
	const statusAfter = async (ring: Parameters<typeof operateHere>[0]["ring"]) => {
		await operateHere({ config, db, databaseUrl, ring }, () => sleep(TAKE_OVER_EVERY_MS + 1_500));
		return (await db.query("select status, error ->> 'code' as code from operator_run")).rows;
	};
	expect(await statusAfter(null)).toEqual([{ status: "running", code: null }]);
	// its data were in the memory of a process that is gone
	expect(await statusAfter(parseKeyRing(newKeyRingEntry()))).toEqual([{ status: "failed", code: "internal_error" }]);
	await close();
}, 60_000);
