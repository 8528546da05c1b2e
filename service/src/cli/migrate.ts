import type { Command } from "commander";
import { addCommand, type JsonOption } from "./command.ts";
import { readConfig, withStore } from "./context.ts";
import { complain, print } from "./output.ts";

export function addMigrate(program: Command): void {
	addCommand(
		program,
		"migrate",
		"bring the database to this build's schema; an embedded one that is not there yet is made",
		"migrate",
	).action(async (options: JsonOption) => {
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
	const { migrate } = await import("../ground/pg/migrate.ts");
	const { refusePooler } = await import("../ground/pg/pooler.ts");
	await refusePooler(url);
	return await migrate(url, { say: complain });
}
