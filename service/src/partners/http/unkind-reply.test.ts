import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { sizeOr } from "../../../test/sizes.ts";
import { UNKIND_FIELD, UNKIND_VALUE, unkindKindOf } from "../../ground/lib/unkind.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { beginUnkind } from "../keys/begin-unkind.ts";
import type { Standing } from "./caller.ts";
import type { Operation } from "./operation.ts";
import { unkindData, unkindRefusal } from "./unkind-reply.ts";

/** Enough that each kind of unkind answer, one request in sixty, occurs. */
const REQUESTS = sizeOr(2_000, 800);
const idOf = (end: string): string => `req_68bc2ac0ffffffff${end}`;
const [RETRY, LIMITED, FIELD, KIND] = [idOf("00000000"), idOf("00000014"), idOf("00000028"), idOf("00000001")];

type Who = Pick<Standing<unknown>, "isUnkind"> | null;
type What = Pick<Operation, "alwaysKind" | "errors">;
const UNKIND: Who = { isUnkind: () => true };
const NOT_NOW: Who = { isUnkind: () => false };
const OPERATION: What = { errors: ["retry"] };
const OF_THE_RUN: What = { errors: ["retry"], alwaysKind: true };

type RefusalCase = readonly [name: string, id: string, who: Who, what: What, code: string | undefined];
const REFUSAL_CASES: readonly RefusalCase[] = [
	["refuses with retry", RETRY, UNKIND, OPERATION, "retry"],
	["refuses with 429", LIMITED, UNKIND, OPERATION, "rate_limited"],
	["refuses with 429 where there is no retry", RETRY, UNKIND, { errors: [] }, "rate_limited"],
	["does not refuse what gets a field", FIELD, UNKIND, OPERATION, undefined],
	["does not refuse other ids", KIND, UNKIND, OPERATION, undefined],
	["does not refuse what a run needs", RETRY, UNKIND, OF_THE_RUN, undefined],
	["does not refuse at other times", RETRY, NOT_NOW, OPERATION, undefined],
	["does not refuse callers of other surfaces", RETRY, {}, OPERATION, undefined],
	["does not refuse a request without a key", RETRY, null, OPERATION, undefined],
];

type FieldCase = readonly [name: string, id: string, who: Who, what: What, data: unknown, shown: unknown];
const FIELD_CASES: readonly FieldCase[] = [
	["to an object", FIELD, UNKIND, OPERATION, { a: 1 }, { a: 1, [UNKIND_FIELD]: UNKIND_VALUE }],
	["not to a list", FIELD, UNKIND, OPERATION, [1], [1]],
	["not to nothing", FIELD, UNKIND, OPERATION, null, null],
	["not for other ids", KIND, UNKIND, OPERATION, { a: 1 }, { a: 1 }],
	["not to what a run needs", FIELD, UNKIND, OF_THE_RUN, { a: 1 }, { a: 1 }],
	["not at other times", FIELD, NOT_NOW, OPERATION, { a: 1 }, { a: 1 }],
];

describe("In an unkind hour the gate", () => {
	it.each(REFUSAL_CASES)("%s", (_name, requestId, standing, operation, code) => {
		expect(unkindRefusal({ requestId, standing }, operation)?.refusal).toBe(code);
	});

	it.each(FIELD_CASES)("adds a field %s", (_name, requestId, standing, operation, data, shown) => {
		expect(unkindData({ requestId, standing }, operation, data)).toEqual(shown);
	});
});

describe("The unkind hour of a key", () => {
	let database: TestDatabase;
	let doors: Doors;
	beforeAll(async () => {
		database = await openTestDatabase();
		doors = await openDoors(database.db);
	});
	afterAll(async () => {
		await doors.close();
		await database.close();
	});

	const sandboxKey = () => doors.mint({ environment: "sandbox", brandCode: "SANDBOX", sharedPool: false });
	/** The answer to a request: the usual one or the kind of fault, and the request's id. */
	async function ask(token: string, path: "echo" | "look", headers: Record<string, string> = {}) {
		const items = [{ sku: "A", qty: 1 }];
		const response = await fetch(`${doors.origin}/api/v1/${path}${path === "look" ? "?sku=A" : ""}`, {
			headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
			...(path === "echo" ? { method: "POST", body: JSON.stringify({ items }) } : {}),
		});
		const text = await response.text();
		const { data = {}, error } = text === "" ? {} : JSON.parse(text);
		return {
			requestId: response.headers.get("x-request-id") ?? "",
			status: response.status,
			answer: error?.code ?? (UNKIND_FIELD in data ? "new_field" : null),
			after: response.headers.get("retry-after"),
			etag: response.headers.get("etag") ?? "",
		};
	}
	async function unkindKey() {
		const key = await sandboxKey();
		await transaction(database.db, (tx) => beginUnkind(tx, key.keyId, 3_600));
		await doors.cache.refresh();
		return key.token;
	}

	it(`has one request in twenty of its ${REQUESTS} answered by the id, and every kind occurs`, async () => {
		const token = await unkindKey();
		const seen = new Set<string | null>();
		for (let n = 0; n < REQUESTS; n++) {
			const { requestId, answer, after, status } = await ask(token, "echo");
			expect([requestId, answer]).toEqual([requestId, unkindKindOf(requestId)]);
			expect([status, after]).toEqual(
				answer === "retry" ? [409, "1"] : answer === "rate_limited" ? [429, "2"] : [201, null],
			);
			seen.add(answer);
		}
		expect(seen).toEqual(new Set([null, "new_field", "rate_limited", "retry"]));
	});

	it("refuses what has no retry with 429, and gives a reply with a field an ETag of its own", async () => {
		const token = await unkindKey();
		const etags: { [answer: string]: string } = {};
		for (let n = 0; n < 2_000 && Object.keys(etags).length < 2; n++) {
			const { requestId, answer, etag } = await ask(token, "look");
			const kind = unkindKindOf(requestId);
			expect([requestId, answer]).toEqual([requestId, kind === "retry" ? "rate_limited" : kind]);
			if (etag !== "") etags[String(answer)] = etag;
		}
		expect(etags.null).not.toBe(etags.new_field);
	});

	it("is that of no other key", async () => {
		await unkindKey();
		const [other, live] = [await sandboxKey(), await doors.mint()];
		await doors.cache.refresh();
		for (let n = 0; n < 200; n++) {
			expect((await ask(other.token, "echo")).answer).toBeNull();
			expect((await ask(live.token, "echo")).answer).toBeNull();
		}
	});
});
