import { toString as toText } from "qrcode";
import { must } from "../../ground/lib/assert.ts";
import { rfc3339OrNull, toRfc3339 } from "../../ground/lib/clock.ts";
import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { mountWrite, type Write, type WriteDeps } from "../admin/mount-write.ts";
import { actorOf, type Operator, type SignedIn } from "../admin/operator.ts";
import { type PageQuery, readOperatorPage, readPageFrom, rowId, writeOperatorPage } from "../admin/page.ts";
import { without } from "../http/etag.ts";
import { type Gate, mount, ok } from "../http/mount.ts";
import { reachedAt } from "../http/reached-at.ts";
import { addPasskey } from "./add-passkey.ts";
import { addTotp } from "./add-totp.ts";
import { beginPasskey, requireRelyingParty } from "./begin-passkey.ts";
import { type CheckedPassword, changeMe, checkNewPassword } from "./change-me.ts";
import { changePerson } from "./change-person.ts";
import { confirmTotp } from "./confirm-totp.ts";
import { clearCookie, setCookie } from "./cookie.ts";
import { countRecoveryCodes, selectFactorPage, selectFactors } from "./factor-sql.ts";
import { invite, linkOf } from "./invite.ts";
import { PASSKEY_ALGORITHMS } from "./limits.ts";
import * as contract from "./me-contract.ts";
import type { PeopleRouteDeps } from "./means.ts";
import { selectCredentialIds } from "./passkey-sql.ts";
import {
	ChangePerson,
	EndSessionsOfPerson,
	GetPerson,
	InvitePerson,
	ListPeople,
	ListSessionsOfPerson,
} from "./people-contract.ts";
import type { Factor, Person, SessionRow } from "./person.ts";
import { removeFactor } from "./remove-factor.ts";
import { renewRecoveryCodes } from "./renew-recovery-codes.ts";
import { freshUntil } from "./session.ts";
import { sessionReply } from "./session-reply.ts";
import { endSession, endSessionsOf, selectSession, selectSessionsOf } from "./session-sql.ts";
import { findPerson, findPersonById, lockPerson, selectPeople } from "./sql.ts";
import { otpauthUrl } from "./totp.ts";

export interface PeopleDeps extends WriteDeps, PeopleRouteDeps {
	readonly readDb: Query;
}

/** The operations on people, and those with which a person looks after their own account. */
export function admin(gate: Gate<Operator>, deps: PeopleDeps): void {
	mountMe(gate, deps);

	mount(gate, ListPeople, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) => selectPeople(deps.readDb, page.after, most));
		return { status: 200, data: writeOperatorPage(list, ({ name }) => name, personReply) };
	});

	mount(gate, GetPerson, async ({ params }) => ok(await readPerson(deps.readDb, params)));

	mountWrite(gate, deps, InvitePerson, async (tx, { caller, body, cameTo }) => {
		const { name, role, email } = body;
		const invited = await invite(tx, { name, role, email, by: actorOf(caller) });
		if (isRefusal(invited)) return invited;
		const { person, secret } = invited;
		const link = linkOf(reachedAt(deps.people.adminUrl(), cameTo), secret);
		return { status: 201, data: { ...personReply(person), link }, about: person.name };
	});

	const change: Write<typeof ChangePerson> = async (tx, { caller, params, body }) => {
		const { role, state, email } = body;
		const done = await changePerson(tx, caller, params.name, { role, state, email });
		if (isRefusal(done)) return done;
		const { person, changed } = done;
		return { status: 200, data: personReply(person), about: person.name, changed };
	};
	mountWrite(gate, deps, ChangePerson, change, { read: readPerson });

	mount(gate, ListSessionsOfPerson, async ({ params, query }) => {
		const person = await findNamed(deps.readDb, params.name);
		if (isRefusal(person)) return person;
		return ok(await pageOfSessions(deps.readDb, person, query, null));
	});

	mountWrite(gate, deps, EndSessionsOfPerson, async (tx, { params }) => {
		// a change of the password under way has begun its new session by then
		const person = (await lockPerson(tx, params.name)) ?? (await findNamed(tx, params.name));
		if (isRefusal(person)) return person;
		const ended = await endSessionsOf(tx, person.personId);
		return { status: 200, data: { ended }, about: person.name, changed: ended > 0 };
	});
}

async function findNamed(db: Query, name: string): Promise<Person | Refusal<"not_found">> {
	return (await findPerson(db, name)) ?? refuse("not_found", `There is no person named ${JSON.stringify(name)}.`);
}

