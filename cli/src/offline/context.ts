import type { ExecuteNumberedIn, StockEngine } from "../../../service/src/assembly/engine.ts";
import { type Config, readEnv, toConfig } from "../../../service/src/config.ts";
import type { ErrorCode } from "../../../service/src/glossary.ts";
import { openStore } from "../../../service/src/ground/embedded/store.ts";
import {
	AGREE,
	type CommonVariable,
	followService,
	settingDifferences,
	tellDifferences,
} from "../../../service/src/ground/lib/common-settings.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { isRefusal, type Refusal } from "../../../service/src/ground/lib/refusal.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { type Database, openDatabase } from "../../../service/src/ground/pg/connect.ts";
import type { FileStore } from "../../../service/src/inventory/certificates/file-store.ts";
import type { KeyRing } from "../../../service/src/partners/keys/key-ring.ts";
import { CommandRefused, failureDocument } from "../terminal/failure.ts";
import { complain, isJsonAsked, print } from "../terminal/output.ts";

/** Exit codes of every command. */
export const EXIT = { ok: 0, refused: 1, usage: 2, interrupted: 130 } as const;

/** The part of a configuration that a command may use without comparing it with the service's. */
export type OwnSettings = Omit<
	Config,
	"timeZone" | "coaUrl" | "coa" | "carriers" | "labelPlatform" | "shipstationUrl" | "webhookAllow"
>;

export interface Context {
	readonly config: OwnSettings;
	readonly url: string;
	readonly db: Database;
	/** Names of the migrations that were applied when the database was opened. */
	readonly migrated: readonly string[];
	ring(): Promise<KeyRing>;
	/**
	 * Returns the whole configuration after comparing these variables with the service's; variables that the shell does
	 * not set take the service's values. @throws OperatorError naming those that differ
	 */
	agreed(...variables: CommonVariable[]): Promise<Config>;
	/** Sets the message for an interruption; null: the default message. */
	onInterrupt(tell: () => string | null): void;
	/** Runs commands of the engine inside the caller's transaction. */
	executeIn(): Promise<ExecuteNumberedIn>;
	/** The PDFs of certificates. */
	withFiles<T>(work: (files: FileStore) => Promise<T>): Promise<T>;
	/** The engine on connections of its own. */
	withEngine<T>(work: (engine: StockEngine) => Promise<T>): Promise<T>;
}

/** Milliseconds for which an operator's command retries while its rows are locked or the database is away. */
const COMMAND_DEADLINE_MS = 30_000;
/** Milliseconds that a single statement waits for a locked row. */
const LOCK_WAIT_MS = 15_000;
/** Milliseconds; any value will do. */
const KEEP_ALIVE_MS = 60_000;

export const readConfig = (): Config => toConfig(readEnv());

/**
 * Runs a command on the configured database, beside a running service or without one; in the latter case starts the
 * embedded PostgreSQL and stops it afterwards. Creates a missing embedded database only with `mayMake`.
 */
export async function withStore<T>(
	work: (context: Context) => Promise<T>,
	{ mayMake = false }: { readonly mayMake?: boolean } = {},
): Promise<T> {
	const config = readConfig();
	const store = await openStore(config, { role: "tool", say: complain, mayMake });
	let tell: () => string | null = () => null;
	const interrupt = (): void => {
		exitInterrupted(tell() ?? "unfinished changes are rolled back.", () => store.close());
	};
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
	const db = openDatabase(store.url, {
		name: "holdfast cli",
		max: 2,
		lockTimeoutMs: LOCK_WAIT_MS,
		...durabilityOf(config),
	});
	// waiting for locks or for an absent database does not keep the process alive; an unfinished command must
	const alive = setInterval(() => undefined, KEEP_ALIVE_MS);
	try {
		const agreed = agreementOn(db);
		return await work({
			config,
			agreed,
			url: store.url,
			db,
			migrated: store.migrated,
			ring: async () =>
				(await import("../../../service/src/partners/keys/require-key-ring.ts")).requireKeyRing(config, db, complain),
			onInterrupt: (line) => {
				tell = line;
			},
			executeIn: async () => executorOf(await agreed(...ENGINE_VARIABLES)),
			withFiles: async (inner) => withFiles(await agreed("HOLDFAST_COA_STORE"), inner),
			withEngine: async (inner) => withEngine(store.url, await agreed(...ENGINE_VARIABLES), inner),
		});
	} finally {
		clearInterval(alive);
		await db.close();
		await store.close();
	}
}

