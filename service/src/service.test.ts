import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { openHouse, openTestDatabase } from "../test/house.ts";
import { keepSecretsOfSettings } from "../test/leaks/secrets.ts";
import { openSilencer } from "../test/silencer.ts";
import { readEnv, toConfig } from "./config.ts";
import { silentLog } from "./ground/lib/log.ts";
import { newKeyRingEntry } from "./partners/keys/key-ring.ts";
import { createService } from "./service.ts";

/** The first connections of the start itself; earlier ones were for the schema. */
const SILENT_CONNECTIONS = 2;

it("A start waits for a database that does not take its connections in time", async () => {
	const database = await openTestDatabase();
	const silencer = await openSilencer(database.url);
	const env = {
		HOLDFAST_DATABASE_URL: silencer.url,
		HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
		HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true",
		HOLDFAST_PORT: "0",
		HOLDFAST_COA_PORT: "0",
	};
	keepSecretsOfSettings(env);
	const service = await createService(toConfig(readEnv(env)), { log: silentLog() });
	try {
		silencer.silenceNext(SILENT_CONNECTIONS);
		const { api } = await service.start();
		expect((await fetch(`${api}/readyz`)).status).toBe(200);
	} finally {
		await service.dispose();
		await silencer.close();
		await database.close();
	}
});

it("A stop does not wait for a connection to the metrics that never sends anything", async () => {
	const house = await openHouse();
	const { hostname, port } = new URL(house.metrics);
	const silent = connect(Number(port), hostname);
	await once(silent, "connect");
	const gone = once(silent, "close");
	silent.on("error", () => undefined);
	await house.close();
	await gone;
}, 30_000);
