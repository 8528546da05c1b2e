import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it arrived. */
export interface Arrived {
	readonly method: string;
	readonly url: string;
	readonly headers: IncomingMessage["headers"];
	readonly body: string;
}

export type Answer = (response: ServerResponse, arrived: Arrived) => void;

export interface TestServer extends AsyncDisposable {
	readonly url: string;
	/** In the order of their arrival. */
	readonly arrived: Arrived[];
	/** What the next requests are answered, one after the other. The last answer is given for all that follow. */
	answers: Answer[];
}

/** A server on a real socket that gives prepared answers. */
export async function startServer(...answers: Answer[]): Promise<TestServer> {
	const arrived: Arrived[] = [];
	const server = createServer((request, response) => {
		void request.toArray().then((chunks: Buffer[]) => {
			const body = Buffer.concat(chunks).toString();
			const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
			arrived.push(one);
			const answer = self.answers.length > 1 ? self.answers.shift() : self.answers[0];
			answer?.(response, one);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const self: TestServer = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		arrived,
		answers,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return self;
}

/** A successful reply with this data. */
export const data =
	(content: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Answer =>
	(response) =>
		response
			.writeHead(status, { "Content-Type": "application/json", "X-Request-Id": "req_1", ...headers })
			.end(JSON.stringify({ data: content }));

/** A refusal with this code. */
export const refusal =
	(status: number, code: string, headers: Readonly<Record<string, string>> = {}, more: object = {}): Answer =>
	(response) =>
		response
			.writeHead(status, { "Content-Type": "application/json", "X-Request-Id": "req_2", ...headers })
			.end(JSON.stringify({ error: { code, message: `The message of ${code}.`, ...more } }));

/** The connection ends without an answer. */
export const noAnswer: Answer = (response) => response.destroy();

/** The answer ends in its middle. */
export const halfAnswer: Answer = (response) => {
	response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000" });
	response.write('{"data":{"items":[', () => response.destroy());
};

/** A refusal whose body ends in its middle. */
export const halfRefusal =
	(status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
	(response) => {
		const own = { "Content-Type": "application/json", "Content-Length": "1000", "X-Request-Id": "req_2" };
		response.writeHead(status, { ...own, ...headers });
		response.write('{"error":{"code":"', () => response.destroy());
	};

/** No answer ever arrives. */
export const silence: Answer = () => undefined;

/** A page of something between the client and the service. */
export const page =
	(status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
	(response) =>
		response.writeHead(status, { "Content-Type": "text/html", ...headers }).end("<h1>Bad gateway</h1>");
