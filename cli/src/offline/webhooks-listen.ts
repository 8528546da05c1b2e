import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type Command, InvalidArgumentError } from "commander";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { wholeNumber } from "../terminal/options.ts";
import { complain, print } from "../terminal/output.ts";

const DEFAULT_PORT = 4242;
const MAX_PORT = 65_535;
/** Maximum bytes of a post. */
const MAX_BODY_BYTES = 1024 * 1024;

interface ListenOptions extends JsonOption {
	readonly secret: readonly string[];
	readonly port?: number;
	readonly answer?: number;
	readonly count?: number;
}

function secrets(text: string): string[] {
	const all = text.split(/[\s,]+/);
	if (all.every((one) => /^whsec_[A-Za-z0-9+/=]+$/.test(one))) return all;
	throw new InvalidArgumentError("It must be whsec_…, several separated by commas or blanks.");
}

/** Adds a receiver for a developer on this machine, which verifies and prints every post. */
export function addListen(group: Command): void {
	addCommand(
		group,
		"listen",
		"receive events on this machine, verify and print them",
		"webhooks listen --secret whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
	)
		.requiredOption("--secret <whsec_…>", "the endpoint's secret; several separated by commas or blanks", secrets)
		.option("--port <n>", `port of 127.0.0.1 (${DEFAULT_PORT})`, wholeNumber(0, MAX_PORT))
		.option("--answer <status>", "status with which verified events are answered (200)", wholeNumber(200, 599))
		.option("--count <n>", "end after this number of events", wholeNumber(1, 1_000_000))
		.addHelpText("after", "\nThe service must allow this machine: HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8.")
		.action(listen);
}

async function listen({ secret, port = DEFAULT_PORT, answer = 200, count, json }: ListenOptions): Promise<void> {
	const { verifySigned } = await import("../../../service/src/partners/webhooks/verify-signed.ts");
	const { wallClock } = await import("../../../service/src/ground/lib/clock.ts");
	const ended = Promise.withResolvers<void>();
	let seen = 0;
	const server = createServer((request, response) => {
		readBody(request).then(
			(body) => {
				const now = Math.floor(wallClock().getTime() / 1_000);
				const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature } = request.headers;
				const wrong = verifySigned({ id, timestamp, signature }, body, secret, now);
				response.writeHead(wrong === null ? answer : 401).end();
				print({ id: id ?? null, verified: wrong === null, problem: wrong, body: parsed(body) }, json, () =>
					[`${wrong === null ? "verified" : `NOT VERIFIED: ${wrong}`}  ${String(id)}`, pretty(body), ""].join("\n"),
				);
				if (++seen === count) ended.resolve();
			},
			() => response.destroy(),
		);
	});
	server.on("error", ended.reject);
	server.listen(port, "127.0.0.1", () => {
		complain(`Listening at http://127.0.0.1:${(server.address() as AddressInfo).port}/ — Ctrl-C ends it.`);
	});
	try {
		await ended.promise;
	} finally {
		server.close();
		server.closeAllConnections();
	}
}

async function readBody(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of request) {
		bytes += (chunk as Buffer).length;
		if (bytes > MAX_BODY_BYTES) throw new Error("the body is too long");
		chunks.push(chunk as Buffer);
	}
	return Buffer.concat(chunks).toString("utf8");
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body) as unknown;
	} catch {
		return body;
	}
}

const pretty = (body: string): string => JSON.stringify(parsed(body), null, "\t");
