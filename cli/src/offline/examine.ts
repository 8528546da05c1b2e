import { access, constants, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { type Config, readEnv } from "../../../service/src/config.ts";
import { findBinaries } from "../../../service/src/ground/embedded/binaries.ts";
import { openEmbedded } from "../../../service/src/ground/embedded/embedded.ts";
import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { maskUrl } from "../../../service/src/ground/lib/mask-url.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { openDatabase } from "../../../service/src/ground/pg/connect.ts";
import { POOLER_ADVICE, POOLER_FOUND, sharesSessions } from "../../../service/src/ground/pg/pooler.ts";
import { selectRunningNodes } from "../../../service/src/ground/pg/running-nodes.ts";
import { type StoredPepper, selectStoredPeppers } from "../../../service/src/partners/keys/stored-peppers-sql.ts";
import { bad, type Diagnosis, good } from "../../../service/src/upkeep/health/diagnosis.ts";
import { examineDatabase as examineOpened } from "../../../service/src/upkeep/health/examine-database.ts";
import { DATA_FOLDER, examineDisk } from "../../../service/src/upkeep/health/examine-disk.ts";
import { examineReplica } from "../../../service/src/upkeep/health/examine-replica.ts";
import { judgeAdminUrl } from "../../../service/src/upkeep/health/judge-admin-url.ts";
import { callOperator } from "../client/operator-client.ts";
import { readConfig } from "./context.ts";
import { examineRing } from "./examine-keys.ts";
import { examineSettings } from "./examine-settings.ts";

/** The oldest supported Node, as in bin/holdfast.js. */
const OLDEST_NODE = [24, 11] as const;
/**
 * Checks Node, the configuration, the folder, the database, the keys and the ports, in that order, and continues after
 * a failed check. With HOLDFAST_OPERATOR_TOKEN: the checks of the service at HOLDFAST_URL.
 */
export async function examine(): Promise<readonly Diagnosis[]> {
	const findings = [examineNode()];
	let config: Config;
	try {
		config = readConfig();
		findings.push(good("configuration", "read"));
	} catch (error) {
		return [
			...findings,
			bad(
				"configuration",
				messageOf(error),
				`Set or unset the variables named; ${quotedCommand("config")} lists them all.`,
			),
		];
	}
	// a service elsewhere checks what it depends on; nothing on this machine matters to it
	if (config.operatorToken !== null) return (await callOperator("get_health")).findings;
	findings.push(judgeAdminUrl(config));
	if (config.databaseUrl === null) findings.push(await examineFolder(config));
	const database = await examineDatabase(config);
	findings.push(...database.findings);
	findings.push(await examineRing(config, database.peppers));
	findings.push(...(await examinePorts(config, database.isServed)));
	return findings;
}

function examineNode(): Diagnosis {
	const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
	const [oldest, oldestMinor] = OLDEST_NODE;
	if (major > oldest || (major === oldest && minor >= oldestMinor)) return good("Node", process.version);
	return bad(
		"Node",
		process.version,
		`Use ${OLDEST_NODE.join(".")} or newer: npm scripts use the Node that \`npm ci\` installed.`,
	);
}

async function examineFolder({ dataDir }: Config): Promise<Diagnosis> {
	const what = DATA_FOLDER;
	try {
		const found = await stat(dataDir).catch(() => null);
		if (!found) {
			await access(await nearestFolder(dataDir), constants.W_OK | constants.X_OK);
			return good(what, `${dataDir}, not created yet; the first start creates it`);
		}
		if (!found.isDirectory()) return bad(what, `${dataDir} is not a folder`, "Move it away, or set HOLDFAST_DATA_DIR.");
		await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
		return await examineDisk(dataDir);
	} catch (error) {
		return bad(
			what,
			messageOf(error),
			"Give this account access to the folder, or set HOLDFAST_DATA_DIR to one it may write to.",
		);
	}
}

/** The nearest existing parent folder, in which the missing ones would be created. */
async function nearestFolder(path: string): Promise<string> {
	const above = dirname(path);
	return above === path || (await exists(above)) ? above : nearestFolder(above);
}

interface DatabaseLook {
	readonly findings: Diagnosis[];
	/** The entries of the key ring that stored keys were created with; null: unknown. */
	readonly peppers: readonly StoredPepper[] | null;
	/** Whether a service is running on the database; null: unknown. */
	readonly isServed: boolean | null;
}

async function examineDatabase(config: Config): Promise<DatabaseLook> {
	if (config.databaseUrl !== null) return await examineServer(config.databaseUrl, maskUrl(config.databaseUrl), config);
	const lines: string[] = [];
	try {
		if (!(await exists(join(config.dataDir, "postgres")))) {
			const { postgres } = await findBinaries(config.pgBin ?? undefined);
			const none = good("embedded PostgreSQL", `not created yet; the first start creates it with ${postgres}`);
			return { findings: [none], peppers: [], isServed: false };
		}
		const said = { role: "tool", say: (line: string) => lines.push(line) } as const;
		const embedded = await openEmbedded({ dataDir: config.dataDir, pgBin: config.pgBin ?? undefined, ...said });
		try {
			const look = await examineServer(embedded.url, `embedded, in ${embedded.pgData}`, config);
			return { ...look, findings: [...lines.map((line) => good("embedded PostgreSQL", line)), ...look.findings] };
		} finally {
			await embedded.close();
		}
	} catch (error) {
		const advice =
			"See postgres.log in the data folder; HOLDFAST_PG_BIN uses other binaries, HOLDFAST_DATABASE_URL another server.";
		return { findings: [bad("embedded PostgreSQL", messageOf(error), advice)], peppers: null, isServed: null };
	}
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null;

async function examineServer(url: string, name: string, config: Config): Promise<DatabaseLook> {
	const db = openDatabase(url, { max: 1, name: "holdfast doctor" });
	try {
		// behind such a pooler the following checks may fail at random
		if (config.databaseUrl !== null && (await sharesSessions(url)))
			return { findings: [bad("database", POOLER_FOUND, POOLER_ADVICE)], peppers: null, isServed: null };
		const isEmbedded = config.databaseUrl === null;
		const examined = { name, url, isEmbedded, acceptUnsafe: config.acceptUnsafeDatabase };
		const { findings, applied, pending } = await examineOpened(db, examined);
		if (pending === 0) findings.push(...(await examineSettings(readEnv(), db)));
		if (pending === 0) findings.push(...(await examineReplica(db, config.databaseReadUrl)));
		const nodes = pending > 0 ? [] : await selectRunningNodes(db);
		return {
			findings,
			peppers: applied === 0 ? [] : await selectStoredPeppers(db),
			isServed: nodes.some(({ isRunning }) => isRunning),
		};
	} catch (error) {
		const advice = "Check that the server is running, and that the address, the name and the password are right.";
		return { findings: [bad("database", `${name}: ${messageOf(error)}`, advice)], peppers: null, isServed: null };
	} finally {
		await db.close();
	}
}

async function examinePorts(
	{ host, port, coaPort, metricsPort }: Config,
	isServed: boolean | null,
): Promise<Diagnosis[]> {
	const ports: [string, number | null][] = [
		["HOLDFAST_PORT", port],
		["HOLDFAST_COA_PORT", coaPort],
		["HOLDFAST_METRICS_PORT", metricsPort],
	];
	const findings: Diagnosis[] = [];
	for (const [variable, wanted] of ports) {
		if (wanted === null) continue;
		const trouble = await tryPort(host, wanted);
		if (trouble === null) findings.push(good(variable, `${host} port ${wanted} is free`));
		else if (!(await isHoldfast(host, wanted)))
			findings.push(
				bad(variable, `${host} port ${wanted}: ${trouble}`, `Stop the program that listens there, or set ${variable}.`),
			);
		else if (isServed === false)
			findings.push(
				bad(variable, `${host} port ${wanted}: a Holdfast on another database is serving there`, `Set ${variable}.`),
			);
		else findings.push(good(variable, `${host} port ${wanted}: Holdfast is serving there`));
	}
	return findings;
}

function tryPort(host: string, port: number): Promise<string | null> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once("error", (error) => resolve(error.message));
		server.listen(port, host, () => server.close(() => resolve(null)));
	});
}

async function isHoldfast(host: string, port: number): Promise<boolean> {
	const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}/livez`;
	const reply = await fetch(address, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
	return reply?.headers.has("x-request-id") ?? false; // the metrics server answers 404 with it
}
