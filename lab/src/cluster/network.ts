/** A network inside the enclosure: a bridge, and for each host a namespace with one address on it. */
import { execFileSync } from "node:child_process";

/** The lab's own address, where partners and receivers of webhooks are. It is the bridge's. */
export const LAB_ADDRESS = "10.77.0.1";
const PREFIX = 24;
const BRIDGE = "lab0";

function run(command: string, args: readonly string[], input?: string): void {
	execFileSync(command, args, { stdio: ["pipe", "pipe", "pipe"], ...(input === undefined ? {} : { input }) });
}

const ip = (...args: readonly string[]): void => run("ip", args);

export function openNetwork(): void {
	// names of namespaces are files here, which vanish with the mount namespace
	run("mount", ["-t", "tmpfs", "tmpfs", "/run"]);
	ip("link", "set", "lo", "up");
	ip("link", "add", BRIDGE, "type", "bridge");
	ip("address", "add", `${LAB_ADDRESS}/${PREFIX}`, "dev", BRIDGE);
	ip("link", "set", BRIDGE, "up");
}

/** The network of one host. */
export class Cable {
	readonly #host: string;

	constructor(host: string, address: string) {
		this.#host = host;
		ip("netns", "add", host);
		ip("link", "add", `lab-${host}`, "type", "veth", "peer", "name", "eth0", "netns", host);
		ip("link", "set", `lab-${host}`, "master", BRIDGE);
		ip("-n", host, "link", "set", "lo", "up");
		ip("-n", host, "address", "add", `${address}/${PREFIX}`, "dev", "eth0");
		ip("-n", host, "link", "set", "eth0", "up");
		this.plugIn();
	}

	/** The options of `nsenter` for the namespace. */
	get enter(): string {
		return `--net=/run/netns/${this.#host}`;
	}

	plugIn(): void {
		ip("link", "set", `lab-${this.#host}`, "up");
	}

	pullOut(): void {
		ip("link", "set", `lab-${this.#host}`, "down");
	}

	/** Drops every packet between this host and those addresses on those ports of either side, without a notice. */
	cut(addresses: readonly string[], ports: readonly number[]): void {
		const others = `{ ${addresses.join(", ")} }`;
		const these = `{ ${ports.join(", ")} }`;
		const rules = (side: "saddr" | "daddr"): string =>
			["sport", "dport"].map((port) => `ip ${side} ${others} tcp ${port} ${these} drop`).join("\n");
		const chain = (hook: string, side: "saddr" | "daddr"): string =>
			`chain ${hook} {\ntype filter hook ${hook} priority 0; policy accept;\n${rules(side)}\n}`;
		this.#nft(`table inet cut {\n${chain("input", "saddr")}\n${chain("output", "daddr")}\n}\n`);
	}

	heal(): void {
		this.#nft("delete table inet cut\n");
	}

	#nft(script: string): void {
		run("nsenter", [this.enter, "nft", "-f", "-"], script);
	}
}
