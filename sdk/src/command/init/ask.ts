import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { usage } from "../failure.ts";
import { harmless } from "../terminal.ts";

/** Where a person is asked, and answers. */
export interface Terminal {
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
}

export interface Question {
	readonly text: string;
	/** What an empty answer means; undefined: the question is asked again. */
	readonly usual: string | undefined;
	/** How the usual answer is shown; absent: as it is. */
	readonly usualShown?: string;
	/** Whether the answer is a secret, which is not shown while it is typed. */
	readonly isSecret: boolean;
	/**
	 * Returns the answer in the form that is used. If it throws, the question is asked again. @throws CommandFailure
	 * `usage`
	 */
	readonly accept: (answer: string) => string;
}

/** Asks until there is an answer that can be used. @throws CommandFailure `usage` when the input ends */
export async function ask({ input, output }: Terminal, question: Question): Promise<string> {
	const { text, usual, usualShown = usual, isSecret, accept } = question;
	const hint = usualShown === undefined ? "" : ` [${usualShown}]`;
	const echo = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : output;
	const lines = createInterface({ input, output: echo, terminal: true });
	const ended = new Promise<never>((_resolve, reject) => {
		lines.once("SIGINT", () => lines.close());
		lines.once("close", () => reject(usage("Nothing was entered.")));
	});
	try {
		for (;;) {
			const prompt = `${text}${hint}: `;
			const answered = lines.question(isSecret ? "" : prompt);
			if (isSecret) output.write(prompt);
			const answer = await Promise.race([answered, ended]);
			if (isSecret) output.write("\n");
			const given = answer.trim() || usual;
			if (given === undefined) continue;
			try {
				return accept(given);
			} catch (error) {
				output.write(`${harmless((error as Error).message)}\n`);
			}
		}
	} finally {
		ended.catch(() => undefined);
		lines.close();
	}
}
