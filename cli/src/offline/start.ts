import type { Command } from "commander";
import { maskedConfig, VARIABLES } from "../../../service/src/config.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { EXIT } from "../terminal/failure.ts";
import { complain, print, table } from "../terminal/output.ts";
import { readConfig, withStore } from "./context.ts";

export function addStart(program: Command): void {
	program
		.command("start")
		.description("serve the partner API until a signal stops it (as `npm start` does)")
		.addHelpText("after", "\nExample:\n  $ npm start")
		.action(async () => {
			const { main } = await import("../../../service/src/main.ts");
			await main();
		});
}

export function addMigrate(program: Command): void {
	addCommand(
		program,
		"migrate",
		"migrate the database to this build's schema; creates the embedded database if there is none",
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
	const { migrate } = await import("../../../service/src/ground/pg/migrate.ts");
	const { refusePooler } = await import("../../../service/src/ground/pg/pooler.ts");
	await refusePooler(url);
	return await migrate(url, { say: complain });
}

export function addDoctor(program: Command): void {
	addCommand(
		program,
		"doctor",
		"check everything that a start needs, and say what to do about each problem; exits 1 if there is one",
		"doctor",
	).action(async (options: JsonOption) => {
		const { examine } = await import("./examine.ts");
		const findings = await examine();
		const ok = findings.every((finding) => finding.ok);
		print({ ok, findings }, options.json, () =>
			findings
				.map(
					(one) => `${one.ok ? "ok  " : "BAD "} ${one.what}: ${one.found}${one.advice ? `\n     ${one.advice}` : ""}`,
				)
				.join("\n"),
		);
		if (!ok) process.exitCode = EXIT.refused;
	});
}

export function addConfig(program: Command): void {
	addCommand(program, "config", "the configuration in force, secrets masked", "config").action(
		(options: JsonOption) => {
			const masked = maskedConfig(readConfig());
			print(masked, options.json, () => {
				const names = Object.keys(VARIABLES) as (keyof typeof VARIABLES)[];
				return table(
					["VARIABLE", "VALUE", "MEANING"],
					names.map((name) => [name, masked[name] === null ? "(unset)" : String(masked[name]), VARIABLES[name]]),
				);
			});
		},
	);
}
