import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { CERTIFICATE_RULES } from "../../../test/rules-of-verify.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { type Rule, verify } from "./verify.ts";

const certificate = (last: number, status: string, version: number, updated: string): string =>
	`insert into certificate (certificate_id, product_slug, product_name, batch_number, status, file_digest, published_at, retired_at, changed_by, updated_at, version)
	 values ('00000000-0000-7000-8000-00000000000${last}', 'one', 'One', 'F1', '${status}', sha256('x'), now(),
	         ${status === "retired" ? "now()" : "null"}, 'operator:test', ${updated}, ${version})`;
/** A correct certificate of batch F1. */
const CERTIFIED = [
	"insert into formula values (gen_random_uuid(), 'F', 'F', 'active', 0)",
	"insert into product values ('one', 'One')",
	"insert into sku (sku, name, slug, kind, updated_at, version) values ('ONE', 'One', 'one', 'single', now(), 0)",
	"insert into sku_component select 'ONE', 0, formula_id, 1 from formula",
	certificate(1, "current", 1, "now()"),
	"insert into certificate_file select certificate_id, file_digest, 1 from certificate",
	"update certificate_epoch set version = 9",
];
/** A lot of batch F1 without units, so that no other rule is broken. */
const EMPTY_RECALLED_LOT = `insert into lot (fg_id, formula_id, pool_id, batch_number, received_on, received, corrected, available, held, allocated, consumed, shipped,
	                                          quarantined, destroyed, recalled_at)
	 select gen_random_uuid(), formula_id, 0, 'F1', current_date, 0, 0, 0, 0, 0, 0, 0, 0, 0, now() from formula where code = 'F'`;

let database: TestDatabase;
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());

const cases: [what: string, tampering: readonly string[], broken: readonly Rule[]][] = [
	["nothing about a certificate that is as it must be", CERTIFIED, []],
	["a current certificate of a recalled lot", [...CERTIFIED, EMPTY_RECALLED_LOT], ["certificate-recalled"]],
	["a certificate without its PDF", [...CERTIFIED, "delete from certificate_file"], ["certificate-file"]],
	[
		"a tombstone beside its successor",
		[
			...CERTIFIED,
			certificate(2, "retired", 2, "now()"),
			"insert into certificate_file select certificate_id, file_digest, 1 from certificate on conflict do nothing",
		],
		["certificate-twice"],
	],
	[
		"a change of a certificate that seems earlier than the one before",
		[
			...CERTIFIED,
			"update certificate set version = 3",
			certificate(2, "retired", 4, "now() - interval '1 hour'"),
			"update certificate set reissued = true where version = 4",
			"insert into certificate_file select certificate_id, file_digest, 1 from certificate on conflict do nothing",
		],
		["certificate-order"],
	],
	["a change of a certificate nobody counted", [...CERTIFIED, "update certificate set version = 1000"], ["epoch"]],
];

describe("holdfast verify of certificates", () => {
	it.for(cases)("names %s", async ([, tampering, broken]) => {
		await transaction(database.db, async (tx) => {
			for (const statement of tampering) await tx.query(statement);
		});
		const verdict = await verify(database.db);
		expect(verdict.differences.map(({ rule }) => rule)).toEqual(broken);
		for (const table of ["certificate_file", "certificate", "lot", "sku_component", "sku", "product", "formula"])
			await database.db.query(`delete from ${table}`);
		await database.db.query("update certificate_epoch set version = 0");
	});

	it("has a case for every rule", () => {
		const here = new Set(cases.flatMap(([, , broken]) => broken));
		expect(CERTIFICATE_RULES.filter((rule) => !here.has(rule))).toEqual([]);
	});
});
