/** Everything that is done to the cluster. Each fault ends with the cluster whole. */
import { rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { seconds } from "../faults/inject.ts";
import { type Process, signal } from "../ground/processes.ts";
import type { Fault, FaultContext } from "../ground/types.ts";
import type { Cluster } from "./cluster.ts";
import { type DatabaseHost, PORTS } from "./database-host.ts";
import { LAB_ADDRESS } from "./network.ts";
import type { ClusterSite } from "./site.ts";

/** Milliseconds for the cluster to be whole again: a lease that runs out, a rewind, a copy of everything. */
const WHOLE_MS = 240_000;
/**
 * Least and most milliseconds that a cause lasts: every second time shorter than the lease of a primary (20 s), and
 * otherwise so long that another one is elected.
 */
const SHORT_MS = [2_000, 12_000] as const;
const LONG_MS = [22_000, 26_000] as const;
const ETCD_PORTS = [PORTS.etcd, PORTS.etcdPeers];

/** Maximum number of attempts to remove the data of a host and to let Patroni copy it again. */
const REMOVALS = 10;
const REBUILDS = 5;
const REBUILD_PAUSE_MS = 2_000;

type Context = FaultContext<ClusterSite>;

/** What a fault did, and how long its cause lasted. */
interface Struck {
	readonly what: string;
	readonly lastedMs: number;
}

/** A kind of fault. `work` resolves when its cause is over. */
function kind(
	name: string,
	says: string,
	work: (cluster: Cluster, context: Context) => Promise<Struck>,
): Fault<ClusterSite> {
	return {
		name,
		says,
		alone: true,
		longestMs: LONG_MS[1] + WHOLE_MS,
		inject: async (context) => {
			const { cluster } = context.ground;
			const from = await primaryOf(cluster);
			const began = performance.now();
			const { what, lastedMs } = await work(cluster, context);
			await cluster.whole(WHOLE_MS);
			const to = await primaryOf(cluster);
			const moved = from.name === to.name ? `${from.name} stayed the primary` : `${to.name} became the primary`;
			return { fault: name, what: `${what}; ${moved}`, lastedMs, touched: "all", began, ended: performance.now() };
		},
	};
}

/** Waits for the cause to have its effect, for a random time; returns the time. */
async function last({ chance, stopped }: Context): Promise<number> {
	const [least, most] = chance.happens(1 / 2) ? SHORT_MS : LONG_MS;
	const ms = chance.between(least, most);
	await sleep(ms, undefined, { signal: stopped }).catch(() => undefined);
	return ms;
}

async function primaryOf(cluster: Cluster): Promise<DatabaseHost> {
	const host = await cluster.primary();
	if (host === null) throw new Error("the cluster has not one primary");
	return host;
}

async function synchronousOf(cluster: Cluster): Promise<DatabaseHost> {
	const name = (await cluster.members()).find(({ role }) => role === "sync_standby")?.name;
	if (name === undefined) throw new Error("the cluster has no synchronous standby");
	return cluster.host(name);
}

function kill(processes: readonly Process[], what: string): void {
	if (processes.length === 0) throw new Error(`${what} does not run`);
	for (const one of processes) signal(one, "SIGKILL");
}

/** Stops processes for a random time. */
async function freeze(
	host: DatabaseHost,
	processes: readonly Process[],
	what: string,
	context: Context,
): Promise<number> {
	if (processes.length === 0) throw new Error(`${what} does not run`);
	for (const one of processes) signal(one, "SIGSTOP");
	try {
		return await last(context);
	} finally {
		host.continue(processes);
	}
}

/** Cuts the primary off for a random time. */
async function cutOff(
	host: DatabaseHost,
	addresses: readonly string[],
	ports: readonly number[],
	context: Context,
): Promise<number> {
	host.cable.cut(addresses, ports);
	try {
		return await last(context);
	} finally {
		host.cable.heal();
	}
}

const withoutPower = async (host: DatabaseHost, context: Context): Promise<Struck> => {
	await host.powerOff();
	const lastedMs = await last(context);
	await host.powerOn();
	return { what: `${host.name} was without power for ${seconds(lastedMs)}`, lastedMs };
};

const others = (cluster: Cluster, host: DatabaseHost): string[] =>
	cluster.databases.filter((other) => other !== host).map(({ address }) => address);

const crashes: readonly Fault<ClusterSite>[] = [
	kind("postgres-killed", "kill -9 of the primary's postmaster.", async (cluster) => {
		const host = await primaryOf(cluster);
		kill(host.postmaster(), "the postmaster");
		return { what: `the postmaster on ${host.name} was killed`, lastedMs: 0 };
	}),
	kind("patroni-killed", "kill -9 of Patroni on the primary; its PostgreSQL runs on.", async (cluster, context) => {
		const host = await primaryOf(cluster);
		host.hold("patroni");
		try {
			kill(host.patroni(), "Patroni");
			const lastedMs = await last(context);
			return { what: `Patroni on ${host.name} was killed, and started after ${seconds(lastedMs)}`, lastedMs };
		} finally {
			host.release("patroni");
		}
	}),
	kind("primary-power", "The power of the primary's host fails.", async (cluster, context) =>
		withoutPower(await primaryOf(cluster), context),
	),
	kind("standby-power", "The power of the synchronous standby's host fails.", async (cluster, context) =>
		withoutPower(await synchronousOf(cluster), context),
	),
];

const hangs: readonly Fault<ClusterSite>[] = [
	kind("postmaster-stopped", "SIGSTOP of the primary's postmaster: its sessions run on.", async (cluster, context) => {
		const host = await primaryOf(cluster);
		const lastedMs = await freeze(host, host.postmaster(), "the postmaster", context);
		return { what: `the postmaster on ${host.name} was stopped for ${seconds(lastedMs)}`, lastedMs };
	}),
	kind("postgres-stopped", "SIGSTOP of all processes of the primary's PostgreSQL.", async (cluster, context) => {
		const host = await primaryOf(cluster);
		const lastedMs = await freeze(host, host.postgres(), "PostgreSQL", context);
		return { what: `PostgreSQL on ${host.name} was stopped for ${seconds(lastedMs)}`, lastedMs };
	}),
	kind("patroni-stopped", "SIGSTOP of Patroni on the primary; its PostgreSQL runs on.", async (cluster, context) => {
		const host = await primaryOf(cluster);
		const lastedMs = await freeze(host, host.patroni(), "Patroni", context);
		return { what: `Patroni on ${host.name} was stopped for ${seconds(lastedMs)}`, lastedMs };
	}),
];

const cuts: readonly Fault<ClusterSite>[] = [
	kind("etcd-without-majority", "kill -9 of two of the three etcd.", async (cluster, context) => {
		const [first, ...rest] = cluster.databases;
		const spared = context.chance.pick(cluster.databases);
		const hit = [first, ...rest].filter((host): host is DatabaseHost => host !== undefined && host !== spared);
		for (const host of hit) host.hold("etcd");
		try {
			for (const host of hit) kill(host.etcd(), "etcd");
			const lastedMs = await last(context);
			return { what: `etcd ran on ${spared.name} alone for ${seconds(lastedMs)}`, lastedMs };
		} finally {
			for (const host of hit) host.release("etcd");
		}
	}),
	kind("primary-without-etcd", "The primary's host reaches no etcd of another.", async (cluster, context) => {
		const host = await primaryOf(cluster);
		const lastedMs = await cutOff(host, others(cluster, host), ETCD_PORTS, context);
		return { what: `${host.name} was cut off from etcd for ${seconds(lastedMs)}`, lastedMs };
	}),
	kind("primary-without-standbys", "The primary reaches no standby.", async (cluster, context) => {
		const host = await primaryOf(cluster);
		const lastedMs = await cutOff(host, others(cluster, host), [PORTS.postgres, PORTS.patroni], context);
		return { what: `${host.name} was cut off from its standbys for ${seconds(lastedMs)}`, lastedMs };
	}),
	kind("primary-without-clients", "No host of the service reaches the primary.", async (cluster, context) => {
		const host = await primaryOf(cluster);
		const clients = [...cluster.services.map(({ address }) => address), LAB_ADDRESS];
		const lastedMs = await cutOff(host, clients, [PORTS.postgres, PORTS.patroni], context);
		return { what: `${host.name} was cut off from its clients for ${seconds(lastedMs)}`, lastedMs };
	}),
	kind("primary-alone", "The primary's host loses its network, with its sessions open.", async (cluster, context) => {
		const host = await primaryOf(cluster);
		host.cable.pullOut();
		try {
			const lastedMs = await last(context);
			return { what: `${host.name} was without a network for ${seconds(lastedMs)}`, lastedMs };
		} finally {
			host.cable.plugIn();
		}
	}),
];

/** What an operator does when a host does not come back; repeated until Patroni accepts the host. */
async function rebuild(primary: DatabaseHost, host: DatabaseHost): Promise<string> {
	for (let tried = 1; tried <= REBUILDS; tried++) {
		try {
			await primary.patronictl("reinit", "holdfast", host.name, "--force");
			return "was copied by reinit";
		} catch {
			await sleep(REBUILD_PAUSE_MS);
		}
	}
	return "was copied by Patroni itself";
}

const chores: readonly Fault<ClusterSite>[] = [
	kind("switchover", "An operator moves the primary to its synchronous standby.", async (cluster) => {
		const from = await primaryOf(cluster);
		const to = await synchronousOf(cluster);
		await to.patronictl("switchover", "--master", from.name, "--candidate", to.name, "--force");
		return { what: `${from.name} handed over to ${to.name}`, lastedMs: 0 };
	}),
	kind("standby-rebuilt", "A standby loses its data and is copied anew.", async (cluster, context) => {
		const primary = await primaryOf(cluster);
		const host = context.chance.pick(cluster.databases.filter((other) => other !== primary));
		const synchronous = (await synchronousOf(cluster)) === host;
		kill(host.postgres(), "PostgreSQL");
		// Patroni may start PostgreSQL in between, which writes into the folder while it is removed
		const data = path.join(host.plan.disk, "var/lib/postgresql/15/holdfast");
		rmSync(data, { recursive: true, force: true, maxRetries: REMOVALS });
		const says = await rebuild(primary, host);
		return {
			what: `${host.name} (${synchronous ? "synchronous" : "asynchronous"}) lost its data and ${says}`,
			lastedMs: 0,
		};
	}),
];

/** All kinds of fault. */
export const CLUSTER_FAULTS: readonly Fault<ClusterSite>[] = [...crashes, ...hangs, ...cuts, ...chores];
