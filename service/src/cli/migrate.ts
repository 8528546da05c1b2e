import type { Command } from "commander";
import { addCommand } from "./command.ts";
import { readConfig, withStore } from "./context.ts";
import { complain, print } from "./output.ts";

export function addMigrate(program: Command): void {
	addCommand(
		program,
		"migrate",
		"migrate the database to this build's schema; creates the embedded database if there is none",
		"migrate",
	).action(async (options: { json?: true }) => {
		const { databaseUrl } = readConfig();
		const migrated =
			databaseUrl === null
				? await withStore(async ({ migrated: ran }) => ran, { mayMake: true })
				: await migrateServer(databaseUrl);
		print({ migrated }, options.json, () =>
			migrated.length === 0 ? "The schema is up to date." : migrated.map((name) => `${name} done`).join("\n"),
		);
	});
}

async function migrateServer(url: string): Promise<readonly string[]> {
	const [{ migrate }, { refusePooler }] = await Promise.all([
		import("../ground/pg/migrate.ts"),
		import("../ground/pg/pooler.ts"),
	]);
	await refusePooler(url);
	return await migrate(url, { say: complain });
}
