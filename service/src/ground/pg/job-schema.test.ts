import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { JOB_SCHEMA } from "./job-schema.ts";

test("the version that databases are held to is that of the package installed", () => {
	const path = fileURLToPath(new URL("../package.json", import.meta.resolve("graphile-worker")));
	const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
	expect(JOB_SCHEMA).toBe(`graphile_worker_${version}`);
});
