import { expect, it, vi } from "vitest";
import { collectLines, createLog, type LogFields } from "./log.ts";

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

it.each([
	["sk_hf_live_0123456789abcdefABCDEF", "sk_hf_live_***"],
	["os_hf_0123456789abcdefABCDEF", "os_hf_***"],
	["whsec_0123456789abcdef+/=", "whsec_***"],
	["postgres://holdfast:0123456789@db/holdfast", "postgres://holdfast:***@db/holdfast"],
])("the secret in %s is masked in a message, a field and a stack", (secret, shown) => {
	const { text, line } = logged((log) =>
		log.error(`for ${secret}`, { reason: `pk:${secret}` }, new Error(`with ${secret}`, { cause: new Error(secret) })),
	);
	expect(text).not.toContain("0123456789");
	expect(line.msg).toBe(`for ${shown}`);
	expect(line.error).toContain("log.test.ts");
});

it("lines are written together after a moment, at once when there are many or somebody asks, each once and in their order", () => {
	vi.useFakeTimers();
	try {
		const written: string[] = [];
		const lines = collectLines({ write: (text) => written.push(text) });
		lines.write("a\n");
		lines.write("b\n");
		expect(written).toEqual([]);
		vi.advanceTimersByTime(50);
		expect(written).toEqual(["a\nb\n"]);
		lines.write("c\n");
		lines.writeOut();
		lines.writeOut();
		expect(written.splice(0)).toEqual(["a\nb\n", "c\n"]);
		const long = `${"x".repeat(1_023)}\n`;
		for (let n = 0; n < 16; n++) lines.write(long);
		expect(written).toEqual([long.repeat(16)]);
		vi.advanceTimersByTime(1_000);
		expect(written).toHaveLength(1);
	} finally {
		vi.useRealTimers();
	}
});
