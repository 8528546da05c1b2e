import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The credentials that the server accepts. */
export const S3_KEY = { id: "AKIATESTTESTTESTTEST", secret: "a secret of the test" } as const;

export interface S3Server {
	readonly endpoint: string;
	readonly objects: Map<string, Buffer>;
	/** Requests with an invalid signature. */
	readonly refused: string[];
	close(): Promise<void>;
}

/**
 * The part of S3 that a store of files needs: put, delete, get with ranges. The signature (version 4) and digests of
 * every request are checked.
 */
export async function openS3Server(): Promise<S3Server> {
	const objects = new Map<string, Buffer>();
	const refused: string[] = [];
	const server: Server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const body = Buffer.concat(chunks);
			const fail = (status: number, code: string): void => {
				response.writeHead(status, { "content-type": "application/xml" });
				response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
			};
			const problem = wrongSignature(request, body);
			if (problem !== null) {
				refused.push(problem);
				return fail(403, "SignatureDoesNotMatch");
			}
			const name = decodeURIComponent(new URL(request.url ?? "", "http://s3").pathname);
			if (request.method === "PUT") {
				const sum = request.headers["x-amz-checksum-sha256"];
				if (sum !== createHash("sha256").update(body).digest("base64")) return fail(400, "BadDigest");
				objects.set(name, body);
				return response.writeHead(200, { etag: '"x"' }).end();
			}
			if (request.method === "DELETE") {
				objects.delete(name);
				return response.writeHead(204).end();
			}
			const found = objects.get(name);
			if (found === undefined) return fail(404, "NoSuchKey");
			const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
			if (from === undefined) return response.writeHead(200, { "content-length": found.length }).end(found);
			const part = found.subarray(Number(from), Number(to) + 1);
			const range = `bytes ${from}-${Number(from) + part.length - 1}/${found.length}`;
			response.writeHead(206, { "content-length": part.length, "content-range": range }).end(part);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		objects,
		refused,
		close: () =>
			new Promise((resolve) => {
				server.closeAllConnections();
				server.close(() => resolve());
			}),
	};
}

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();

/** The problem with the signature of a request; null: it is valid for this key and this request. */
function wrongSignature(request: IncomingMessage, body: Buffer): string | null {
	const { headers, method = "", url = "" } = request;
	const form =
		/^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
	const [, id, day = "", region = "", names = "", signature] = form.exec(headers.authorization ?? "") ?? [];
	if (id !== S3_KEY.id) return "no signature of the key";
	const claimed = String(headers["x-amz-content-sha256"]);
	if (claimed !== sha256(body)) return `the body is not what was signed: ${claimed}`;
	const { pathname, searchParams } = new URL(url, "http://s3");
	searchParams.sort();
	const canonical = [
		method,
		pathname,
		searchParams.toString(),
		...names.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
		"",
		names,
		claimed,
	].join("\n");
	const scope = `${day}/${region}/s3/aws4_request`;
	const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
	const key = ["s3", "aws4_request"].reduce(hmac, hmac(hmac(`AWS4${S3_KEY.secret}`, day), region));
	return hmac(key, toSign).toString("hex") === signature ? null : "the signature does not match";
}
