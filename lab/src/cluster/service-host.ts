/** A host of the service: a node of Holdfast, and the HAProxy that leads it to the primary. */
import path from "node:path";
import { isServing } from "../ground/service-node.ts";
import type { LabNode } from "../ground/types.ts";
import { containerCommand } from "./container.ts";
import { DEPLOY, variablesFor } from "./files.ts";
import { Host, type Program } from "./host.ts";

const PORT = 4000;
const COA_PORT = 4001;
const NODE = /\bholdfast\.js start/;

/** HAProxy as Debian's unit starts it, but in the foreground. */
export const HAPROXY = ["/usr/sbin/haproxy", "-W", "-db", "-f", path.join(DEPLOY, "haproxy.cfg")];

export interface ServicePlan {
	readonly name: string;
	readonly address: string;
	readonly data: string;
	readonly logs: string;
	readonly launcher: string;
	/** The image in which the node runs; null: it runs from this checkout, as root. */
	readonly image: string | null;
	/** The folder that all service hosts share. */
	readonly shared: string;
	/** Settings besides those of deploy/cluster/holdfast.env. */
	readonly settings: Readonly<Record<string, string>>;
}

export class ServiceHost extends Host implements LabNode {
	readonly api: string;
	readonly coa: string;
	readonly direct: string;
	readonly log: string;
	/** The environment of commands on this host. */
	readonly env: Readonly<Record<string, string>>;

	constructor({ name, address, data, logs, launcher, image, shared, settings }: ServicePlan) {
		const env = { ...variablesFor("holdfast.env", name, address), ...settings };
		const disk = path.join(data, name);
		const command =
			image === null ? [process.execPath, launcher, "start"] : containerCommand(image, disk, shared, Object.keys(env));
		const haproxy: Program = { name: "haproxy", command: HAPROXY, account: "root", env: {} };
		const node: Program = { name: "holdfast", command, account: "root", env };
		super({
			name,
			address,
			disk,
			folders: {},
			programs: [haproxy, node],
			logs,
		});
		this.env = env;
		this.direct = this.api = `http://${address}:${PORT}`;
		this.coa = `http://${address}:${COA_PORT}`;
		this.log = path.join(logs, `${name}-holdfast.log`);
	}

	pid(): number | null {
		return this.processesWith(NODE)[0]?.pid ?? null;
	}

	isReady(): Promise<boolean> {
		return isServing(this.direct);
	}
}
