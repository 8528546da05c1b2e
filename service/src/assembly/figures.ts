import { statfs } from "node:fs/promises";
import { readVersion } from "../ground/lib/version.ts";
import type { Database } from "../ground/pg/connect.ts";
import type { Reads } from "../ground/pg/reads.ts";
import type { PgTaskDeps } from "../ground/pg/tasks.ts";
import type { HoldTaskDeps } from "../inventory/holds/tasks.ts";
import type { StockTaskDeps } from "../inventory/stock/tasks.ts";
import type { Metrics } from "../partners/http/metrics.ts";

/** The sources of metrics that are not counted while serving requests. */
export interface FigureSources {
	/** Connections, by their purpose: the value of the label `use`. */
	readonly connections: { readonly [use: string]: Database };
	/** Folder of the embedded database; null: the disk is not ours to monitor. */
	readonly dataDir: string | null;
}

/** Receives the metrics that tasks query. */
export type Notes = Pick<HoldTaskDeps, "noteOverdue"> &
	Pick<PgTaskDeps, "noteDatabase"> &
	Pick<StockTaskDeps, "noteUnits">;

/**
 * Registers the metrics of the process, its connections, its disk, and those that tasks query: units by pool, overdue
 * holds, the database.
 */
export function openFigures(metrics: Metrics, { connections, dataDir }: FigureSources): Notes {
	metrics.figure(
		{ name: "holdfast_db_connections", help: "Connections to the database.", labelNames: ["use", "state"] },
		() =>
			Object.entries(connections).flatMap(([use, { pool: of }]) => [
				{ labels: { use, state: "busy" }, value: of.totalCount - of.idleCount },
				{ labels: { use, state: "idle" }, value: of.idleCount },
				{ labels: { use, state: "awaited" }, value: of.waitingCount },
			]),
	);
	if (dataDir !== null) addDisk(metrics, dataDir);
	const units = metrics.figures({
		name: "holdfast_units",
		help: "Units in lots, by pool and state; refreshed every minute.",
		labelNames: ["pool", "state"],
	});
	const overdue = metrics.figures({
		name: "holdfast_hold_overdue_seconds",
		help: "How long the oldest active hold has been past its end; 0: no active hold is.",
	});
	const bytes = metrics.figures({ name: "holdfast_database_bytes", help: "Size of the database, without its log." });
	const build = metrics.figures({
		name: "holdfast_build_info",
		help: "Always 1; the labels have the version of this build and the last migration of the database.",
		labelNames: ["version", "node", "schema"],
	});
	const version = readVersion();
	return {
		noteUnits: (pools) =>
			units.note(
				pools.flatMap(({ pool, available, outOfDate, held, allocated, quarantined }) =>
					Object.entries({ available, out_of_date: outOfDate, held, allocated, quarantined }).map(([state, value]) => ({
						labels: { pool, state },
						value,
					})),
				),
			),
		noteOverdue: (seconds) => overdue.note([{ labels: {}, value: seconds }]),
		noteDatabase(facts) {
			bytes.note([{ labels: {}, value: facts.bytes }]);
			build.note([{ labels: { version, node: process.version, schema: facts.schema }, value: 1 }]);
		},
	};
}

/** The metrics of reads that a replica may answer. */
export function addReplicaFigures(metrics: Metrics, reads: Pick<Reads, "state">): void {
	metrics.figure(
		{
			name: "holdfast_replica_reads",
			help: "Reads that a replica may answer, by outcome: replica, or the reason why the primary answered.",
			labelNames: ["outcome"],
		},
		() => [...(reads.state()?.counts ?? [])].map(([outcome, value]) => ({ labels: { outcome }, value })),
	);
	metrics.figure({ name: "holdfast_replica_lag_seconds", help: "Age of the state that the replica shows." }, () => {
		const lagMs = reads.state()?.lagMs ?? null;
		return lagMs === null ? [] : [{ labels: {}, value: lagMs / 1_000 }];
	});
}

function addDisk(metrics: Metrics, folder: string): void {
	const read = async () => {
		const { bsize, blocks, bavail } = await statfs(folder);
		return [
			{ labels: { state: "free" }, value: bavail * bsize },
			{ labels: { state: "all" }, value: blocks * bsize },
		];
	};
	metrics.figure(
		{ name: "holdfast_disk_bytes", help: "Bytes of the disk that the embedded database is on.", labelNames: ["state"] },
		() => read().catch(() => []),
	);
}
