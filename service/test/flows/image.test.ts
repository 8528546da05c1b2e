import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { complete, type Document, debianPackages, installedPackages } from "../../../deploy/image/sbom.ts";
import { sizeOr } from "../sizes.ts";
import { ROOT, readText } from "../tidy/source.ts";

/*
 * The image: its list of parts, and, in the full sizes and where a machine can make one, the image itself.
 */

const run = promisify(execFile);
const IMAGE = "localhost/holdfast-test";
const CAN_BUILD = process.getuid?.() === 0 && existsSync("/usr/bin/podman") && existsSync("/usr/bin/mmdebstrap");
const BUILT_WITHIN_MS = 900_000;
/** Where podman's network finds `iptables`, also for an account whose PATH is that of users. */
const SBIN = "/usr/sbin:/sbin";
const MAX_OUTPUT = 64 * 1024 * 1024;

const LOCK = readText("package-lock.json");
const LOCKED = (JSON.parse(LOCK) as { packages: Record<string, { dev?: boolean; link?: boolean; optional?: boolean }> })
	.packages;
/** What the image has: neither tools, nor what is for other platforms. */
const isCarried = (folder: string): boolean => {
	const { dev, link, optional } = LOCKED[folder] ?? {};
	if (!folder.includes("node_modules/") || dev === true || link === true) return false;
	return optional !== true || folder.endsWith("/linux-x64");
};

const STATUS = `Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36-9+deb12u14

Package: removed
Status: deinstall ok config-files
Architecture: amd64
Version: 1.0
`;

describe("The list of the image's parts", () => {
	it("has every package that runs, no tool, and what is there without npm, and each reference leads somewhere", async () => {
		const args = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx"];
		const { stdout } = await run("npm", args, { cwd: ROOT, maxBuffer: MAX_OUTPUT });
		const installed = installedPackages(LOCK, isCarried);
		const debian = debianPackages(STATUS, "debian-12");
		const list = complete(JSON.parse(stdout) as Document, { node: "24.11.0", debian, installed });
		const purls = list.components.map(({ purl }) => decodeURIComponent(purl));
		expect([...installed].filter((one) => !purls.includes(`pkg:npm/${one}`))).toEqual([]);
		expect(installed.size).toBeGreaterThan(200);
		expect(purls.filter((purl) => /vitest|darwin|removed/.test(purl))).toEqual([]);
		expect(purls).toEqual(
			expect.arrayContaining([
				"pkg:deb/debian/libc6@2.36-9+deb12u14?arch=amd64&distro=debian-12",
				"pkg:generic/node@24.11.0",
				expect.stringMatching(/^pkg:generic\/postgresql@18\.\d+$/),
			]),
		);
		const refs = [list.metadata.component, ...list.components].map((one) => one["bom-ref"]);
		expect(new Set(refs).size).toBe(refs.length);
		const named = list.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
		expect(named.filter((ref) => !refs.includes(ref))).toEqual([]);
	});
});

/**
 * Settings for podman that work on machines which run tests: it may not raise its limits there, and Debian's default
 * runtime, crun, needs version 2 of cgroups; runc does not.
 */
async function settingsIn(folder: string): Promise<NodeJS.ProcessEnv> {
	if (process.env.CONTAINERS_CONF !== undefined) return {};
	const lines = ["[containers]", 'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]'];
	if (!existsSync("/sys/fs/cgroup/cgroup.controllers")) lines.push("[engine]", 'runtime = "runc"');
	const file = path.join(folder, "containers.conf");
	await writeFile(file, `${lines.join("\n")}\n`);
	return { CONTAINERS_CONF: file };
}

describe.skipIf(sizeOr(1, 0) !== 1 || !CAN_BUILD)("The image on Debian's packages", () => {
	it(
		"can be built, and runs without root and with a root that cannot be written",
		async () => {
			const folder = await mkdtemp(path.join(tmpdir(), "holdfast-image-"));
			const env = { ...process.env, PATH: `${process.env.PATH}:${SBIN}`, ...(await settingsIn(folder)) };
			const options = { cwd: ROOT, maxBuffer: MAX_OUTPUT, env };
			try {
				await run("deploy/image/build.sh", [IMAGE], options);
				await run(process.execPath, ["deploy/image/try.ts", IMAGE], options);
			} finally {
				await run("podman", ["rmi", "--force", IMAGE, "localhost/holdfast-base"], options);
				await rm(folder, { recursive: true });
			}
		},
		BUILT_WITHIN_MS,
	);
});
