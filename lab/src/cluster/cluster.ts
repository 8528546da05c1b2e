/** Three hosts of the database and two of the service, on a network of the lab's own. */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { canReachDatabase, withSession } from "../ground/one-session.ts";
import { IMAGE_ACCOUNT } from "./container.ts";
import { DatabaseHost, type Member } from "./database-host.ts";
import { variablesOf } from "./files.ts";
import { LAB_ADDRESS, openNetwork } from "./network.ts";
import { HAPROXY, ServiceHost } from "./service-host.ts";

/** Where the hosts' disks are: in memory, so that other work on this machine does not slow them. */
const DATA = "/srv/hosts";
const DISKS_SIZE = "12g";
/** The folder that all service hosts share: PDFs of certificates, and the nodes' sockets. */
const SHARED = "/srv/holdfast";
/** Milliseconds for the first start: three servers and a migration, on a busy machine. */
const FIRST_START_MS = 240_000;
const LOOK_EVERY_MS = 250;
/** Milliseconds for one row, its standby included. */
const WRITE_MS = 3_000;
const STANDBYS = 2;
export const SERVICE_DATABASE = "holdfast";
export const FOREIGN_DATABASE = "stranger";

export interface ClusterPlan {
	/** Folder for the logs. */
	readonly folder: string;
	readonly launcher: string;
	/** The image in which the nodes run; null: they run from this checkout. */
	readonly image: string | null;
	readonly say: (line: string) => void;
}

export class Cluster {
	readonly databases: readonly DatabaseHost[];
	readonly services: readonly ServiceHost[];
	readonly #superuser: string;

