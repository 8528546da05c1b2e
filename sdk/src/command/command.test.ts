import { describe, expect, it } from "vitest";
import { command, helpOf, parse, wholeNumber } from "./command.ts";
import { COMMANDS, findCommand, overview } from "./commands.ts";
import { EXIT } from "./failure.ts";

const example = command({
	takes: ["FILE"],
	about: "Does something.",
	example: "some thing x.csv",
	options: { drill: { type: "boolean", text: "drill" }, url: { type: "string", value: "URL", text: "address" } },
	run: async () => EXIT.ok,
});

describe("A command line", () => {
	it.each([
		[["x.csv"], {}, ["x.csv"]],
		[["--drill", "x.csv", "--json"], { drill: true, json: true }, ["x.csv"]],
		[["--url=a=b", "x.csv"], { url: "a=b" }, ["x.csv"]],
		[["--url", "a", "--url", "b", "x"], { url: "b" }, ["x"]],
		[["--", "--drill"], {}, ["--drill"]],
		[["--help"], { help: true }, []],
	])("%j is understood", (args, values, given) => {
		expect(parse("some thing", example, args)).toEqual({ values, given });
	});

	it.each([
		[[], "some thing takes FILE, and got 0 arguments."],
		[["a", "b"], "some thing takes FILE, and got 2 arguments."],
		[["a", "--dril"], 'some thing has no option --dril. Did you mean "--drill"?'],
		[["a", "--production"], "some thing has no option --production. "],
		[["a", "--url"], "some thing: Option '--url <value>' argument missing."],
		[["a", "--drill=yes"], "some thing: Option '--drill' does not take an argument."],
		[["a", "-x"], "some thing: Unknown option '-x'."],
	])("%j is wrong usage, and says what to do", (args, words) => {
		expect(() => parse("some thing", example, args)).toThrow(
			expect.objectContaining({ exit: EXIT.usage, code: "usage", message: expect.stringContaining(words) }),
		);
	});

	it.each([
		["0", 0],
		["65535", 65_535],
	])("has %s as a whole number", (text, value) => {
		expect(wholeNumber("port", text, 0, 65_535)).toBe(value);
	});

	it.each(["", "-1", "1.5", "65536", "0x10", "9999999999", "many"])("does not have %j as one", (text) => {
		expect(() => wholeNumber("port", text, 0, 65_535)).toThrow("--port must be a whole number from 0 to 65535.");
	});
});

describe("A command is found", () => {
	it.each([
		[["init"], "init", []],
		[["mirror", "check", "x"], "mirror check", ["x"]],
		[["golive", "--drill"], "golive", ["--drill"]],
		[["webhooks", "send", "--to", "x"], "webhooks send", ["--to", "x"]],
	])("in %j", (argv, name, rest) => {
		expect(findCommand(argv)).toEqual([name, rest]);
	});

	it.each([
		[["golve"], 'Did you mean "golive"?'],
		[["listen"], 'Did you mean "webhooks listen"?'],
		[["mirror", "chek"], 'Did you mean "mirror check"?'],
		[["golve", "x.csv"], 'Did you mean "golive"?'],
		[["webhooks"], '"webhooks" needs one more word: webhooks listen, webhooks send.'],
		[["webhooks", "--json"], '"webhooks" needs one more word'],
		[["deploy"], 'There is no command "deploy". "holdfast-partner --help" lists all.'],
		[["toString"], 'There is no command "toString".'],
	])("but not in %j", (argv, words) => {
		expect(() => findCommand(argv)).toThrow(
			expect.objectContaining({ exit: EXIT.usage, message: expect.stringContaining(words) }),
		);
	});
});

describe("Help", () => {
	it("names every command", () => {
		for (const name of Object.keys(COMMANDS)) expect(overview()).toContain(`  ${name} `);
	});

	it.each(Object.keys(COMMANDS))("of %s has its usage, its options and an example that is understood", async (name) => {
		const loaded = await COMMANDS[name]?.load();
		if (loaded === undefined) throw new Error(name);
		const text = helpOf(name, loaded);
		expect(text).toContain(`Usage: holdfast-partner ${name}`);
		for (const option of ["json", "help", ...Object.keys(loaded.options)]) expect(text).toContain(`--${option}`);
		const [found, args] = findCommand(loaded.example.split(" "));
		expect(found).toBe(name);
		expect(() => parse(name, loaded, args)).not.toThrow();
		expect(text.split("\n").every((line) => line.length <= 130)).toBe(true);
	});
});
