import { describe, expect, it } from "vitest";
import { COMMANDS } from "./commands.ts";
import { partner, partnerAlone } from "./run-for-tests.ts";

const KEY = "pk_hf_sandbox_0wW6YxzRJqewKtGta3d2cMA:sk_hf_sandbox_RHpEMFt8Kfbj4l7TJVV6JhLvDr9zOMYb8TPYTkgDpHG1e9CdN";
const NOBODY = { HOLDFAST_URL: "http://127.0.0.1:9", HOLDFAST_TOKEN: KEY };

describe("The program", () => {
	it("says what it has, and what its version is", async () => {
		expect(await partner(["--help"])).toMatchObject({ code: 0, err: "", out: expect.stringContaining("mirror check") });
		expect(await partnerAlone(["--version"])).toMatchObject({
			code: 0,
			out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
		});
		expect((await partner(["--version", "--json"])).json).toEqual({ version: expect.any(String) });
		expect(await partner([])).toMatchObject({ code: 2, out: expect.stringContaining("Usage:") });
	});

	it.each(Object.keys(COMMANDS))("helps with %s", async (name) => {
		const help = await partner([...name.split(" "), "--help"]);
		expect(help).toMatchObject({ code: 0, err: "", out: expect.stringContaining(`$ holdfast-partner ${name}`) });
	});

	it("ends wrong usage with 2 and a sentence, in JSON as well", async () => {
		expect(await partner(["golve"])).toEqual({
			code: 2,
			out: "",
			json: null,
			err: expect.stringMatching(/Did you mean "golive"\?/),
		});
		expect((await partner(["golive", "--drll", "--json"])).json).toEqual({
			error: { code: "usage", message: expect.stringContaining('Did you mean "--drill"?') },
		});
		expect(await partner(["golive"])).toMatchObject({
			code: 2,
			err: expect.stringContaining("Set HOLDFAST_URL (or --url) and HOLDFAST_TOKEN"),
		});
		expect(await partner(["golive", "--url", "x:y z", "--token", KEY])).toMatchObject({ code: 2 });
	});

	it("never prints a secret that was typed at the wrong place", async () => {
		for (const args of [
			["doctor", KEY],
			["golive", `--url=${KEY}`],
			[KEY],
			["golive", "--token", `${KEY}x`],
			["mirror", "check", KEY],
		]) {
			const { code, out, err } = await partner(args, { env: { HOLDFAST_URL: NOBODY.HOLDFAST_URL } });
			expect(code).toBe(2);
			expect(out + err).not.toContain("RHpEMFt8");
		}
	});

	it.each([["golive"], ["requests", "tail", "--once"], ["golive", "--drill"], ["doctor"], ["init"]])(
		"ends with 3 where no service answers: %s",
		async (...args) => {
			// alone: between two attempts, nothing else keeps the process alive
			const { code, out, err } = await partnerAlone(args, { env: NOBODY });
			expect(code).toBe(3);
			expect(out + err).toMatch(/Is the address right|does not answer/);
		},
	);
});
