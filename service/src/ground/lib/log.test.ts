import { expect, it } from "vitest";
import { createLog, type LogFields } from "./log.ts";

function logged(write: (log: ReturnType<typeof createLog>) => void): { text: string; line: Record<string, unknown> } {
	let text = "";
	write(createLog("info", { write: (chunk) => void (text += chunk) }));
	return { text, line: JSON.parse(text) as Record<string, unknown> };
}

it("a line carries the fields it may carry and no other", () => {
	const fields = { requestId: "req_1", pk: "pk_hf_live_x", authorization: "Bearer x", body: { a: 1 } } as LogFields;
	const { line } = logged((log) => log.info("hello", fields));
	expect(line).toEqual({ level: 30, time: expect.any(String), msg: "hello", requestId: "req_1", pk: "pk_hf_live_x" });
});

it("a secret half that gets into a message, a field or a stack is masked", () => {
	const secret = "sk_hf_live_0123456789abcdefABCDEF";
	const { text, line } = logged((log) =>
		log.error(`for ${secret}`, { reason: `pk:${secret}` }, new Error(`with ${secret}`, { cause: new Error(secret) })),
	);
	expect(text).not.toContain("0123456789");
	expect(line.msg).toBe("for sk_hf_live_…");
	expect(line.error).toContain("log.test.ts");
});