	constructor({ folder, launcher, image }: ClusterPlan) {
		openNetwork();
		execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISKS_SIZE},mode=755`, "tmpfs", "/srv"]);
		mkdirSync(path.join(SHARED, "coa"), { recursive: true });
		for (const shared of [SHARED, path.join(SHARED, "coa")]) chownSync(shared, IMAGE_ACCOUNT, IMAGE_ACCOUNT);
		mkdirSync(DATA);
		const logs = path.join(folder, "hosts");
		mkdirSync(logs);
		const settings = {
			HOLDFAST_SECRET_KEYS: `lab:${randomBytes(32).toString("base64")}`,
			HOLDFAST_WEBHOOK_ALLOW: `${LAB_ADDRESS}/32`,
		};
		this.databases = [1, 2, 3].map((at) => new DatabaseHost(`db${at}`, `10.77.0.1${at}`, DATA, logs));
		this.services = [1, 2].map((at) => {
			const name = `svc${at}`;
			const own = { ...settings, HOLDFAST_ADMIN_SOCKET: path.join(SHARED, `${name}.sock`) };
			const address = `10.77.0.2${at}`;
			return new ServiceHost({ name, address, data: DATA, logs, launcher, image, shared: SHARED, settings: own });
		});
		this.#superuser = `postgres:${variablesOf("patroni.env").PATRONI_SUPERUSER_PASSWORD}`;
		// the lab reaches the primary as the nodes do
		const out = openSync(path.join(logs, "lab-haproxy.log"), "a");
		spawn(HAPROXY[0] ?? "", HAPROXY.slice(1), { stdio: ["ignore", out, out], detached: true });
	}

	/** The address of a database on the primary, as its superuser. */
	url(database: string): string {
		return `postgresql://${this.#superuser}@127.0.0.1:5432/${database}`;
	}

	/** The same as the role of the service. */
	serviceUrl(database: string): string {
		const url = new URL(variablesOf("holdfast.env").HOLDFAST_DATABASE_URL ?? "");
		url.pathname = `/${database}`;
		return url.href;
	}

	/** Starts everything; resolves when both nodes are ready. */
	async start(say: (line: string) => void): Promise<void> {
		await Promise.all(this.databases.map((host) => host.powerOn()));
		const latest = performance.now() + FIRST_START_MS;
		while (!(await canReachDatabase(this.url("postgres")))) {
			if (performance.now() > latest) throw new Error("the cluster has no primary");
			await sleep(LOOK_EVERY_MS);
		}
		say("there is a primary");
		const { username, password } = new URL(this.serviceUrl(SERVICE_DATABASE));
		await withSession(this.url("postgres"), async (session) => {
			await session.query(`create role ${username} login password '${password}'`);
			for (const name of [SERVICE_DATABASE, FOREIGN_DATABASE])
				await session.query(`create database ${name} owner ${username}`);
		});
		await Promise.all(this.services.map((host) => host.powerOn()));
		await this.whole(latest - performance.now());
	}

	async stop(): Promise<void> {
		await Promise.all([...this.services, ...this.databases].map((host) => host.powerOff()));
	}

	/** The host that is the primary by its own account and by HAProxy's question; null: none, or two. */
	async primary(): Promise<DatabaseHost | null> {
		const answers = await Promise.all(this.databases.map(async (host) => (await host.isPrimary()) && host));
		const primaries = answers.filter((host) => host !== false);
		return primaries.length === 1 ? (primaries[0] ?? null) : null;
	}

	async members(): Promise<readonly Member[]> {
		const answers = await Promise.all(this.databases.map((host) => host.members()));
		return answers.find((members) => members !== null) ?? [];
	}

	host(name: string): DatabaseHost {
		const found = this.databases.find((host) => host.name === name);
		if (found === undefined) throw new Error(`there is no host ${name}`);
		return found;
	}

	/** Resolves when nothing is missing. Throws after `withinMs`, naming the obstacle. */
	async whole(withinMs: number): Promise<void> {
		const latest = performance.now() + withinMs;
		for (;;) {
			const missing = await this.#missing();
			if (missing === null) return;
			if (performance.now() > latest) throw new Error(`the cluster has not recovered: ${missing}`);
			await sleep(LOOK_EVERY_MS);
		}
	}

	async #missing(): Promise<string | null> {
		const wells = await Promise.all(this.databases.map((host) => host.isEtcdWell()));
		const ill = this.databases.filter((_, at) => wells[at] !== true);
		if (ill.length > 0) return `etcd is not well on ${ill.map(({ name }) => name).join(", ")}`;
		if ((await this.primary()) === null) return "there is not one primary";
		const members = await this.members();
		const sync = members.filter(({ role }) => role === "sync_standby");
		if (members.length !== this.databases.length || sync.length !== 1 || members.some(({ state }) => !RUNS.has(state)))
			return `members: ${members.map(({ name, role, state }) => `${name} ${role} ${state}`).join(", ")}`;
		if (new Set(members.map(({ timeline }) => timeline)).size !== 1) return "members are on several timelines";
		try {
			const why = await this.#writes();
			if (why !== null) return why;
		} catch (error) {
			return `the primary: ${(error as Error).message}`;
		}
		const ready = await Promise.all(this.services.map((host) => host.isReady()));
		const late = this.services.filter((_, at) => ready[at] !== true);
		return late.length === 0 ? null : `not ready: ${late.map(({ name }) => name).join(", ")}`;
	}

	/** Commits a row, and looks whether both standbys follow. */
	async #writes(): Promise<string | null> {
		return await withSession(this.url("postgres"), async (session) => {
			await session.query(`set statement_timeout = ${WRITE_MS}`);
			await session.query("create table if not exists pulse (one boolean primary key, beats bigint)");
			await session.query("insert into pulse values (true, 1) on conflict (one) do update set beats = pulse.beats + 1");
			const { rows } = await session.query<{ follow: number }>(
				"select count(*)::int as follow from pg_stat_replication where state = 'streaming'",
			);
			return rows[0]?.follow === STANDBYS ? null : `${rows[0]?.follow} of ${STANDBYS} standbys follow`;
		});
	}
}

const RUNS = new Set(["running", "streaming"]);
