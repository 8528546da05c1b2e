/** A host of the database: etcd, Patroni, and the PostgreSQL that Patroni starts. */
import path from "node:path";
import { childrenOf, type Process } from "../ground/processes.ts";
import { DEPLOY, variablesFor } from "./files.ts";
import { Host, type Program } from "./host.ts";

export const PORTS = { postgres: 5432, patroni: 8008, etcd: 2379, etcdPeers: 2380 } as const;

/** A member of the cluster as Patroni's REST interface names it. */
export interface Member {
	readonly name: string;
	readonly role: string;
	readonly state: string;
	readonly timeline?: number;
	readonly lag?: number | string;
}

/** Milliseconds for an answer of Patroni or etcd. */
const LOOK_MS = 2_000;
const PATRONI_FILE = path.join(DEPLOY, "patroni.yml");
const POSTMASTER = /^\S*\/bin\/postgres -D /;
const POSTGRES = /^(postgres: |\S*\/bin\/postgres -D )/;
const PATRONI = /^\S*python3 \/usr\/bin\/patroni /;
const ETCD = /^\/usr\/bin\/etcd/;

export class DatabaseHost extends Host {
	readonly #patroni: Readonly<Record<string, string>>;

	constructor(name: string, address: string, data: string, logs: string) {
		const etcd: Program = {
			name: "etcd",
			command: ["/usr/bin/etcd"],
			account: "etcd",
			env: variablesFor("etcd.env", name, address),
		};
		const patroni: Program = {
			name: "patroni",
			command: ["/usr/bin/patroni", PATRONI_FILE],
			account: "postgres",
			env: variablesFor("patroni.env", name, address),
		};
		super({
			name,
			address,
			disk: path.join(data, name),
			folders: { "/var/lib/postgresql": "postgres", "/var/lib/etcd": "etcd" },
			programs: [etcd, patroni],
			logs,
		});
		this.#patroni = patroni.env;
	}

	postmaster = (): Process[] => this.processesWith(POSTMASTER);
	postgres = (): Process[] => this.processesWith(POSTGRES);
	etcd = (): Process[] => this.processesWith(ETCD);
	/** Without the children that Patroni forks for a moment. */
	patroni = (): Process[] => {
		const all = this.processesWith(PATRONI);
		const children = new Set(all.flatMap(childrenOf).map(({ pid }) => pid));
		return all.filter(({ pid }) => !children.has(pid));
	};

	async patronictl(...args: readonly string[]): Promise<string> {
		return await this.run(["patronictl", "-c", PATRONI_FILE, ...args], "postgres", this.#patroni);
	}

	/** The members as this host sees them; null: it does not answer. */
	async members(): Promise<readonly Member[] | null> {
		const answer = await look(`http://${this.address}:${PORTS.patroni}/cluster`);
		return (answer as { members?: readonly Member[] } | null)?.members ?? null;
	}

	/** Whether Patroni says that this host is the primary, as HAProxy asks it. */
	async isPrimary(): Promise<boolean> {
		return (await look(`http://${this.address}:${PORTS.patroni}/primary`)) !== null;
	}

	async isEtcdWell(): Promise<boolean> {
		const answer = (await look(`http://${this.address}:${PORTS.etcd}/health`)) as { health?: string } | null;
		return answer?.health === "true";
	}
}

/** The document at this address; null: another status than 200, or no answer. */
async function look(url: string): Promise<unknown> {
	try {
		const reply = await fetch(url, { signal: AbortSignal.timeout(LOOK_MS) });
		const text = await reply.text();
		return reply.status === 200 ? JSON.parse(text) : null;
	} catch {
		return null;
	}
}