async function readPerson(db: Query, { name }: { readonly name: string }) {
	const person = await findNamed(db, name);
	return isRefusal(person) ? person : personReply(person);
}

/** A page of the sessions of a person that have not ended, as seen from the session with this id, if any. */
async function pageOfSessions(
	db: Query,
	{ personId, role }: Pick<Person, "personId" | "role">,
	query: PageQuery,
	currentId: string | null,
) {
	const page = readPageFrom(query, rowId);
	if (isRefusal(page)) return page;
	const list = await firstRows(page.limit, (most) => selectSessionsOf(db, personId, page.after, most));
	const reply = (session: SessionRow) => sessionReply(session, role, currentId);
	return writeOperatorPage(list, ({ sessionId }) => sessionId, reply);
}

const personReply = ({ name, email, role, state, linkExpiresAt, createdBy, createdAt }: Person) => ({
	name,
	email,
	role,
	state,
	link_expires_at: rfc3339OrNull(linkExpiresAt),
	created_by: createdBy,
	created_at: toRfc3339(createdAt),
});

/** The operations on oneself. */
function mountMe(gate: Gate<Operator>, deps: PeopleDeps): void {
	const { people, readDb } = deps;
	const isRequired = people.isSecondFactorRequired;

	mount(gate, contract.GetMe, async ({ caller }) => {
		return { status: 200, data: await readMe(readDb, caller, caller.credential, isRequired) };
	});

	mountWrite(
		gate,
		deps,
		contract.ChangeMe,
		async (tx, { caller, body, headers }, _more, asked) => {
			const { personId } = must(caller.session, "the session");
			const { address, credential: sessionId } = caller;
			const browser = { address, userAgent: headers["User-Agent"], sessionId };
			const checked = asked as CheckedPassword | undefined;
			const done = await changeMe(tx, personId, { email: body.email, checked, browser });
			if (isRefusal(done)) return done;
			const { begun, changed } = done;
			const cookie = begun === null ? {} : { "Set-Cookie": setCookie(begun.secret, people.secure) };
			const data = await readMe(tx, caller, begun?.sessionId ?? caller.credential, isRequired);
			return { status: 200, data, headers: cookie, about: caller.name, changed };
		},
		{
			read: async (tx, _params, caller) =>
				without(await readMe(tx, caller, caller.credential, isRequired), contract.OF_THE_SESSION),
			async ask({ caller, body }) {
				const session = personOf(caller);
				if (isRefusal(session)) return session;
				return await checkNewPassword(
					people,
					must(await findPersonById(deps.db, session.personId), "the person"),
					body,
				);
			},
		},
	);

	mountWrite(gate, deps, contract.SignOut, async (tx, { caller }) => {
		const session = personOf(caller);
		if (isRefusal(session)) return session;
		await endSession(tx, session.personId, caller.credential ?? "");
		const headers = { "Set-Cookie": clearCookie(people.secure) };
		return { status: 200, data: { signed_out: true }, headers, about: caller.name };
	});

	mount(gate, contract.ListMySessions, async ({ caller: { session, role, credential }, query }) => {
		if (session === undefined) return { status: 200, data: { items: [], next_cursor: null } };
		return ok(await pageOfSessions(readDb, { personId: session.personId, role }, query, credential));
	});

	mountWrite(gate, deps, contract.EndMySession, async (tx, { caller, params }) => {
		const { session, role, credential, name } = caller;
		const noSession = refuse("not_found", "You have no session with this id.");
		if (session === undefined) return noSession;
		const ended = await endSession(tx, session.personId, params.id);
		// what has ended already stays as it is, and leaves no row in the audit log
		const known = ended ?? (await selectSession(tx, session.personId, params.id));
		if (known === null) return noSession;
		return { status: 200, data: sessionReply(known, role, credential), about: name, changed: ended !== null };
	});

	mountFactors(gate, deps);
	mountPasskeys(gate, deps);
}

