import { must } from "../../ground/lib/assert.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { mountWrite, type WriteDeps } from "../admin/mount-write.ts";
import { actorOf, type Operator } from "../admin/operator.ts";
import { readOperatorPage, writeOperatorPage } from "../admin/page.ts";
import { type Gate, mount } from "../http/mount.ts";
import { changePerson } from "./change-person.ts";
import { invite, linkOf } from "./invite.ts";
import { meAdmin } from "./me-admin.ts";
import {
	ChangePerson,
	EndSessionsOfPerson,
	InvitePerson,
	ListPeople,
	ListSessionsOfPerson,
} from "./people-contract.ts";
import type { Person } from "./person.ts";
import { sessionReply } from "./session-reply.ts";
import { endSessionsOf, selectSessionsOf } from "./session-sql.ts";
import { type SignInAdminDeps, signInAdmin } from "./sign-in-admin.ts";
import { findPerson, selectPeople } from "./sql.ts";

export interface PeopleDeps extends WriteDeps, SignInAdminDeps {
	readonly readDb: Query;
}

/** The operations on people, and those with which a person signs in and looks after their own account. */
export function admin(gate: Gate<Operator>, deps: PeopleDeps): void {
	signInAdmin(gate, deps);
	meAdmin(gate, deps);

	mount(gate, ListPeople, async ({ query }) => {
		const page = readOperatorPage(query);
		if (isRefusal(page)) return page;
		const list = await firstRows(page.limit, (most) => selectPeople(deps.readDb, page.after, most));
		return { status: 200, data: writeOperatorPage(list, ({ name }) => name, personReply) };
	});

	mountWrite(gate, deps, InvitePerson, async (tx, { caller, body }) => {
		const { name, role, email } = body;
		const invited = await invite(tx, { name, role, email, by: actorOf(caller) });
		if (isRefusal(invited)) return invited;
		const { person, secret } = invited;
		const link = linkOf(deps.people.adminUrl(), secret);
		return { status: 201, data: { ...personReply(person), link }, about: person.name };
	});

	mountWrite(gate, deps, ChangePerson, async (tx, { caller, params, body }) => {
		const { role, state, email } = body;
		const done = await changePerson(tx, caller, params.name, { role, state, email });
		if (isRefusal(done)) return done;
		const { person, changed } = done;
		return { status: 200, data: personReply(person), about: person.name, changed };
	});

	mount(gate, ListSessionsOfPerson, async ({ params }) => {
		const person = await findNamed(deps.readDb, params.name);
		if (isRefusal(person)) return person;
		const sessions = await selectSessionsOf(deps.readDb, person.personId);
		return { status: 200, data: { items: sessions.map((session) => sessionReply(session, person.role, null)) } };
	});

	mountWrite(gate, deps, EndSessionsOfPerson, async (tx, { params }) => {
		const person = await findNamed(tx, params.name);
		if (isRefusal(person)) return person;
		const ended = await endSessionsOf(tx, person.personId);
		return { status: 200, data: { ended }, about: person.name, changed: ended > 0 };
	});
}

async function findNamed(db: Query, name: string): Promise<Person | Refusal<"not_found">> {
	return (await findPerson(db, name)) ?? refuse("not_found", `There is no person named ${JSON.stringify(name)}.`);
}

const personReply = ({ name, email, role, state, linkExpiresAt, createdBy, createdAt }: Person) => ({
	name,
	email,
	role,
	state,
	link_expires_at: linkExpiresAt === null ? null : toRfc3339(linkExpiresAt),
	created_by: createdBy,
	created_at: toRfc3339(must(createdAt, "the time")),
});
