import { Command } from "commander";

type Add = (program: Command) => void;

/** For each command or group of commands, in the order of the help: the function that loads it. */
export const COMMANDS: { readonly [name: string]: () => Promise<Add> } = {
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
	customers: async () => (await import("./commands/customers.ts")).addCustomers,
	ship: async () => (await import("./commands/ship.ts")).addShip,
	coa: async () => (await import("./commands/coa.ts")).addCoa,
	events: async () => (await import("./commands/events.ts")).addEvents,
	webhooks: async () => (await import("./commands/webhooks.ts")).addWebhooks,
	requests: async () => (await import("./commands/requests.ts")).addRequests,
	golives: async () => (await import("./commands/golives.ts")).addGoLives,
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

/** Adds commands to a program: all of them, unless told which. */
export async function addAll(program: Command, commands = Object.values(COMMANDS)): Promise<Command> {
	for (const load of commands) (await load())(program);
	return program;
}