function mountFactors(gate: Gate<Operator>, deps: PeopleDeps): void {
	const { people, readDb } = deps;

	mount(gate, contract.ListMyFactors, async ({ caller: { session }, query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const { after, limit } = page;
		if (session === undefined) return { status: 200, data: { items: [], next_cursor: null, recovery_codes_left: 0 } };
		const { personId } = session;
		const list = await firstRows(limit, (most) => selectFactorPage(readDb, personId, after, most));
		const left = await countRecoveryCodes(readDb, personId);
		const items = writeOperatorPage(list, ({ factorId }) => factorId, factorReply);
		return { status: 200, data: { ...items, recovery_codes_left: left } };
	});

	mountWrite(gate, deps, contract.AddTotp, async (tx, { caller, body }) => {
		const session = personOf(caller);
		if (isRefusal(session)) return session;
		const added = await addTotp(tx, people, session.personId, body.name);
		if (isRefusal(added)) return added;
		const { factorId, secret } = added;
		const otpauth_url = otpauthUrl(secret, caller.name);
		const data = { id: factorId, secret, otpauth_url, qr_svg: await toText(otpauth_url, { type: "svg" }) };
		return { status: 201, data, about: caller.name };
	});

	mountWrite(gate, deps, contract.ConfirmTotp, async (tx, { caller, params, body }) => {
		const session = personOf(caller);
		if (isRefusal(session)) return session;
		const { personId } = session;
		const of = { personId, sessionId: caller.credential };
		const done = await confirmTotp(tx, people, { ...of, factorId: params.id, code: body.one_time_code });
		if (isRefusal(done)) return done;
		const factor = must(
			(await selectFactors(tx, personId)).find(({ factorId }) => factorId === params.id),
			"the factor",
		);
		const data = { factor: factorReply(factor), recovery_codes: done.codes };
		return { status: 200, data, about: caller.name };
	});

	mountWrite(gate, deps, contract.RemoveMyFactor, async (tx, { caller, params }) => {
		const session = personOf(caller);
		if (isRefusal(session)) return session;
		const isRequired = people.isSecondFactorRequired;
		const done = await removeFactor(tx, { personId: session.personId, factorId: params.id, isRequired });
		return isRefusal(done) ? done : { status: 200, data: done, about: caller.name };
	});

	mountWrite(gate, deps, contract.RenewRecoveryCodes, async (tx, { caller }) => {
		const session = personOf(caller);
		if (isRefusal(session)) return session;
		const codes = await renewRecoveryCodes(tx, session.personId);
		return { status: 201, data: { recovery_codes: codes }, about: caller.name };
	});
}

function mountPasskeys(gate: Gate<Operator>, deps: PeopleDeps): void {
	const { people } = deps;

	mount(gate, contract.BeginPasskey, async ({ caller }) => {
		const session = personOf(caller);
		if (isRefusal(session)) return session;
		const party = requireRelyingParty(people.adminUrl());
		if (isRefusal(party)) return party;
		const { personId } = session;
		const data = {
			...(await beginPasskey(deps.db, party, personId)),
			user_id: Buffer.from(personId).toString("base64url"),
			user_name: caller.name,
			algorithms: [...PASSKEY_ALGORITHMS],
			known: await selectCredentialIds(deps.db, personId),
		};
		return { status: 200, data };
	});

	mountWrite(gate, deps, contract.AddPasskey, async (tx, { caller, body }) => {
		const session = personOf(caller);
		if (isRefusal(session)) return session;
		const party = requireRelyingParty(people.adminUrl());
		if (isRefusal(party)) return party;
		const { name, credential_id: credentialId, client_data: clientData, attestation } = body;
		const of = { personId: session.personId, sessionId: caller.credential };
		const done = await addPasskey(tx, party, of, { name, credentialId, clientData, attestation });
		if (isRefusal(done)) return done;
		const data = { factor: factorReply(done.factor), recovery_codes: done.codes };
		return { status: 201, data, about: caller.name };
	});
}

function personOf({ session }: Operator): SignedIn | Refusal<"not_possible_now"> {
	return session ?? refuse("not_possible_now", contract.ONLY_PEOPLE);
}

/** `sessionId`: the session of the reply, which a new password replaces. */
async function readMe(db: Query, caller: Operator, sessionId: string | null, isRequired: boolean) {
	const { name, role, via, session } = caller;
	if (session === undefined) {
		return { name, role, via, email: null, second_factor: "none", fresh_until: null, session: null } as const;
	}
	const person = must(await findPersonById(db, session.personId), "the person");
	const known = sessionId === null ? null : await selectSession(db, session.personId, sessionId);
	const current = known?.endedAt === null ? known : undefined;
	const second_factor = session.hasFactor ? "set" : isRequired ? "needed" : "none";
	return {
		name: person.name,
		role: person.role,
		via,
		email: person.email,
		second_factor,
		fresh_until: current === undefined ? null : toRfc3339(freshUntil(current)),
		session: current === undefined ? null : sessionReply(current, person.role, sessionId),
	} as const;
}

const factorReply = ({ factorId, kind, name, createdAt, usedAt }: Factor) => ({
	id: factorId,
	kind,
	name,
	created_at: toRfc3339(createdAt),
	used_at: rfc3339OrNull(usedAt),
});
