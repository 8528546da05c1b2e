import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { bashCompletion, commandsOf, zshCompletion } from "./completion.ts";
import { choice } from "./options.ts";

const program = new Command("holdfast");
const keys = program.command("keys").description("keys of partners");
keys.command("list").description("list: all of them, the operator's too").option("--json", "print one JSON document");
keys
	.command("mint")
	.description("make a key")
	.option("--preset <preset>", "its scopes by name", choice("read_only", "self_ship"));
program.command("verify").description("prove the counts");
const COMMANDS = commandsOf(program);

/** The completions that bash offers for the last of these words. */
const BASH = (words: readonly string[]): string[] =>
	ask("bash", [
		"--norc",
		"-c",
		`${bashCompletion(COMMANDS)}
		COMP_WORDS=(holdfast "$@"); COMP_CWORD=$#; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`,
		"bash",
		...words,
	]);

/** The same in zsh, where the shell's function that displays completions is replaced by one that prints them. */
const ZSH = (words: readonly string[]): string[] =>
	ask("zsh", [
		"-f",
		"-c",
		`compdef() { }; _files() { }; _describe() { print -rl -- \${(P)2} }
		${zshCompletion(COMMANDS)}
		words=(holdfast "$@"); CURRENT=$#words; _holdfast`,
		"zsh",
		...words,
	]);

const ask = (shell: string, args: readonly string[]): string[] =>
	execFileSync(shell, args, { encoding: "utf8" })
		.split("\n")
		.filter((line) => line !== "");

describe("The completion of a shell", () => {
	it.each([
		[[""], ["keys", "verify"]],
		[["ke"], ["keys"]],
		[
			["keys", ""],
			["list", "mint"],
		],
		[["keys", "mint", "--p"], ["--preset"]],
		[
			["keys", "mint", "--preset", ""],
			["read_only", "self_ship"],
		],
		[["keys", "mint", "--preset", "s"], ["self_ship"]],
		[["keys", "list", "--json", ""], ["--json"]],
		[["verify", "a-file"], []],
	])("bash: after %j come %j", (typed, offered) => {
		expect(BASH(typed)).toEqual(offered);
	});

	it.skipIf(!existsSync("/usr/bin/zsh") && !process.env.CI).each([
		[[""], ["keys:keys of partners", "verify:prove the counts"]],
		[
			["keys", ""],
			["list:list: all of them, the operator's too", "mint:make a key"],
		],
		[["keys", "mint", ""], ["--preset:its scopes by name"]],
		[
			["keys", "mint", "--preset", ""],
			["read_only", "self_ship"],
		],
		[["verify", ""], []],
	])("zsh: after %j come %j, from which zsh takes those that fit", (typed, offered) => {
		expect(ZSH(typed)).toEqual(offered);
	});
});