/** Ends the process after a signal, and says what becomes of its work. */
export function exitInterrupted(what: string, close: () => Promise<unknown> = () => Promise.resolve()): void {
	const message = `Interrupted: ${what}`;
	complain(message);
	if (isJsonAsked(process.argv))
		print(failureDocument({ code: "interrupted", message, more: {} }), true, () => message);
	void close().finally(() => process.exit(EXIT.interrupted));
}

/** The settings that the engine decides by, and those used in the documents and events it writes. */
const ENGINE_VARIABLES = [
	"HOLDFAST_TIME_ZONE",
	"HOLDFAST_COA_REQUIRED",
	"HOLDFAST_COA_URL",
	"HOLDFAST_CARRIERS",
	"HOLDFAST_LABEL_PLATFORM",
] as const;

/** Compares with the node that started last. Without any such node, every setting is accepted. */
const agreementOn =
	(db: Database): Context["agreed"] =>
	async (...variables) => {
		const { selectRunningNodes } = await import("../../../service/src/ground/pg/running-nodes.ts");
		const { commonSettingsOf } = await import("../../../service/src/assembly/common-settings.ts");
		const [last] = await selectRunningNodes(db);
		const theirs = last?.settings ?? {};
		const config = toConfig(followService(readEnv(), theirs));
		const differences = settingDifferences(theirs, commonSettingsOf(config), variables);
		if (differences.length === 0) return config;
		throw new OperatorError(`${tellDifferences(differences)}\nNothing was done. ${AGREE}`);
	};

/** A command commits as durably as the service, but may read from a server that the service would refuse. */
const durabilityOf = ({ acceptUnsafeDatabase }: OwnSettings) =>
	acceptUnsafeDatabase ? {} : ({ durability: "preferred" } as const);

async function executorOf(config: Config): Promise<ExecuteNumberedIn> {
	const { executeStockIn } = await import("../../../service/src/assembly/engine.ts");
	const settings = await settingsOf(config); // a catalogue cache of its own, because it reads uncommitted changes
	return (tx, commands, numbered, more) => executeStockIn(tx, settings, commands, numbered, more);
}

async function settingsOf(config: Config) {
	const { createCatalogCache } = await import("../../../service/src/inventory/catalog/cache.ts");
	const { handsOver } = await import("../../../service/src/assembly/labels.ts");
	const links = await linksOf(config);
	const rules = { certificatesRequired: config.coa.required, handsOver: handsOver(config) };
	return { catalog: createCatalogCache(), timeZone: config.timeZone, links, ...rules };
}

/** The addresses in documents of orders. */
export async function linksOf(config: Config) {
	const { createLinks, coaUrlOf } = await import("../../../service/src/assembly/links.ts");
	return createLinks(() => coaUrlOf(config), config);
}

/** Opens the file store of the PDFs for `work`. */
export async function withFiles<T>({ coa }: Config, work: (files: FileStore) => Promise<T>): Promise<T> {
	const { openFileStore } = await import("../../../service/src/inventory/certificates/file-store.ts");
	const files = openFileStore(coa.store);
	try {
		return await work(files);
	} finally {
		files.close();
	}
}

async function withEngine<T>(url: string, config: Config, work: (engine: StockEngine) => Promise<T>): Promise<T> {
	const { openStockEngine } = await import("../../../service/src/assembly/engine.ts");
	const settings = { ...(await settingsOf(config)), ...durabilityOf(config) };
	const engine = openStockEngine(url, settings, { deadlineMs: COMMAND_DEADLINE_MS });
	try {
		return await work(engine);
	} finally {
		await engine.close();
	}
}

/** The hint for a key that does not exist. */
export const KEY_HINT = { not_found: `${quotedCommand("keys list")} shows them all.` } as const;

/**
 * Returns the answer, or throws its refusal as an error with exit code 1. `hints` name the command that helps, by code.
 */
export function granted<T>(
	answer: T | Refusal,
	hints: { readonly [code in ErrorCode]?: string } = {},
): Exclude<T, Refusal> {
	if (isRefusal(answer)) {
		const hint = hints[answer.refusal];
		throw new CommandRefused(answer.refusal, hint === undefined ? answer.message : `${answer.message} ${hint}`);
	}
	return answer as Exclude<T, Refusal>;
}
