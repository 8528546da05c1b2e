import { Command } from "commander";
import { readVersion } from "../../service/src/ground/lib/version.ts";
import { runProgram } from "./terminal/command.ts";

type Add = (program: Command) => void;

/** Every command, or group of commands, in the order of the help. Only the one that was typed is loaded. */
const COMMANDS: { readonly [name: string]: () => Promise<Add> } = {
	start: async () => (await import("./offline/start.ts")).addStart,
	migrate: async () => (await import("./offline/start.ts")).addMigrate,
	import: async () => (await import("./commands/import.ts")).addImport,
	export: async () => (await import("./commands/export.ts")).addExport,
	keys: async () => (await import("./commands/keys.ts")).addKeys,
	partners: async () => (await import("./commands/keys.ts")).addPartners,
	operators: async () => (await import("./commands/operators.ts")).addOperators,
	audit: async () => (await import("./commands/audit.ts")).addAudit,
	runs: async () => (await import("./commands/runs.ts")).addRuns,
	overview: async () => (await import("./commands/overview.ts")).addOverview,
	stock: async () => (await import("./commands/stock.ts")).addStock,
	catalog: async () => (await import("./commands/catalog.ts")).addCatalog,
	demand: async () => (await import("./commands/demand.ts")).addDemand,
	holds: async () => (await import("./commands/holds.ts")).addHolds,
	orders: async () => (await import("./commands/orders.ts")).addOrders,
	ship: async () => (await import("./commands/ship.ts")).addShip,
	coa: async () => (await import("./commands/coa.ts")).addCoa,
	events: async () => (await import("./commands/events.ts")).addEvents,
	webhooks: async () => (await import("./commands/webhooks.ts")).addWebhooks,
	sandbox: async () => (await import("./commands/sandbox.ts")).addSandbox,
	explain: async () => (await import("./commands/explain.ts")).addExplain,
	verify: async () => (await import("./commands/verify.ts")).addVerify,
	backup: async () => (await import("./commands/backup.ts")).addBackup,
	restore: async () => (await import("./offline/restore.ts")).addRestore,
	config: async () => (await import("./offline/start.ts")).addConfig,
	secrets: async () => (await import("./offline/secrets.ts")).addSecrets,
	doctor: async () => (await import("./offline/start.ts")).addDoctor,
	completion: async () => {
		const { addCompletion } = await import("./offline/completion.ts");
		return (program) => addCompletion(program, () => addAll(new Command("holdfast")));
	},
};

async function addAll(program: Command, commands = Object.values(COMMANDS)): Promise<Command> {
	for (const load of commands) (await load())(program);
	return program;
}

const program = new Command("holdfast")
	.description(
		"Holdfast: live availability, holds and consumes over lots. Commands work whether or not a service runs.",
	)
	.version(readVersion(), "--version", "print the version of this build")
	.configureHelp({ showGlobalOptions: true })
	.exitOverride()
	.enablePositionalOptions() // an option belongs to the command it follows, at every level
	.addHelpText(
		"after",
		"\nEvery command but start and completion takes --json; a failure is then printed as JSON too. Exit codes: 0 done, 1 refused or a problem found, 2 wrong usage, 130 interrupted.\nMore: docs/operator/",
	);
const typed = COMMANDS[process.argv[2] ?? ""];
await addAll(program, typed === undefined ? Object.values(COMMANDS) : [typed]);
await runProgram(program, process.argv);
