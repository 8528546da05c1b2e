import { sleep } from "../../ground/lib/clock.ts";
import { silentLog } from "../../ground/lib/log.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { ABOUT_UNFIT } from "../../ground/pg/judge-replica.ts";
import type { ReplicaState } from "../../ground/pg/reads.ts";
import { openReads } from "../../ground/pg/replica-reads.ts";
import { bad, type Diagnosis, good } from "./diagnosis.ts";

/** Number of looks at a replica, and milliseconds between two: it may take a moment until it shows the first beat. */
const MOST_LOOKS = 8;
const LOOK_EVERY_MS = 250;

/** Checks a replica as a node does. No finding without a replica. */
export async function examineReplica(primary: Database, url: string | null): Promise<Diagnosis[]> {
	if (url === null) return [];
	const reads = openReads({ primary, url, max: 1, epochs: [], log: silentLog() });
	try {
		for (let looks = 0; looks < MOST_LOOKS; looks++) {
			await reads.look();
			if (reads.state()?.unfit !== "unknown") break;
			await sleep(LOOK_EVERY_MS);
		}
		return judgeReads(reads.state());
	} finally {
		await reads.close();
	}
}

/** A replica that does not answer does no harm: the primary answers in its place. No finding without a replica. */
export function judgeReads(state: ReplicaState | null): Diagnosis[] {
	if (state === null) return [];
	const { unfit, lagMs } = state;
	if (unfit === null) return [good("replica", `it answers reads, ${((lagMs ?? 0) / 1_000).toFixed(1)} s behind`)];
	const [found, advice] = ABOUT_UNFIT[unfit];
	return [bad("replica", `the primary answers all reads: ${found}`, advice)];
}
