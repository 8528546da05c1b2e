import { expect } from "vitest";
import type { Role } from "../src/glossary.ts";
import { must } from "../src/ground/lib/assert.ts";
import { SetUp, SignIn } from "../src/partners/people/contract.ts";
import { InvitePerson } from "../src/partners/people/people-contract.ts";
import { keepSecretsOf } from "./leaks/secrets.ts";
import { type As, type Operated, operate } from "./operate.ts";

export const PASSWORD = "a quiet river under old bridges";

/** The session that a reply hands to a browser, as its next requests send it. */
export function cookieOf({ headers }: Operated): string {
	const [cookie = ""] = [headers["set-cookie"] ?? []].flat();
	const pair = cookie.split(";", 1)[0] ?? "";
	keepSecretsOf(JSON.stringify({ secret: pair.slice(pair.indexOf("=") + 1) }));
	return pair;
}

/** The token of a new set-up link. `by`: an admin. */
export async function linkFor(by: As, name: string, role: Role): Promise<string> {
	const { status, json } = await operate(by, InvitePerson, { body: { name, role } });
	expect([status, json.error]).toEqual([201, undefined]);
	const token = must(new URL(json.data.link).hash.slice(1), "the token");
	keepSecretsOf(JSON.stringify({ secret: token }));
	return token;
}

/** A person who has just set up an account, in a browser at `api`. */
export async function personAt(api: string, by: As, name: string, role: Role): Promise<As> {
	const token = await linkFor(by, name, role);
	const answer = await operate({ api, token: null }, SetUp, { body: { token, password: PASSWORD } });
	expect([answer.status, answer.json.error]).toEqual([200, undefined]);
	return { api, cookie: cookieOf(answer) };
}

export const signInAt = (api: string, body: object, headers: Record<string, string> = {}): Promise<Operated> =>
	operate({ api, token: null }, SignIn, { body, headers });
