import { describe, expect, it } from "vitest";
import { HoldfastError, RateLimited, Unauthorized } from "../client/errors.ts";
import type { Code } from "../client/types.ts";
import { EXIT, failureOf, usage, withCause } from "./failure.ts";

const facts = (code: string, status: number, cause?: unknown) => ({
	code: code as Code,
	message: "It was so.",
	status,
	requestId: status === 0 ? null : "req_1",
	details: {},
	help: null,
	...(cause === undefined ? {} : { cause }),
});

describe("A failure has an exit code, a code for programs, and a sentence", () => {
	it.each([
		["wrong usage", usage("Give a file."), EXIT.usage, "usage", "Give a file."],
		[
			"a refused key",
			new Unauthorized(facts("unauthorized", 401)),
			EXIT.noAccess,
			"unauthorized",
			"a drill is under way",
		],
		[
			"a scope",
			new Unauthorized(facts("forbidden", 403)),
			EXIT.noAccess,
			"forbidden",
			"may not do this: It was so. (request req_1)",
		],
		[
			"no answer",
			new HoldfastError(facts("connection_lost", 0)),
			EXIT.noAccess,
			"connection_lost",
			"Is the address right",
		],
		["a rate", new RateLimited(facts("rate_limited", 429), 1_200), EXIT.noAccess, "rate_limited", "try again in 2 s"],
		[
			"a refusal",
			new HoldfastError(facts("not_found", 404)),
			EXIT.different,
			"not_found",
			"404 not_found: It was so. (request req_1)",
		],
		["a fault of its own", new TypeError("x is not a function"), EXIT.different, "failed", "failure.test.ts"],
		["something thrown", "thrown", EXIT.different, "failed", "thrown"],
	])("%s", (_name, error, exit, code, words) => {
		expect(failureOf(error)).toMatchObject({ exit, code, message: expect.stringContaining(words) });
	});

	it("names the innermost cause", () => {
		const refused = new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:1")]);
		const error = new Error("The answer was lost: fetch failed.", {
			cause: new TypeError("fetch failed", { cause: refused }),
		});
		expect(withCause(error)).toBe("The answer was lost: fetch failed. connect ECONNREFUSED 127.0.0.1:1.");
		expect(withCause(new Error("alone"))).toBe("alone");
	});
});
