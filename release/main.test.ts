import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../service/test/tidy/source.ts";

/* Releases a temporary clone of this repository, with the script as it is here. */

const NEXT = "7.8.9";
const SCRIPT = join(import.meta.dirname, "main.ts");
const WHO = {
	GIT_AUTHOR_NAME: "T",
	GIT_AUTHOR_EMAIL: "t@example.com",
	GIT_COMMITTER_NAME: "T",
	GIT_COMMITTER_EMAIL: "t@example.com",
};

describe.skipIf(!existsSync(join(ROOT, ".git")))("npm run release", () => {
	let folder: string;
	let clone: string;
	let head: string;

	beforeAll(() => {
		folder = mkdtempSync(join(tmpdir(), "holdfast-release-"));
		clone = join(folder, "clone");
		execFileSync("git", ["clone", "-q", "--shared", "--no-tags", ROOT, clone], { stdio: "ignore" });
		head = git("rev-parse", "HEAD");
	});
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	const git = (...args: string[]): string =>
		execFileSync("git", args, { cwd: clone, encoding: "utf8", env: { ...process.env, ...WHO } }).trim();
	const read = (file: string): string => readFileSync(join(clone, file), "utf8");
	const release = (...args: string[]) => {
		const env = { ...process.env, ...WHO };
		const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
			cwd: clone,
			encoding: "utf8",
			env,
		});
		return { status, out: stdout, err: stderr };
	};

	it("refuses an unclean tree, a word that is no version, and one before the present", () => {
		writeFileSync(join(clone, "left.txt"), "");
		expect(release(NEXT)).toMatchObject({ status: 1, err: expect.stringContaining("?? left.txt") });
		rmSync(join(clone, "left.txt"));
		expect(release("next")).toMatchObject({ status: 1, err: expect.stringContaining('"next" is no version') });
		expect(release("0.0.1")).toMatchObject({ status: 1, err: expect.stringContaining("0.0.1 is before") });
		expect(release()).toMatchObject({ status: 2, out: expect.stringContaining("--dry-run") });
		expect([git("status", "--porcelain"), git("rev-parse", "HEAD")]).toEqual(["", head]);
	});

	it("says with --dry-run what it would do, and changes nothing", () => {
		const { status, out } = release(NEXT, "--dry-run");
		expect([status, out]).toEqual([0, expect.stringContaining("Would change: CHANGELOG.md,")]);
		expect(out).toContain("sdk/src/client/version.ts");
		expect([git("status", "--porcelain"), git("rev-parse", "HEAD"), git("tag")]).toEqual(["", head, ""]);
	});

	it("sets the version everywhere, closes the changelog, tags, and names itself as the release before", () => {
		const was = (JSON.parse(read("package.json")) as { version: string }).version;
		const { status, out } = release(NEXT);
		expect(status).toBe(0);
		expect(out).toMatch(/^Release 7\.8\.9 of \d{4}-\d{2}-\d{2}, with API date \d{4}-\d{2}-\d{2}\.$/m);
		expect(git("log", "-2", "--format=%s")).toBe(`Name ${NEXT} as the release before\nRelease ${NEXT}`);
		const released = git("rev-parse", `v${NEXT}^{commit}`);
		expect(released).toBe(git("rev-parse", "HEAD~1"));
		expect(JSON.parse(read("release/before.json"))).toEqual({ version: NEXT, commit: released });
		expect(read("CHANGELOG.md")).toMatch(
			/\n## Unreleased\n\nNothing yet\.\n\n## 7\.8\.9, \d{4}-\d{2}-\d{2}, API date /,
		);

		const lock = JSON.parse(read("package-lock.json")) as {
			version: string;
			packages: Record<string, { version: string }>;
		};
		const ours = Object.entries(lock.packages).filter(
			([folder, { version }]) => !folder.includes("node_modules/") && version,
		);
		expect([lock.version, ...new Set(ours.map(([, { version }]) => version))]).toEqual([NEXT, NEXT]);
		const changes = git("diff", "--unified=0", head, released)
			.split("\n")
			.filter((line) => /^[+-](?![+-])/.test(line));
		const lines = changes.filter((line) => line.includes(was) || line.includes(NEXT));
		expect(lines.filter((line) => line.startsWith("-")).length).toBeGreaterThan(15);
		expect(changes.filter((line) => line.startsWith("-") && !line.includes(was))).toEqual([]);
		expect(git("status", "--porcelain")).toBe("");
	});

	it("refuses a second release of the version, and one without changes", () => {
		expect(release(NEXT)).toMatchObject({
			status: 1,
			err: expect.stringContaining(`There is a release ${NEXT} already.`),
		});
		expect(release("7.9.0")).toMatchObject({ status: 1, err: expect.stringContaining("lists nothing") });
	});
});
