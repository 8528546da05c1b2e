import type { Command } from "../assembly/commands.ts";
import type { StockEngine } from "../assembly/engine.ts";
import { type Config, readEnv, toConfig } from "../config.ts";
import type { ErrorCode } from "../glossary.ts";
import { openStore } from "../ground/embedded/store.ts";
import {
	AGREE,
	type CommonVariable,
	followService,
	settingDifferences,
	tellDifferences,
} from "../ground/lib/common-settings.ts";
import { OperatorError } from "../ground/lib/operator-error.ts";
import { isRefusal, type Refusal } from "../ground/lib/refusal.ts";
import { quotedCommand } from "../ground/lib/typed-command.ts";
import { type Database, openDatabase, type Query } from "../ground/pg/connect.ts";
import type { NumberedWrite } from "../ground/pg/epoch.ts";
import type { FileStore } from "../inventory/certificates/file-store.ts";
import type { DrawIn } from "../inventory/demand/draw-units.ts";
import type { KeyRing } from "../partners/keys/key-ring.ts";
import type { ExecuteIn } from "../upkeep/import/receive-lots.ts";
import { CommandRefused, failureDocument } from "./failure.ts";
import { complain, isJsonAsked, print } from "./output.ts";

/** Exit codes of every command. */
export const EXIT = { ok: 0, refused: 1, usage: 2, interrupted: 130 } as const;

/** What of a configuration a command may use without asking whether the service has it alike. */
export type OwnSettings = Omit<
	Config,
	"timeZone" | "coaUrl" | "coa" | "carriers" | "labelPlatform" | "shipstationUrl" | "webhookAllow"
>;

export interface Context {
	readonly config: OwnSettings;
	readonly url: string;
	readonly db: Database;
	/** Names of the migrations that opening the database ran. */
	readonly migrated: readonly string[];
	ring(): Promise<KeyRing>;
	/**
	 * The whole configuration, if the service runs with the same values of these variables; of those that the shell
	 * does not set, with the service's. @throws OperatorError naming those that differ
	 */
	agreed(...variables: CommonVariable[]): Promise<Config>;
	/** What to say when the person interrupts; null: what is always said. */
	onInterrupt(tell: () => string | null): void;
	/** The engine inside a transaction of the caller's. */
	executeIn(): Promise<ExecuteIn & DrawIn>;
	/** The PDFs of certificates. */
	withFiles<T>(work: (files: FileStore) => Promise<T>): Promise<T>;
	/** The engine, on connections of its own. */
	withEngine<T>(work: (engine: StockEngine) => Promise<T>): Promise<T>;
}

/** Milliseconds that an operator's command goes on trying while its rows are locked or the database is away. */
const COMMAND_DEADLINE_MS = 30_000;
/** Milliseconds that one of its statements waits for a locked row. */
const LOCK_WAIT_MS = 15_000;
/** Milliseconds; any figure does. */
const KEEP_ALIVE_MS = 60_000;

export const readConfig = (): Config => toConfig(readEnv());

/**
 * Runs a command on the database of the configuration: beside a running service, or without one, in which case the
 * embedded PostgreSQL is started for it and stopped after it. Where there is none yet it is made only if `mayMake` says
 * so.
 */
