import { toRfc3339 } from "../../ground/lib/clock.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Operator } from "../admin/operator.ts";
import { type Gate, mount } from "../http/mount.ts";
import { FindInvitation, SetUp, SignIn } from "./contract.ts";
import { setCookie } from "./cookie.ts";
import type { PeopleRouteDeps } from "./means.ts";
import { findInvited, setUp } from "./set-up.ts";
import { type SignedInPerson, signIn } from "./sign-in.ts";

/** The operations without credentials: signing in, and using a set-up link. */
export function routes(gate: Gate<Operator>, { db, people }: PeopleRouteDeps): void {
	const deps = { ...people, db };
	const begun = ({ person: { name, role }, secret }: SignedInPerson) =>
		({
			status: 200,
			data: { name, role },
			headers: { "Set-Cookie": setCookie(secret, people.secure) },
		}) as const;

	mount(gate, SignIn, async ({ body, headers, from, requestId }) => {
		const { name, password, code } = body;
		const browser = { address: from, userAgent: headers["User-Agent"] };
		const done = await signIn(deps, { ...browser, name, password, code, requestId });
		return isRefusal(done) ? done : begun(done);
	});

	mount(gate, FindInvitation, async ({ body }) => {
		const person = await findInvited(db, body.token);
		if (isRefusal(person)) return person;
		const { name, role, mayChooseName, linkExpiresAt } = person;
		const expires_at = toRfc3339(linkExpiresAt ?? 0);
		return { status: 200, data: { name, role, may_choose_name: mayChooseName, expires_at } };
	});

	mount(gate, SetUp, async ({ body, headers, from, requestId }) => {
		const { token, password, name } = body;
		const browser = { address: from, userAgent: headers["User-Agent"] };
		const done = await setUp(deps, { ...browser, token, password, name, requestId });
		return isRefusal(done) ? done : begun(done);
	});
}
