import { newId } from "../lib/ids.ts";
import type { Query } from "./connect.ts";

/** Seconds of silence after which a node no longer counts as running; nodes report every SAY_EVERY_MS of tasks.ts. */
const SILENT_SECONDS = 60;

/** A node's settings by their variables, as it wrote them. */
type Settings = Readonly<Record<string, string>>;

/** A node that serves on the database, or the last one that did. */
export interface RunningNode {
	readonly startedAt: Date;
	/** It has reported recently. */
	readonly isRunning: boolean;
	readonly settings: Settings;
}

/** This node's row among those of the running nodes. */
export interface NodeEntry {
	/**
	 * Inserts the row, deletes nodes that no longer run, and returns the settings of the latest other node, or null.
	 */
	enter(): Promise<Settings | null>;
	/** Reports that it still runs. */
	stay(): Promise<void>;
	/** Reports that it was stopped. */
	leave(): Promise<void>;
}

/** `alone`: this database cannot have another node, so any other row is left over from the last run. */
export function openNodeEntry(db: Query, settings: Settings, { alone }: { readonly alone: boolean }): NodeEntry {
	const nodeId = newId();
	const stay = async (): Promise<void> => {
		await db.query(
			`insert into running_node (node_id, started_at, seen_at, settings) values ($1, now(), now(), $2)
			 on conflict (node_id) do update set seen_at = now()`,
			[nodeId, settings],
		);
	};
	return {
		stay,
		async enter() {
			await stay();
			await db.query(
				"delete from running_node where node_id <> $1 and ($2 or seen_at is null or seen_at < now() - make_interval(secs => $3))",
				[nodeId, alone, SILENT_SECONDS],
			);
			const { rows } = await db.query<{ settings: Settings }>(
				"select settings from running_node where node_id <> $1 order by started_at desc limit 1",
				[nodeId],
			);
			return rows[0]?.settings ?? null;
		},
		async leave() {
			await db.query("update running_node set seen_at = null where node_id = $1", [nodeId]);
		},
	};
}

/** The running nodes and the last node that ran, most recently started first. */
export async function selectRunningNodes(db: Query): Promise<RunningNode[]> {
	const { rows } = await db.query<RunningNode>(
		`select started_at as "startedAt", settings,
		        coalesce(seen_at > now() - make_interval(secs => $1), false) as "isRunning"
		   from running_node order by started_at desc, node_id desc`,
		[SILENT_SECONDS],
	);
	return rows;
}
