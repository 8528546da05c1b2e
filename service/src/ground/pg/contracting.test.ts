import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { contractingIn, contractProblem } from "../../../test/contractions.ts";
import { isContractStep } from "./contracting.ts";
import { MIGRATIONS_DIR } from "./migrate.ts";

/** The first migration that the rule is for; those before it are part of every release. */
const FIRST = "000065";
const { version } = JSON.parse(readFileSync(join(MIGRATIONS_DIR, "../package.json"), "utf8")) as { version: string };
const MIGRATIONS = readdirSync(MIGRATIONS_DIR)
	.filter((file) => file.endsWith(".sql") && file >= FIRST)
	.toSorted()
	.map((file) => ({ name: basename(file, ".sql"), sql: readFileSync(join(MIGRATIONS_DIR, file), "utf8") }));

describe("Nodes of the release before go on with every migration but contract steps", () => {
	it.each(MIGRATIONS)("$name", ({ name, sql }) => {
		if (isContractStep(name)) expect(contractProblem(sql, version)).toBeNull();
		else expect(contractingIn(sql)).toEqual([]);
	});
});

const NO_DEFAULT = "adds the column n without a default, and refuses null in it";
const MAY_REFUSE = "adds a rule to lot that may refuse what an older release writes";

describe("A migration", () => {
	it.each<[sql: string, found: string[]]>([
		["create table t (n integer not null unique);", []],
		["create table t (n integer); alter table t add constraint c check (n > 0);", []],
		["create index lot_by_n on lot (n);", []],
		["alter table lot add column n integer;", []],
		["alter table lot add column n integer not null default 0;", []],
		["alter table lot add column n integer not null generated always as (units * 2) stored, add column m text;", []],
		["drop table t;", ["drops a table"]],
		["DROP  TABLE\n\tIF EXISTS t;", ["drops a table"]],
		["alter table lot drop column n;", ["drops a column"]],
		["alter table lot rename column n to m;", ["renames"]],
		["alter table lot rename to batch;", ["renames"]],
		["alter table lot alter column n set not null;", ["refuses null in a column that an older release may leave out"]],
		["alter table lot alter n type bigint;", ["changes a type"]],
		["alter table lot alter column n set data type bigint;", ["changes a type"]],
		["alter table lot alter column n drop default;", ["drops a default"]],
		["truncate live_change;", ["empties a table"]],
		["create trigger t before delete or truncate on lot execute function f();", []],
		["alter table lot add column n integer check (n is null or m is not null);", []],
		["alter table lot add column m text, add column n numeric(10, 2) not null, add column o text;", [NO_DEFAULT]],
		["alter table lot add column n uuid primary key;", [NO_DEFAULT]],
		["alter table lot add constraint c check (units < 10);", [MAY_REFUSE]],
		["alter table lot add unique (batch_number);", [MAY_REFUSE]],
		[
			"create unique index u on lot (batch_number);",
			["adds a unique index to lot that may refuse what an older release writes"],
		],
		["alter table lot drop constraint c;", ["drops the constraint c"]],
		["alter table lot drop constraint c, add constraint c check (units < 20);", []],
		["drop trigger lot_noted on lot;", ["drops the trigger lot_noted"]],
		["drop trigger lot_noted on lot; create trigger lot_noted after update on lot execute function f();", []],
		["drop function f(); create function f() returns trigger language plpgsql as $$ begin end $$;", []],
		["drop index lot_by_n;", ["drops the index lot_by_n"]],
		["do $$ begin execute 'alter table lot drop column n'; end $$;", ["drops a column"]],
		["-- drop table t;\nselect 1;", []],
		["/* drop table t; */ select ';';", []],
		["-- expands: nothing has read it since the first version.\ndrop table t;", []],
		["-- expands: this one is not read.\ndrop table t;\ndrop table u;", ["drops a table"]],
	])("%s: %j", (sql, found) => {
		expect(contractingIn(sql)).toEqual(found);
	});
});

describe("A contract step", () => {
	it("is known by its name", () => {
		expect(["000070_old_refs_contract", "000071_contracts", "000072_contract_terms"].map(isContractStep)).toEqual([
			true,
			false,
			false,
		]);
	});

	it.each<[first: string, problem: string | null]>([
		["-- Contract step: unused since 0.2.0, which reads the new column.", null],
		["-- Contract step: unused since 0.9.9.", null],
		["-- Contract step: unused since 0.10.0.", "it was used until 0.10.0, so 0.10.0 must not take it away yet"],
		["-- Contract step: unused since 1.0.0.", "it was used until 1.0.0, so 0.10.0 must not take it away yet"],
		["-- Drops what is old.", "its first line must be: -- Contract step: unused since <version>"],
	])("of 0.10.0 that begins with %s: %s", (first, problem) => {
		expect(contractProblem(`${first}\nalter table lot drop column n;`, "0.10.0")).toBe(problem);
	});
});
