import { messageOf } from "../../ground/lib/assert.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { Reads } from "../../ground/pg/reads.ts";
import { selectRunningNodes } from "../../ground/pg/running-nodes.ts";
import type { Operator } from "../../partners/admin/operator.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import type { KeyRing } from "../../partners/keys/key-ring.ts";
import { missingPeppers } from "../../partners/keys/require-key-ring.ts";
import { selectStoredPeppers } from "../../partners/keys/stored-peppers-sql.ts";
import type { AdminAddress } from "../../partners/people/admin-url.ts";
import { bad, type Diagnosis, good } from "./diagnosis.ts";
import { examineDatabase } from "./examine-database.ts";
import { examineDisk } from "./examine-disk.ts";
import { judgeReads } from "./examine-replica.ts";
import { GetHealth } from "./health-contract.ts";
import { judgeAdminUrl } from "./judge-admin-url.ts";
import { COMMON_SETTINGS, judgeNodes } from "./judge-nodes.ts";
import { judgeRing } from "./judge-ring.ts";

export interface HealthDeps {
	readonly readDb: Database;
	readonly reads: Pick<Reads, "state">;
	readonly ring: KeyRing;
	readonly databaseUrl: string;
	/** `databaseUrl` null: the database is embedded, in the data folder. */
	readonly config: AdminAddress & {
		readonly databaseUrl: string | null;
		readonly dataDir: string;
		readonly acceptUnsafeDatabase: boolean;
	};
}

/** Reports to operators on everything that the service depends on. */
export function admin(gate: Gate<Operator>, deps: HealthDeps): void {
	mount(gate, GetHealth, async () => {
		const findings = await examine(deps);
		return { status: 200, data: { ok: findings.every(({ ok }) => ok), findings } };
	});
}

async function examine({ readDb, reads, ring, databaseUrl, config }: HealthDeps): Promise<Diagnosis[]> {
	const isEmbedded = config.databaseUrl === null;
	const node = good("Node", process.version);
	const operators = judgeAdminUrl(config);
	const disk = isEmbedded ? [await examineDisk(config.dataDir)] : [];
	try {
		const { findings } = await examineDatabase(readDb, {
			name: isEmbedded ? "embedded" : "at HOLDFAST_DATABASE_URL",
			url: databaseUrl,
			isEmbedded,
			acceptUnsafe: config.acceptUnsafeDatabase,
		});
		const running = (await selectRunningNodes(readDb)).filter(({ isRunning }) => isRunning);
		const differ = judgeNodes(running);
		const alike = good(COMMON_SETTINGS, `running nodes: ${running.length}, all with the same settings`);
		const missing = missingPeppers(await selectStoredPeppers(readDb), ring);
		const keys = judgeRing(missing, `current ${ring.current.id}`);
		return [
			node,
			operators,
			...disk,
			...findings,
			...judgeReads(reads.state()),
			...(differ.length > 0 ? differ : [alike]),
			keys,
		];
	} catch (error) {
		const advice = "Check that the server is running, and see the service's log.";
		return [node, operators, ...disk, bad("database", messageOf(error), advice)];
	}
}
