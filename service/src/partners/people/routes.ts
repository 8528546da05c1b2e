import { toRfc3339 } from "../../ground/lib/clock.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Operator } from "../admin/operator.ts";
import { type Gate, mount } from "../http/mount.ts";
import { beginPasskey, requireRelyingParty } from "./begin-passkey.ts";
import { BeginPasskeySignIn, FindInvitation, SetUp, SignIn, SignInByPasskey } from "./contract.ts";
import { setCookie } from "./cookie.ts";
import type { PeopleRouteDeps } from "./means.ts";
import { BeginProviderSignIn, NO_PROVIDER, SignInByProvider } from "./provider-contract.ts";
import { findInvited, setUp } from "./set-up.ts";
import { type SignedInPerson, signIn } from "./sign-in.ts";
import { signInByPasskey } from "./sign-in-by-passkey.ts";
import { signInByProvider } from "./sign-in-by-provider.ts";

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

	mount(gate, BeginPasskeySignIn, async () => {
		const party = requireRelyingParty(people.adminUrl());
		return isRefusal(party) ? party : { status: 200, data: await beginPasskey(db, party, null) };
	});

	mount(gate, SignInByPasskey, async ({ body, headers, from, requestId }) => {
		const party = requireRelyingParty(people.adminUrl());
		if (isRefusal(party)) return party;
		const done = await signInByPasskey(deps, party, {
			credentialId: body.credential_id,
			clientData: body.client_data,
			authenticatorData: body.authenticator_data,
			signature: body.signature,
			address: from,
			userAgent: headers["User-Agent"],
			requestId,
		});
		return isRefusal(done) ? done : begun(done);
	});

	mount(gate, BeginProviderSignIn, async () => {
		if (people.provider === null) return refuse("not_possible_now", NO_PROVIDER);
		const done = await people.provider.begin(people.adminUrl());
		return isRefusal(done) ? done : { status: 200, data: done };
	});

	mount(gate, SignInByProvider, async ({ body, headers, from, requestId }) => {
		if (people.provider === null) return refuse("not_possible_now", NO_PROVIDER);
		const browser = { address: from, userAgent: headers["User-Agent"] };
		const wish = { ...browser, secret: body.secret, query: body.query, requestId };
		const done = await signInByProvider(deps, people.provider, people.adminUrl(), wish);
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
