import { describe, expect, it } from "vitest";
import { minute, request } from "../../../test/golive/example-requests.ts";
import { UNKIND_FIELD } from "../../ground/lib/unkind.ts";
import type { FactRequest } from "./facts.ts";
import { actsOn } from "./unkind-acts.ts";

const [RETRY, LIMITED, FIELD, KIND] = ["00000000", "00000014", "00000028", "00000001"].map(
	(end) => `req_68bc2ac0ffffffff${end}`,
) as [string, string, string, string];
const HOUR = { from: minute(60), to: minute(120) };
const retry = { status: 409, code: "retry" };
const limited = { status: 429, code: "rate_limited" };
const withField = { reply: { data: { items: [], [UNKIND_FIELD]: {} } } };

type ActCase = readonly [name: string, id: string, some: Partial<FactRequest>, kind: string | null];
const ACT_CASES: readonly ActCase[] = [
	["a retry", RETRY, retry, "retry"],
	["a 429", LIMITED, limited, "rate_limited"],
	["a 429 where the operation has no retry", RETRY, limited, "rate_limited"],
	["a reply with the field", FIELD, withField, "new_field"],
	["a reply without the field, such as a page", FIELD, { reply: { data: { items: [] } } }, null],
	["a reply whose body is not in the log", FIELD, {}, null],
	["a refusal that would have had the field", FIELD, { status: 409, code: "no_inventory" }, null],
	["a refusal for another reason", RETRY, { status: 400, code: "invalid_input" }, null],
	["a success", RETRY, {}, null],
	["a retry where 429 was due", LIMITED, retry, null],
	["a retry of another id", KIND, retry, null],
	["a field of another id", KIND, withField, null],
	["a reply of the run itself", RETRY, { ...limited, url: "/api/v1/sandbox/golive" }, null],
	["what was before the hour", RETRY, { ...retry, at: minute(60) - 1 }, null],
	["what was at its first instant", RETRY, { ...retry, at: minute(60) }, "retry"],
	["what was at its last instant", RETRY, { ...retry, at: minute(120) }, "retry"],
	["what was after it", RETRY, { ...retry, at: minute(120) + 1 }, null],
];

describe("The acts of an unkind hour, told from the log", () => {
	it.each(ACT_CASES)("%s", (_name, id, some, kind) => {
		const [act, ...more] = actsOn([request(id, minute(90), some)], HOUR);
		expect(more).toEqual([]);
		expect(act ?? null).toEqual(kind === null ? null : { at: some.at ?? minute(90), id, kind });
	});

	it("go on while the hour does", () => {
		const later = request(RETRY, minute(130), retry);
		expect([actsOn([later], HOUR).length, actsOn([later], { ...HOUR, to: null }).length]).toEqual([0, 1]);
	});
});
