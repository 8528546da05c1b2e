import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import { asCurl } from "./as-curl.ts";
import type { LoggedRequest } from "./list-sql.ts";

const request = (changes: Partial<LoggedRequest>): LoggedRequest =>
	({
		method: "POST",
		url: "/api/v1/reserve",
		date_sent: null,
		idempotency_key: null,
		body_in: null,
		bytes_in: 0,
		...changes,
	}) as LoggedRequest;

/** The arguments that a shell hands to curl. */
const argumentsOf = (command: string): string[] =>
	execFileSync("/bin/sh", ["-c", `curl() { printf '%s\\n\\1' "$@"; }\n${command}`], {
		encoding: "utf8",
		env: { HOLDFAST_KEY: "KEY" },
	})
		.split("\n\u0001")
		.slice(0, -1);

it("A request becomes a curl command that sends the same request", () => {
	expect(
		argumentsOf(
			asCurl(
				request({ date_sent: "2026-09-06", idempotency_key: "shop-1", body_in: '{"a":"it\'s"}', bytes_in: 12 }),
				"https://h",
			),
		),
	).toEqual([
		"-X",
		"POST",
		"https://h/api/v1/reserve",
		"-H",
		"Authorization: Bearer KEY",
		"-H",
		"X-Partner-Version: 2026-09-06",
		"-H",
		"Idempotency-Key: shop-1",
		"-H",
		"Content-Type: application/json",
		"--data-raw",
		'{"a":"it\'s"}',
	]);
});

it("No text of a request is taken for a part of the command", () => {
	const text = fc.string({ unit: fc.constantFrom("'", '"', "$", "`", "\\", "(", ")", ";", "\n", " ", "a", "&") });
	fc.assert(
		fc.property(text, text, (body, reference) => {
			const sent = argumentsOf(
				asCurl(request({ body_in: body, bytes_in: 1, idempotency_key: reference }), "https://h"),
			);
			expect(sent).toHaveLength(11);
			expect([sent[6], sent[10]]).toEqual([`Idempotency-Key: ${reference}`, body]);
		}),
		{ numRuns: 30 },
	);
});
