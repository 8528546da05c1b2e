import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PUBLIC, REDIRECTOR } from "./forbidden-urls.ts";

const SCRIPT = join(import.meta.dirname, "../processes/post-everywhere.ts");
/** Whether this account may create a network namespace. */
const may = spawnSync("unshare", ["-rn", "ip", "link", "set", "lo", "up"]).status === 0;

interface Printed {
	readonly urls: number;
	readonly refused: number;
	readonly answered: readonly string[];
	readonly guarded: readonly string[];
	readonly bare: number;
}

it.skipIf(!may)(
	"no URL reaches an address that is not public, however it is spelt, whatever its name leads to, and wherever it is redirected",
	() => {
		const script = 'ip link set lo up && exec "$0" "$1"';
		const ran = spawnSync("unshare", ["-rn", "sh", "-c", script, process.execPath, SCRIPT], {
			encoding: "utf8",
			timeout: 120_000,
		});
		expect(ran.stderr).toBe("");
		const printed = JSON.parse(ran.stdout) as Printed;
		expect(printed.urls).toBeGreaterThanOrEqual(300);
		// the address that the operator allows, and names while they are public
		expect(printed.guarded.filter((address) => address !== REDIRECTOR && address !== PUBLIC)).toEqual([]);
		expect(printed.guarded.filter((address) => address === REDIRECTOR)).toHaveLength(1);
		expect(printed.answered).toEqual([]);
		// the listeners work: without the guard they are reached
		expect(printed.bare).toBeGreaterThan(30);
		console.log(
			`${printed.urls} URLs, ${printed.refused} refused when saved, 0 forbidden addresses reached; ${printed.bare} of 40 without the guard`,
		);
	},
	130_000,
);
