import { rm } from "node:fs/promises";
import { join } from "node:path";
import { serverAccount } from "../../../lab/src/ground/account.ts";
import { findBinaries } from "../../../lab/src/ground/binaries.ts";
import { withSession } from "../../../lab/src/ground/one-session.ts";
import { freePort } from "../../../lab/src/ground/ports.ts";
import { newPassword, PostgresServer } from "../../../lab/src/ground/postgres-server.ts";
import { openDatabase } from "../../src/ground/pg/connect.ts";
import { migrate } from "../../src/ground/pg/migrate.ts";
import type { TestDatabase } from "../house.ts";
import { leaksInFolder } from "../leaks/find-in-files.ts";
import { finderOfKnown, keepSecret } from "../leaks/secrets.ts";
import type { FastClock } from "./fast-clock.ts";

const NAME = "holdfast";

/** A migrated database on a server of its own, with this clock, in a folder that is removed with it. */
export async function openFastDatabase(clock: FastClock, folder: string): Promise<TestDatabase> {
	const account = serverAccount();
	const password = newPassword();
	keepSecret("the password of a test's PostgreSQL", password);
	const server = new PostgresServer({
		name: NAME,
		folder: join(folder, "server"),
		port: await freePort(),
		password,
		binaries: await findBinaries(account, folder),
		account,
		log: join(folder, "postgres.log"),
		clock,
	});
	await server.create();
	await server.start();
	await withSession(server.url(), (session) => session.query(`create database ${NAME}`));
	const url = server.url(NAME);
	await migrate(url);
	const db = openDatabase(url, { name: "test", max: 4 });
	let left: Promise<void> | undefined;
	const leave = (): Promise<void> => (left ??= db.close());
	return {
		name: NAME,
		url,
		db,
		leave,
		close: async () => {
			await leave();
			await server.stop();
			const leaks = leaksInFolder(finderOfKnown(), folder);
			await rm(folder, { recursive: true, force: true });
			if (leaks.length > 0) throw new Error(leaks.join("\n"));
		},
	};
}
