import { generateKeyPairSync, hash, randomBytes, sign } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * An OpenID Connect provider in this process: discovery, authorization code with PKCE, RS256 (OpenID Connect Core 1.0,
 * sections 2 and 3.1). Whoever comes is signed in at once as the person that the test has set.
 */

export interface PretendedProvider {
	readonly issuer: string;
	/** The claims of the person who signs in next. Undefined ones are left out. */
	who: Record<string, unknown>;
	/** Whether requests are not answered. */
	isAway: boolean;
	/** Whether tokens are refused with 503. */
	isBroken: boolean;
	/** Follows an authorization address as a browser would; the query with which the browser comes back. */
	visit(url: string): Promise<string>;
	close(): Promise<void>;
}

export const CLIENT = { id: "holdfast", secret: "a-secret-of-the-provider-and-us" };

export async function openPretendedProvider(): Promise<PretendedProvider> {
	const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	const codes = new Map<string, { challenge: string; nonce: string; redirect: string }>();
	const server = createServer((request, response) => {
		void (async () => {
			if (provider.isAway) return request.socket.destroy();
			const url = new URL(request.url ?? "/", provider.issuer);
			const reply = (status: number, body: unknown): void => {
				response.writeHead(status, { "Content-Type": "application/json" });
				response.end(JSON.stringify(body));
			};
			if (url.pathname === "/.well-known/openid-configuration") return reply(200, descriptionOf(provider.issuer));
			if (url.pathname === "/keys") {
				return reply(200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] });
			}
			if (url.pathname === "/authorize") {
				const asked = Object.fromEntries(url.searchParams) as Record<string, string>;
				const code = randomBytes(16).toString("hex");
				const { code_challenge: challenge = "", nonce = "", redirect_uri: redirect = "", state = "" } = asked;
				codes.set(code, { challenge, nonce, redirect });
				response.writeHead(302, { Location: `${redirect}?${new URLSearchParams({ code, state }).toString()}` });
				return response.end();
			}
			const form = new URLSearchParams(await textOf(request));
			if (provider.isBroken) return reply(503, {});
			const begun = codes.get(form.get("code") ?? "");
			codes.delete(form.get("code") ?? "");
			const isVerified = hash("sha256", form.get("code_verifier") ?? "", "base64url") === begun?.challenge;
			const isClient = form.get("client_id") === CLIENT.id && form.get("client_secret") === CLIENT.secret;
			if (begun === undefined || !isVerified || !isClient || form.get("redirect_uri") !== begun.redirect) {
				return reply(400, { error: "invalid_grant" });
			}
			const claims = { ...tokenOf(provider.issuer, begun.nonce), ...provider.who };
			const content = `${encode({ alg: "RS256", kid: "1" })}.${encode(claims)}`;
			const id_token = `${content}.${sign("sha256", Buffer.from(content), privateKey).toString("base64url")}`;
			return reply(200, { access_token: "unused", token_type: "Bearer", id_token });
		})();
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const provider: PretendedProvider = {
		issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		who: {},
		isAway: false,
		isBroken: false,
		visit: async (url) => {
			const { headers } = await fetch(url, { redirect: "manual" });
			return new URL(headers.get("location") ?? "").search.slice(1);
		},
		close: () => new Promise((resolve) => void server.close(() => resolve())),
	};
	return provider;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const LIFE_S = 300;

function tokenOf(iss: string, nonce: string): Record<string, unknown> {
	const now = Math.floor((performance.timeOrigin + performance.now()) / 1_000);
	return { iss, sub: "1", aud: CLIENT.id, iat: now, auth_time: now, exp: now + LIFE_S, nonce };
}

const descriptionOf = (issuer: string) => ({
	issuer,
	authorization_endpoint: `${issuer}/authorize`,
	token_endpoint: `${issuer}/token`,
	jwks_uri: `${issuer}/keys`,
	response_types_supported: ["code"],
	subject_types_supported: ["public"],
	id_token_signing_alg_values_supported: ["RS256"],
	token_endpoint_auth_methods_supported: ["client_secret_post"],
});

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString();
}
