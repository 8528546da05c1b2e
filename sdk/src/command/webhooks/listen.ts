import { once as event } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "../../webhooks/body.ts";
import { WebhookError } from "../../webhooks/error.ts";
import { verifyWebhook } from "../../webhooks/verify.ts";
import { command, wholeNumber } from "../command.ts";
import { EXIT, usage } from "../failure.ts";
import { untilInterrupted } from "../interrupt.ts";
import { instant, printLine, tell } from "../terminal.ts";
import { type Forwarded, forward } from "./forward.ts";
import { SECRET, secretOf } from "./secret.ts";

const PORT = 4242;
const MAX_PORT = 65_535;
const MOST_EVENTS = 1_000_000;

export const listen = command({
	takes: [],
	about: [
		"Receives events on this machine, verifies and prints each. With --forward it sends every one on to your receiver with the",
		"same bytes and headers, even those that must be refused, and answers what your receiver answers; without it a verified one",
		"is answered 204, another one 400. The service must reach it: by a tunnel with an https address, or on your own machine with",
		"HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8. Ctrl-C ends it. With --json it prints a line for each event.",
	].join("\n"),
	example: "webhooks listen --forward http://127.0.0.1:3000/hooks",
	options: {
		...SECRET,
		forward: { type: "string", value: "URL", text: "your receiver" },
		port: { type: "string", value: "PORT", text: `port of 127.0.0.1 (${PORT}); 0: any that is free` },
		count: { type: "string", value: "N", text: "end after this many events" },
	},
	async run(values) {
		const { forward: to, json } = values;
		if (to !== undefined && !(URL.canParse(to) && /^https?:/.test(to)))
			throw usage("--forward URL: the address of your receiver.");
		const port = wholeNumber("port", values.port ?? String(PORT), 0, MAX_PORT);
		const most = wholeNumber("count", values.count ?? String(MOST_EVENTS), 1, MOST_EVENTS);
		const secret = await secretOf(values);
		const interrupted = untilInterrupted();
		const enough = new AbortController();
		let seen = 0;
		const server = createServer((request, response) => {
			void Promise.all([receive(request, response, secret, to, json), event(response, "close")]).then(() => {
				if (++seen >= most) enough.abort();
			});
		});
		server.listen(port, "127.0.0.1");
		await event(server, "listening").catch((error: NodeJS.ErrnoException) => {
			throw error.code === "EADDRINUSE" ? usage(`Port ${port} is in use: give another one with --port.`) : error;
		});
		tell(`Listening at http://127.0.0.1:${(server.address() as AddressInfo).port}/; Ctrl-C ends it.`);
		const ended = AbortSignal.any([interrupted, enough.signal]);
		if (!ended.aborted) await event(ended, "abort");
		server.close();
		server.closeIdleConnections();
		return EXIT.ok;
	},
});

/** Answers one request, and prints it. Never rejects. */
async function receive(
	request: IncomingMessage,
	response: ServerResponse,
	secret: string,
	to: string | undefined,
	json: boolean | undefined,
): Promise<void> {
	const { headers, rawHeaders } = request;
	let body: Uint8Array;
	try {
		body = await readBody(request);
	} catch (error) {
		response.writeHead(413, { connection: "close" }).end();
		tell(error instanceof Error ? error.message : String(error));
		return;
	}
	const problem = await verifyWebhook({ headers, body }, secret).then(
		() => null,
		(error: unknown) => (error instanceof WebhookError ? error.message : String(error)),
	);
	const answer = to === undefined ? null : await forward(to, rawHeaders, body);
	answerAs(response, problem, answer);
	const text = new TextDecoder().decode(body);
	const { id, type } = { id: headers["webhook-id"] ?? null, type: typeOf(text) };
	const { statusCode: status } = response;
	const document = {
		at: new Date(),
		id,
		type,
		verified: problem === null,
		problem,
		status,
		forwarded: to !== undefined,
		body: text,
	};
	const failed = answer?.error ?? null;
	printLine(document, json, () => {
		const verdict = problem === null ? "verified" : `NOT VERIFIED: ${problem}`;
		const who = to === undefined ? "answered" : "your receiver answered";
		const answered =
			failed === null ? `${who} ${status}` : `your receiver did not answer: ${failed} Answered ${status}`;
		return `${instant(document.at)} ${type ?? "no event"} ${String(id)}, ${verdict}; ${answered}\n${text}`;
	});
}

function answerAs(response: ServerResponse, problem: string | null, answer: Forwarded | null): void {
	if (answer === null) response.writeHead(problem === null ? 204 : 400).end();
	else if (answer.status === null) response.writeHead(502).end();
	else response.writeHead(answer.status, [...answer.headers]).end(answer.body);
}

function typeOf(text: string): string | null {
	try {
		const { type } = JSON.parse(text) as { readonly type?: unknown };
		return typeof type === "string" ? type : null;
	} catch {
		return null;
	}
}
