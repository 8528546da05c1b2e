import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signingKeyOf } from "../../src/partners/webhooks/secret.ts";
import { signedHeaders } from "../../src/partners/webhooks/sign.ts";
import { verifySigned } from "../../src/partners/webhooks/verify-signed.ts";
import { isAccepted } from "./signers.ts";

interface Case {
	readonly name: string;
	readonly valid: boolean;
	readonly now: number;
	readonly secrets: readonly string[];
	readonly id: string;
	readonly timestamp: string;
	readonly signature: string;
	readonly body: string;
}

const ROOT = join(import.meta.dirname, "../../..");
const { cases } = JSON.parse(await readFile(join(ROOT, "fixtures/webhook-signatures.json"), "utf8")) as {
	cases: Case[];
};

const headersOf = ({ id, timestamp, signature }: Pick<Case, "id" | "timestamp" | "signature">) => ({
	"webhook-id": id,
	"webhook-timestamp": timestamp,
	"webhook-signature": signature,
});
const named = cases.map((one) => [one.name, one] as const);

describe("The vectors of signatures that partners test with", () => {
	afterEach(() => vi.useRealTimers());

	it.each(named)("%s: the independent library and our receiver judge as the fixture says", (_name, one) => {
		vi.useFakeTimers({ toFake: ["Date"], now: one.now * 1_000 });
		const post = { body: one.body, headers: headersOf(one) };
		const accepted = one.secrets.some((secret) => isAccepted(secret, post));
		expect(accepted).toBe(one.valid);
		expect(verifySigned(one, one.body, one.secrets, one.now) === null).toBe(one.valid);
	});

	it("what is signed here is what the fixtures hold", () => {
		const [valid] = cases;
		if (valid === undefined) throw new Error("there are no cases");
		const made = signedHeaders(
			{ eventId: valid.id, timestamp: Number(valid.timestamp), body: valid.body },
			valid.secrets.map(signingKeyOf),
		);
		expect(made).toEqual(headersOf(valid));
	});
});
