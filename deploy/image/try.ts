/**
 * `node deploy/image/try.ts [image]` runs an image as docs/operator/deploying.md says, without root, without
 * capabilities and with a root that cannot be written, and does what a first user does. Needs podman, and root, which
 * may give a folder to another account. Prints a line for each thing that works; exits 1 at the first that does not.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** An account that is not in the image. */
const STRANGER = 12_345;
const READY_MS = 120_000;
const LOOK_EVERY_MS = 200;
/** Seconds that the container has to stop; docs/operator/running.md gives the sum. */
const STOP_SECONDS = 90;

interface Ran {
	readonly code: number;
	readonly output: string;
}

function podman(...args: readonly string[]): Promise<Ran> {
	return new Promise((resolve, reject) => {
		execFile("podman", args, (error, stdout, stderr) => {
			if (error !== null && typeof error.code !== "number") reject(error);
			else resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
		});
	});
}

async function must(...args: readonly string[]): Promise<string> {
	const { code, output } = await podman(...args);
	assert.equal(code, 0, `podman ${args.join(" ")}: ${output}`);
	return output;
}

function freePort(): Promise<number> {
	return new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address() as { port: number };
			server.close(() => resolve(port));
		});
	});
}

/** A running container and the addresses at which the host reaches it. */
class Container {
	readonly name = `holdfast-try-${process.pid}-${Math.random().toString(36).slice(2)}`;
	api = "";
	coa = "";
	token = "";

	async start(image: string, volume: string, uid: number | null): Promise<void> {
		const [port, coaPort] = [await freePort(), await freePort()];
		this.api = `http://127.0.0.1:${port}`;
		this.coa = `http://127.0.0.1:${coaPort}`;
		await must(
			"run",
			"--detach",
			`--name=${this.name}`,
			"--read-only",
			"--tmpfs=/tmp",
			"--cap-drop=all",
			"--security-opt=no-new-privileges",
			"--memory=2g",
			`--stop-timeout=${STOP_SECONDS}`,
			...(uid === null ? [] : [`--user=${uid}:${uid}`]),
			`--volume=${volume}:/data`,
			`--publish=127.0.0.1:${port}:4000`,
			`--publish=127.0.0.1:${coaPort}:4001`,
			`--env=HOLDFAST_URL=${this.api}`,
			`--env=HOLDFAST_COA_URL=${this.coa}`,
			image,
		);
		await this.until("ready", async () => {
			const reply = await fetch(`${this.api}/readyz`).catch(() => null);
			return reply?.status === 200;
		});
	}

	async until(what: string, holds: () => Promise<boolean>): Promise<void> {
		const latest = performance.now() + READY_MS;
		while (!(await holds())) {
			const runs = (await must("inspect", "--format", "{{.State.Running}}", this.name)).startsWith("true");
			if (!runs || performance.now() > latest) assert.fail(`not ${what}:\n${await this.log()}`);
			await sleep(LOOK_EVERY_MS);
		}
	}

	log(): Promise<string> {
		return must("logs", this.name);
	}

	exec(...command: readonly string[]): Promise<Ran> {
		return podman("exec", this.name, ...command);
	}

	async ask(address: string, body?: unknown): Promise<{ status: number; type: string; bytes: Buffer }> {
		const headers = {
			Authorization: `Bearer ${this.token}`,
			"Content-Type": "application/json",
			Accept: "application/json, */*",
		};
		const reply = await fetch(
			address,
			body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) },
		);
		const bytes = Buffer.from(await reply.arrayBuffer());
		return { status: reply.status, type: reply.headers.get("content-type") ?? "", bytes };
	}

	async stop(): Promise<void> {
		await must("stop", this.name);
		assert.equal((await must("inspect", "--format", "{{.State.ExitCode}}", this.name)).trim().split("\n")[0], "0");
		assert.match(await this.log(), /^Stopped\.$/m);
	}

	async remove(): Promise<void> {
		await podman("rm", "--force", "--time", "0", this.name);
	}
}

const json = (bytes: Buffer): unknown => JSON.parse(bytes.toString());
const works = (what: string): void => console.log(`works  ${what}`);