export async function withStore<T>(
	work: (context: Context) => Promise<T>,
	{ mayMake = false }: { readonly mayMake?: boolean } = {},
): Promise<T> {
	const config = readConfig();
	const store = await openStore(config, { role: "tool", say: complain, mayMake });
	let tell: () => string | null = () => null;
	const interrupt = (): void => {
		const message = `Interrupted: ${tell() ?? "what was not finished is rolled back."}`;
		complain(message);
		if (isJsonAsked(process.argv))
			print(failureDocument({ code: "interrupted", message, more: {} }), true, () => message);
		void store.close().finally(() => process.exit(EXIT.interrupted));
	};
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
	const db = openDatabase(store.url, {
		name: "holdfast cli",
		max: 2,
		lockTimeoutMs: LOCK_WAIT_MS,
		...durabilityOf(config),
	});
	// waits for locks and for a database that is away keep no process alive; a command that is not done must
	const alive = setInterval(() => undefined, KEEP_ALIVE_MS);
	try {
		const agreed = agreementOn(db);
		return await work({
			config,
			agreed,
			url: store.url,
			db,
			migrated: store.migrated,
			ring: async () => (await import("../partners/keys/require-key-ring.ts")).requireKeyRing(config, db, complain),
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

/** What the engine decides by, and what stands in the documents and events that it writes. */
const ENGINE_VARIABLES = [
	"HOLDFAST_TIME_ZONE",
	"HOLDFAST_COA_REQUIRED",
	"HOLDFAST_COA_URL",
	"HOLDFAST_CARRIERS",
	"HOLDFAST_LABEL_PLATFORM",
] as const;
/** What stands in documents of orders and boxes. */
export const LINK_VARIABLES = ["HOLDFAST_COA_URL", "HOLDFAST_CARRIERS"] as const;

/** Compares with the node that started last. A database on which none ever ran agrees with everybody. */
const agreementOn =
	(db: Database): Context["agreed"] =>
	async (...variables) => {
		const { selectRunningNodes } = await import("../ground/pg/running-nodes.ts");
		const { commonSettingsOf } = await import("../assembly/common-settings.ts");
		const [last] = await selectRunningNodes(db);
		const theirs = last?.settings ?? {};
		const config = toConfig(followService(readEnv(), theirs));
		const differences = settingDifferences(theirs, commonSettingsOf(config), variables);
		if (differences.length === 0) return config;
		throw new OperatorError(`${tellDifferences(differences)}\nNothing was done. ${AGREE}`);
	};

/** A command writes as durably as the service, but it may look at a server that the service would refuse. */
const durabilityOf = ({ acceptUnsafeDatabase }: OwnSettings) =>
	acceptUnsafeDatabase ? {} : ({ durability: "preferred" } as const);

async function executorOf(config: Config): Promise<ExecuteIn & DrawIn> {
	const { executeStockIn } = await import("../assembly/engine.ts");
	const settings = await settingsOf(config); // a catalogue of its own: what it reads is not committed yet
	return (tx: Query, commands: readonly Command[], numbered?: NumberedWrite[]) =>
		executeStockIn(tx, settings, commands, numbered);
}

async function settingsOf(config: Config) {
	const { createCatalogCache } = await import("../inventory/catalog/cache.ts");
	const { handsOver } = await import("../assembly/labels.ts");
	const links = await linksOf(config);
	const rules = { certificatesRequired: config.coa.required, handsOver: handsOver(config) };
	return { catalog: createCatalogCache(), timeZone: config.timeZone, links, ...rules };
}

/** The addresses that documents of orders name. */
export async function linksOf(config: Config) {
	const { createLinks, coaUrlOf } = await import("../assembly/links.ts");
	return createLinks(() => coaUrlOf(config), config);
}

/** Opens the store of the PDFs for some work. */
export async function withFiles<T>({ coa }: Config, work: (files: FileStore) => Promise<T>): Promise<T> {
	const { openFileStore } = await import("../inventory/certificates/file-store.ts");
	const files = openFileStore(coa.store);
	try {
		return await work(files);
	} finally {
		files.close();
	}
}

async function withEngine<T>(url: string, config: Config, work: (engine: StockEngine) => Promise<T>): Promise<T> {
	const { openStockEngine } = await import("../assembly/engine.ts");
	const settings = { ...(await settingsOf(config)), ...durabilityOf(config) };
	const engine = openStockEngine(url, settings, { deadlineMs: COMMAND_DEADLINE_MS });
	try {
		return await work(engine);
	} finally {
		await engine.close();
	}
}

/** Helps whoever names a key that does not exist. */
export const KEY_HINT = { not_found: `${quotedCommand("keys list")} shows them all.` } as const;

/**
 * The brand by which a list is narrowed; null: by none. One that there is not is an error: its list would look empty.
 */
export async function brandOf(db: Query, code: string | undefined): Promise<string | null> {
	const { findBrand } = await import("../inventory/catalog/find-shelf.ts");
	return granted(await findBrand(db, code));
}

/** The answer, or its refusal as an error with exit code 1. `hints`: which command helps, for codes where one does. */
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
