import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { toConfig, VARIABLES } from "../../src/config.ts";
import { MAX_BODY_BYTES } from "../../src/partners/http/body.ts";
import { MAX_FORM_BYTES } from "../../src/partners/http/form.ts";

/*
 * Checks the files in deploy/, also with the tools for which they are made, if the machine has them.
 */

const ROOT = join(import.meta.dirname, "../../..");
const DEPLOY = join(ROOT, "deploy");
const KIB = 1024;
const SYSTEMD_ANALYZE = "/usr/bin/systemd-analyze";

const read = (name: string): Promise<string> => readFile(join(DEPLOY, name), "utf8");

/** The files of a folder and of those in it. */
const filesOf = async (folder: string): Promise<string[]> =>
	(await readdir(folder, { recursive: true, withFileTypes: true }))
		.filter((one) => one.isFile())
		.map((one) => relative(folder, join(one.parentPath, one.name)));

/** The settings of a unit by section; the values of a repeated setting are joined. */
function unitOf(text: string): Record<string, Record<string, string>> {
	const unit: Record<string, Record<string, string>> = {};
	let section = "";
	for (const line of text.split("\n").map((one) => one.trim())) {
		if (line === "" || line.startsWith("#")) continue;
		const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
		if (name !== undefined) {
			section = name;
			unit[section] = {};
			continue;
		}
		const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
		if (key === undefined || value === undefined) throw new Error(`not a line of a unit: ${line}`);
		const settings = unit[section] ?? {};
		settings[key] = settings[key] === undefined ? value : `${settings[key]} ${value}`;
	}
	return unit;
}