/** What a first user does with a container that was started on an empty volume. */
async function firstUse(container: Container): Promise<void> {
	const { api, coa } = container;
	await container.until("printing a key and a link", async () => {
		const log = await container.log();
		[container.token = ""] = /pk_hf_sandbox_\w+:sk_hf_sandbox_\w+/.exec(log) ?? [];
		return container.token !== "" && log.includes(`${api}/admin/set-up#`);
	});
	works("the first start prints a sandbox key and the console's link");
	const hold = { items: [{ sku: "SBX-PLENTY", qty: 1 }], external_ref: "first-hold" };
	assert.equal((await container.ask(`${api}/api/v1/reserve`, hold)).status, 201);
	works("a reserve with that key");
	for (const page of ["/docs", "/docs/errors/hold_race", "/admin/", "/docs/llms.txt"]) {
		assert.deepEqual([page, (await container.ask(api + page)).status], [page, 200]);
		works(`the page ${page}`);
	}
	assert.equal((await container.ask(`${coa}/api/partner/v1/coa`)).status, 200);
	works("the feed of certificates");
	const found = json((await container.ask(`${coa}/coa/lookup?lot=SANDBOX`)).bytes) as {
		data: { items: { certificate_url: string }[] };
	};
	const pdf = await container.ask(found.data.items.at(-1)?.certificate_url ?? "");
	assert.deepEqual([pdf.status, pdf.type, pdf.bytes.subarray(0, 5).toString()], [200, "application/pdf", "%PDF-"]);
	works("the PDF of a certificate");
}

async function confined(container: Container, uid: number): Promise<void> {
	assert.equal((await container.exec("id", "-u")).output.trim(), String(uid));
	assert.match((await container.exec("touch", "/opt/holdfast/file")).output, /Read-only file system/);
	works(`it runs as ${uid}, and its root cannot be written`);
	assert.equal((await podman("healthcheck", "run", container.name)).code, 0);
	works("its health check");
	assert.equal((await container.exec("node", "cli/bin/holdfast.js", "verify")).code, 0);
	works("a command in the container: verify is clean");
}

/** Two containers after each other on one volume. */
async function lives(image: string, volume: string, uid: number | null): Promise<void> {
	const first = new Container();
	const second = new Container();
	try {
		await first.start(image, volume, uid);
		await firstUse(first);
		await confined(first, uid ?? 1_000);
		await first.stop();
		works("it stops in time, with exit code 0");
		await first.remove();
		await second.start(image, volume, uid);
		second.token = first.token;
		const again = await second.ask(`${second.api}/api/v1/reserve`, {
			items: [{ sku: "SBX-PLENTY", qty: 1 }],
			external_ref: "first-hold",
		});
		assert.partialDeepStrictEqual([again.status, json(again.bytes)], [201, { data: { idempotent: true } }]);
		works("another container on the volume knows the key and the hold");
		await second.stop();
	} finally {
		await first.remove();
		await second.remove();
	}
}

/** The list of parts names Debian's packages, npm's, Node and PostgreSQL; every reference leads to one of them. */
async function listed(image: string): Promise<void> {
	const printed = await must("run", "--rm", "--network", "none", image, "cat", "sbom.cdx.json");
	const { components, dependencies, metadata } = JSON.parse(printed.slice(0, printed.lastIndexOf("}") + 1)) as {
		metadata: { component: { "bom-ref": string } };
		components: { "bom-ref": string; purl: string }[];
		dependencies: { ref: string; dependsOn: string[] }[];
	};
	const refs = [metadata.component, ...components].map((one) => one["bom-ref"]);
	assert.equal(new Set(refs).size, refs.length);
	for (const { ref, dependsOn } of dependencies) {
		for (const one of [ref, ...dependsOn]) assert(refs.includes(one), `${one} is referred to, and not listed`);
	}
	for (const start of ["pkg:deb/debian/libc6@", "pkg:npm/fastify@", "pkg:generic/node@24", "pkg:generic/postgresql@18"])
		assert(
			components.some(({ purl }) => purl.startsWith(start)),
			`${start} is not listed`,
		);
	works(`the list of its ${components.length} parts`);
}

const image = process.argv[2] ?? "localhost/holdfast";
const volume = `holdfast-try-${process.pid}`;
const folder = await mkdtemp(path.join(tmpdir(), "holdfast-try-"));
try {
	await listed(image);
	await lives(image, volume, null);
	await chown(folder, STRANGER, STRANGER);
	await lives(image, folder, STRANGER);
} finally {
	await podman("volume", "rm", "--force", volume);
	await rm(folder, { recursive: true, force: true });
}
