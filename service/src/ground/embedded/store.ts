import { stat } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../lib/operator-error.ts";
import { quotedCommand } from "../lib/typed-command.ts";
import { openDatabase } from "../pg/connect.ts";
import { requireDurable } from "../pg/durability.ts";
import { loadMigrationLibraries, migrate, migrationState } from "../pg/migrate.ts";
import { patiently, START_PATIENCE_MS } from "../pg/patience.ts";
import { refusePooler } from "../pg/pooler.ts";
import { type EmbeddedOptions, type EmbeddedPostgres, openEmbedded } from "./embedded.ts";

export interface StoreSettings {
	/** HOLDFAST_DATABASE_URL, or null for the embedded PostgreSQL in `dataDir`. */
	readonly databaseUrl: string | null;
	readonly dataDir: string;
	readonly pgBin: string | null;
	readonly acceptUnsafeDatabase: boolean;
}

export interface StoreOptions extends Pick<EmbeddedOptions, "role" | "onEvicted" | "onWaiting" | "signal"> {
	/** Prints one line for the user at the terminal. */
	readonly say: (line: string) => void;
	/** Whether a missing embedded database may be created. A service may always create it. */
	readonly mayMake?: boolean;
	/** Migrations of the backup that is to be loaded: no others are run. Absent: all of this build's. */
	readonly upTo?: readonly string[];
}

/** The database: running, at this build's schema, and durable. */
export interface Store {
	readonly url: string;
	/** Null for the operator's own server. */
	readonly embedded: EmbeddedPostgres | null;
	/** Names of the migrations that this opening ran. */
	readonly migrated: readonly string[];
	close(): Promise<void>;
}

/** Opens the configured database. @throws OperatorError, with nothing left running, if it cannot be used */
export async function openStore(settings: StoreSettings, options: StoreOptions): Promise<Store> {
	if (settings.databaseUrl !== null) return openServer(settings.databaseUrl, settings, options);
	const isNew = !(await hasCluster(settings.dataDir));
	if (isNew && options.role === "tool") {
		if (!options.mayMake) throw noCluster(settings.dataDir);
		options.say(`There was no database in ${settings.dataDir}: a new one is created there.`);
	}
	const embedded = await openEmbedded({
		dataDir: settings.dataDir,
		pgBin: settings.pgBin ?? undefined,
		...options,
		onWaiting: () => {
			if (isNew) loadMigrationLibraries();
			options.onWaiting?.();
		},
	});
	try {
		// a tool is of the same build as the service beside it, so both migrate to the same schema
		const migrated = await migrate(embedded.url, options);
		if (options.role === "service") await checkDurability(embedded.url, settings, options);
		return { url: embedded.url, embedded, migrated, close: () => embedded.close() };
	} catch (error) {
		await embedded.close();
		throw error;
	}
}

async function openServer(url: string, settings: StoreSettings, options: StoreOptions): Promise<Store> {
	// with retries: a node may start before its database
	const refused =
		options.role === "service" ? patiently(() => refusePooler(url), START_PATIENCE_MS) : refusePooler(url);
	await refused.catch(explained);
	if (options.role === "service") await checkDurability(url, settings, options);
	const migrates = options.role === "service" || options.upTo !== undefined;
	const migrated = migrates ? await migrate(url, options) : await requireMigrated(url);
	return { url, embedded: null, migrated, close: async () => undefined };
}

export async function hasCluster(dataDir: string): Promise<boolean> {
	try {
		await stat(join(dataDir, "postgres"));
		return true;
	} catch (error) {
		const { code = "", message } = error as { code?: string; message: string };
		if (["ENOENT", "ENOTDIR"].includes(code)) return false;
		throw new OperatorError(`The data folder ${dataDir} cannot be read: ${message}.`, { cause: error });
	}
}

/** Only a command that fills the database creates one: for any other, the folder may be the wrong one. */
const noCluster = (dataDir: string): OperatorError =>
	new OperatorError(
		`There is no database in ${dataDir}, and this command creates none. Set HOLDFAST_DATA_DIR to the folder of your database, or create a new one with \`npm start\` or ${quotedCommand("migrate")}.`,
	);

async function checkDurability(url: string, settings: StoreSettings, options: StoreOptions): Promise<void> {
	const db = openDatabase(url, { max: 1, name: "holdfast start" });
	try {
		await patiently(() => requireDurable(db, settings.acceptUnsafeDatabase, options.say), START_PATIENCE_MS);
	} catch (error) {
		explained(error);
	} finally {
		await db.close();
	}
}

/** A command does not change the schema under nodes that are serving. */
async function requireMigrated(url: string): Promise<string[]> {
	const { pending } = await migrationState(url).catch(explained);
	if (pending.length === 0) return [];
	throw new OperatorError(
		`The database lacks ${pending.length} migrations (${pending.join(", ")}). Run ${quotedCommand("migrate")} first.`,
	);
}

function explained(error: unknown): never {
	if (error instanceof OperatorError) throw error;
	const { message, code } = error as { message?: string; code?: string };
	throw new OperatorError(
		`The database of HOLDFAST_DATABASE_URL cannot be used: ${message || code}. Check the address and the password, and that the server is running.`,
		{ cause: error },
	);
}
