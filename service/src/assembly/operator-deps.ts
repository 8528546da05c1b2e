import type { Config } from "../config.ts";
import { type Log, silentLog } from "../ground/lib/log.ts";
import type { Database } from "../ground/pg/connect.ts";
import { readsOfPrimary } from "../ground/pg/primary-reads.ts";
import type { Reads } from "../ground/pg/reads.ts";
import { createCatalogCache } from "../inventory/catalog/cache.ts";
import { type FileStore, openFileStore } from "../inventory/certificates/file-store.ts";
import { createTrackingUrls } from "../inventory/shipping/carriers.ts";
import { OPERATORS } from "../partners/admin/operator.ts";
import type { KeyRing } from "../partners/keys/key-ring.ts";
import { createSealer } from "../partners/keys/ring-sealer.ts";
import { authenticateOperator, createTokenReader } from "../partners/operators/authenticate-operator.ts";
import { adminUrlOf } from "../partners/people/admin-url.ts";
import { createAuthenticateSession } from "../partners/people/authenticate-session.ts";
import { createRuns } from "../partners/runs/carry-out-runs.ts";
import { createLiveStreams } from "../upkeep/console/live-streams.ts";
import { drawInOf, executeInOf, openSandboxOf, sandboxOf } from "./execute-in.ts";
import { fileKeeperOf } from "./files.ts";
import { openAskedPlatform } from "./labels.ts";
import { coaUrlOf, createLinks } from "./links.ts";
import { peopleMeansOf, peopleRulesOf } from "./people-means.ts";
import { recallLotsOf } from "./recall-lots-of.ts";
import { urlRulesOf } from "./webhooks.ts";

/** The use of the derived key under which kept replies to operators are encrypted. */
const REPLIES = "holdfast operator replies";

/** The dependencies that a service, or a command in its place, supplies for the operator's API. */
type Means = Parameters<typeof executeInOf>[0] & {
	readonly db: Database;
	readonly readDb: Database;
	readonly reads: Reads;
	/** The connections that only runs use. */
	readonly runDb: Database;
	readonly log: Log;
	readonly ring: KeyRing;
	/** The PDFs of certificates. */
	readonly files: FileStore;
	/** The public address of the operator's API. */
	readonly adminUrl: () => string;
	readonly config: Config;
};

/** The further dependencies of the operator's API. */
export function operatorDepsOf(means: Means) {
	const people = peopleMeansOf(means.config, means.ring, means.adminUrl);
	return {
		executeIn: executeInOf(means),
		openSandbox: openSandboxOf(means),
		recallLotsOf: recallLotsOf(executeInOf(means)),
		carriers: createTrackingUrls(means.config.carriers),
		stockRules: { timeZone: means.config.timeZone, certificatesRequired: means.config.coa.required },
		drawIn: drawInOf(means),
		db: means.db,
		readDb: means.readDb,
		reads: means.reads,
		listDb: means.reads.forOwner(OPERATORS),
		runs: createRuns({ db: means.runDb, readDb: means.readDb, log: means.log }),
		live: createLiveStreams({ db: means.readDb, log: means.log, onChange: () => means.reads.follow(OPERATORS) }),
		ring: means.ring,
		keepFiles: () => fileKeeperOf(means.files),
		sealer: createSealer(means.ring, REPLIES),
		authenticateOperator: authenticateOperator(createTokenReader(means.readDb), means.ring),
		authenticateSession: createAuthenticateSession(means, people),
		people,
		peopleRules: peopleRulesOf(means.config),
	};
}

/** The same for a process that is not a service. `close` releases files and connections to the label platform. */
export function openOperatorDeps(
	config: Config,
	{ db, databaseUrl, ring }: { readonly db: Database; readonly databaseUrl: string; readonly ring: KeyRing },
) {
	const links = createLinks(() => coaUrlOf(config), config);
	const platform = openAskedPlatform(config, db);
	const files = openFileStore(config.coa.store);
	const connections = { db, readDb: db, runDb: db, reads: readsOfPrimary(db) };
	const own = { log: silentLog(), files, links, catalog: createCatalogCache(), adminUrl: () => adminUrlOf(config) };
	const means = { config, ...connections, ring, ...own };
	return {
		deps: {
			...means,
			...operatorDepsOf(means),
			databaseUrl,
			labels: platform.gate,
			sandbox: sandboxOf(means),
			addresses: { api: config.url ?? `http://127.0.0.1:${config.port}`, coa: coaUrlOf(config) },
			webhooks: { urls: urlRulesOf(config) },
		},
		async close(): Promise<void> {
			files.close();
			await platform.close();
		},
	};
}