/** Checks that every block in braces, as in files of Caddy and nginx, is closed. */
function depthOf(text: string): number {
	let depth = 0;
	for (const line of text.split("\n").map((one) => one.replace(/(^|\s)#.*$/, ""))) {
		depth += (line.match(/\{/g)?.length ?? 0) - (line.match(/\}/g)?.length ?? 0);
		if (depth < 0) throw new Error(`closes more than is open: ${line}`);
	}
	return depth;
}

describe("The files for deploying", () => {
	it("name only settings that there are", async () => {
		for (const name of await filesOf(DEPLOY)) {
			const named = (await read(name)).match(/HOLDFAST_[A-Z_]+/g) ?? [];
			expect([name, named.filter((variable) => !Object.hasOwn(VARIABLES, variable))]).toEqual([name, []]);
		}
	});

	it("units start this repository's launcher without npm, as an account that is not root, and leave it time to stop", async () => {
		const { Service: service = {}, Install: install } = unitOf(await read("holdfast.service"));
		const [node = "", launcher = "", command] = service["ExecStart"]?.split(" ") ?? [];
		expect(command).toBe("start");
		expect(existsSync(join(ROOT, launcher))).toBe(true);
		expect(existsSync(node.replace("/opt/holdfast", ROOT).replace("linux-x64", `linux-${process.arch}`))).toBe(true);
		expect(service["User"]).toBe("holdfast");
		expect(Number(service["TimeoutStopSec"])).toBeGreaterThanOrEqual(75 + toConfig({}).stopDelaySeconds);
		expect(install).toEqual({ WantedBy: "multi-user.target" });
		expect(unitOf(await read("holdfast-backup.service"))["Service"]?.["ExecStart"]).toContain(`${launcher} backup`);
		expect(unitOf(await read("holdfast-backup.timer"))["Timer"]?.["OnCalendar"]).toBeDefined();
		expect(unitOf(await read("holdfast-verify.service"))["Service"]?.["ExecStart"]).toContain(`${launcher} verify`);
		expect(unitOf(await read("holdfast-verify.timer"))["Timer"]?.["OnCalendar"]).toBeDefined();
	});

	it.skipIf(!existsSync(SYSTEMD_ANALYZE))("units are good in the eyes of systemd itself", async () => {
		const folder = await mkdtemp(join(tmpdir(), "holdfast-units-"));
		try {
			const files: string[] = [];
			for (const name of await readdir(DEPLOY)) {
				if (!/\.(service|timer)$/.test(name)) continue;
				// this repository in place of the installed one
				const text = (await read(name))
					.replaceAll("/opt/holdfast/", `${ROOT}/`)
					.replaceAll("linux-x64", `linux-${process.arch}`);
				await writeFile(join(folder, name), text);
				files.push(join(folder, name));
			}
			expect(files).toHaveLength(5);
			const { stderr } = await promisify(execFile)(SYSTEMD_ANALYZE, ["verify", "--man=no", ...files]);
			expect(stderr.split("\n").filter((line) => line.includes("holdfast"))).toEqual([]);
		} finally {
			await rm(folder, { recursive: true });
		}
	});

	it("the container file copies what there is, and starts the launcher as an account that is not root", async () => {
		const text = (await read("Containerfile")).replace(/\\\n\s*/g, " ");
		const steps = text
			.split("\n")
			.filter((line) => line.trim() !== "" && !line.startsWith("#"))
			.map((line) => /^([A-Z]+) (.+)$/.exec(line) ?? expect.fail(`not an instruction: ${line}`))
			.map(([, instruction = "", rest = ""]) => ({ instruction, rest }));
		const known = [
			"ARG",
			"FROM",
			"LABEL",
			"WORKDIR",
			"COPY",
			"RUN",
			"ENV",
			"USER",
			"VOLUME",
			"EXPOSE",
			"STOPSIGNAL",
			"HEALTHCHECK",
			"CMD",
		];
		expect(steps.filter(({ instruction }) => !known.includes(instruction))).toEqual([]);
		for (const { rest } of steps.filter((step) => step.instruction === "COPY" && !step.rest.startsWith("--from"))) {
			for (const source of rest.split(" ").slice(0, -1))
				expect([source, await stat(join(ROOT, source)).then(() => "there")]).toEqual([source, "there"]);
		}
		const { workspaces } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { workspaces: string[] };
		for (const workspace of workspaces) expect(text).toContain(`COPY ${workspace}/package.json ${workspace}/`);
		expect(steps.findLast(({ instruction }) => instruction === "USER")?.rest).toBe("1000:1000");
		const [, launcher = ""] = JSON.parse(steps.at(-1)?.rest ?? "[]") as string[];
		expect(existsSync(join(ROOT, launcher))).toBe(true);
		const { port, coaPort } = toConfig({});
		expect(steps.find(({ instruction }) => instruction === "EXPOSE")?.rest).toBe(`${port} ${coaPort}`);
		expect(text).toContain(`http://127.0.0.1:${port}/readyz`);
	});

	it("proxies lead to the service's ports, and every block of theirs is closed", async () => {
		const { port, coaPort } = toConfig({});
		for (const name of ["Caddyfile", "nginx.conf"]) {
			const text = await read(name);
			expect([name, depthOf(text)]).toEqual([name, 0]);
			expect(text).toContain(`127.0.0.1:${port}`);
			expect(text).toContain(`127.0.0.1:${coaPort}`);
		}
		// a body that Holdfast accepts, with some room, and files of the console
		const [body, files] = [MAX_BODY_BYTES / KIB + 76, MAX_FORM_BYTES / KIB / KIB + 1];
		const limits = /client_max_body_size (\d+)k;\s.*location \/admin\/ \{\s+client_max_body_size (\d+)m;/s;
		expect(limits.exec(await read("nginx.conf"))?.slice(1)).toEqual([`${body}`, `${files}`]);
		const limited = /@operators \{\s+max_size (\d+)MiB\s.*@others \{\s+max_size (\d+)KiB/s;
		expect(limited.exec(await read("Caddyfile"))?.slice(1)).toEqual([`${files}`, `${body}`]);
		expect(await read("Caddyfile")).toContain("health_uri /livez"); // of one node, whose 429 is better than Caddy's 503
	});
});
