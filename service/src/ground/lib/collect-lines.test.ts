import { expect, it, vi } from "vitest";
import { collectLines } from "./collect-lines.ts";

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
