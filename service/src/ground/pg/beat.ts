import { must } from "../lib/assert.ts";
import type { Query } from "./connect.ts";
import type { Epoch } from "./epoch.ts";
import type { ReplicaEvidence } from "./judge-replica.ts";
import { momentOf } from "./page.ts";
import { named, prepared } from "./query.ts";
import { inOneRoundTrip } from "./round-trips.ts";

/** Rows of nodes that have written no beat for as long as this are deleted. */
const FORGOTTEN_AFTER = "interval '1 hour'";

const listOf = (epoch: Epoch): string =>
	`'${epoch}', jsonb_build_array((select version from ${epoch}), ${momentOf(epoch)})`;

/**
 * Writes a beat of a node on the primary. What it says about each list is read in the snapshot of the same statement.
 * Everything that this snapshot shows was committed, and shown to readers, before the beat is committed.
 */
export function createWriteBeat(epochs: readonly Epoch[]): WriteBeat {
	const statement = prepared<[timeline: number]>(
		"write_replica_beat",
		`with forgotten as (
		   delete from replica_beat where node_id <> $1 and at < statement_timestamp() - ${FORGOTTEN_AFTER})
		 insert into replica_beat (node_id, number, stamp, at, timeline, lists)
		 select $1, (select coalesce(max(number), 0) + 1 from replica_beat), $2, statement_timestamp(),
		        ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer,
		        jsonb_build_object(${epochs.map(listOf).join(", ")})
		 on conflict (node_id) do update set number = excluded.number, stamp = excluded.stamp, at = excluded.at,
		        timeline = excluded.timeline, lists = excluded.lists
		 returning timeline`,
	);
	return async (db, nodeId, stamp) => must((await statement(db, [nodeId, stamp]))[0], "the beat")[0];
}

/** Returns the timeline of the primary. */
export type WriteBeat = (db: Query, nodeId: string, stamp: string) => Promise<number>;

/** Functions are called after the statement's snapshot was taken, and so refer to a later moment than its rows. */
const evidence = prepared<
	[
		inRecovery: boolean,
		isReceiving: boolean,
		timeline: number | null,
		stamp: string | null,
		beatTimeline: number | null,
	]
>(
	"select_replica_evidence",
	`select pg_is_in_recovery(), r.pid is not null, r.received_tli, b.stamp::text, b.timeline
	   from (values (1)) one
	   left join pg_stat_wal_receiver r on true
	   left join replica_beat b on b.node_id = $1`,
);

/** What the snapshot of a transaction says about itself. */
export async function selectEvidence(tx: Query, nodeId: string): Promise<ReplicaEvidence> {
	const [inRecovery, isReceiving, timeline, stamp, beatTimeline] = must(
		(await evidence(tx, [nodeId]))[0],
		"the evidence",
	);
	return { inRecovery, isReceiving, timeline, stamp, beatTimeline };
}

const BEGIN = named("begin_replica", "begin isolation level repeatable read, read only");

/** Begins a transaction of a replica, and reads what its snapshot says about itself, in one round trip. */
export async function beginOnReplica(client: Query, nodeId: string): Promise<ReplicaEvidence> {
	const [, shown] = await inOneRoundTrip(client, () =>
		Promise.all([client.query(BEGIN), selectEvidence(client, nodeId)]),
	);
	return shown;
}
