import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { usage } from "../failure.ts";
import { ask, type Question } from "./ask.ts";

const QUESTION: Question = {
	text: "Address",
	usual: undefined,
	isSecret: false,
	accept: (answer) => {
		if (answer === "bad") throw usage("That is not an address.");
		return answer.toUpperCase();
	},
};

/** Types lines one after the other, each when the question is asked again. Returns the answer, and what was shown. */
async function typing(question: Question, ...lines: readonly string[]): Promise<{ answer: string; shown: string }> {
	const [input, output] = [new PassThrough(), new PassThrough()];
	let shown = "";
	const left = [...lines];
	output.on("data", (chunk: Buffer) => {
		const asked = shown.split(question.text).length;
		shown += String(chunk);
		if (shown.split(question.text).length > asked) {
			const line = left.shift();
			if (line === undefined) input.end();
			else input.write(`${line}\r`);
		}
	});
	const answer = await ask({ input, output }, question);
	return { answer, shown };
}

it("asks until there is an answer that can be used, and says why one cannot", async () => {
	const { answer, shown } = await typing(QUESTION, "", "bad", "  good ");
	expect(answer).toBe("GOOD");
	expect(shown).toContain("That is not an address.");
});

it("takes an empty answer for the usual one, which is shown in its own way", async () => {
	const { answer, shown } = await typing({ ...QUESTION, usual: "secret", usualShown: "sec…" }, "");
	expect(answer).toBe("SECRET");
	expect(shown).toContain("Address [sec…]: ");
	expect(shown).not.toContain("secret");
});

it("never shows a secret that is typed", async () => {
	const { answer, shown } = await typing({ ...QUESTION, isSecret: true }, "bad", "hunter2");
	expect(answer).toBe("HUNTER2");
	expect(shown).toContain("That is not an address.");
	expect(shown).not.toMatch(/hunter|bad/);
});

it.each([["\u0003"], ["\u0004"]])("ends when nothing is entered: %j", async (key) => {
	const [input, output] = [new PassThrough(), new PassThrough()];
	const asked = ask({ input, output }, QUESTION);
	input.write(key);
	await expect(asked).rejects.toMatchObject({ code: "usage", message: "Nothing was entered." });
});
