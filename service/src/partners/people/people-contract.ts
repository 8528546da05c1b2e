import Type from "typebox";
import { FRESH_SIGN_IN_EXAMPLE, REASON, REASON_QUERY } from "../admin/headers.ts";
import { adminEdit, adminOperation, adminWrite } from "../admin/operation.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { GivenId, Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../http/text.ts";
import { RoleName } from "../operators/contract.ts";
import { MAX_EMAIL, MAX_PERSON_NAME } from "./limits.ts";
import { PERSON_NAME, PERSON_STATES } from "./person.ts";

export const Email = Text({ min: 3, max: MAX_EMAIL, description: "An email address. Holdfast sends nothing to it." });
const Name = Type.Object({ name: Text({ min: 1, max: MAX_PERSON_NAME, description: "The person's name." }) });

export const Person = ReplyObject("Person", {
	name: Type.String({ description: "Unique, whatever its case. Shown as `operator:<name>`." }),
	email: OrNull(Type.String({ description: "Null: none is known." })),
	role: RoleName("What the person may do."),
	state: Type.Enum([...PERSON_STATES], {
		description: "`invited`: has not chosen a password yet. `suspended`: cannot sign in.",
	}),
	link_expires_at: OrNull(Instant("When the open set-up link ends; null: none is open.")),
	created_by: Type.String({ description: "The operator that invited the person first." }),
	created_at: Instant("When the person was invited first."),
});
export const PERSON_EXAMPLE = {
	name: "anna",
	email: "anna@example.com",
	role: "operator",
	state: "active",
	link_expires_at: null,
	created_by: "operator:admin",
	created_at: "2026-09-06T12:00:00.000Z",
} as const;

const NO_PERSON = 'There is no person named "anna".';

export const ListPeople = adminOperation({
	id: "list_people",
	method: "GET",
	path: "/admin/api/v1/people",
	summary: "List people",
	description: "By name, including suspended people.",
	query: pageQuery({}),
	replies: { 200: pageOf(Person, "People") },
	examples: { replies: { 200: { items: [PERSON_EXAMPLE], next_cursor: null } } },
});

export const GetPerson = adminOperation({
	id: "get_person",
	method: "GET",
	path: "/admin/api/v1/people/:name",
	summary: "Read a person",
	description: "Its ETag is for `If-Match` of a change.",
	params: Name,
	conditional: true,
	replies: { 200: Person },
	examples: { params: { name: "anna" }, replies: { 200: PERSON_EXAMPLE }, errors: { not_found: NO_PERSON } },
});

export const InvitePerson = adminWrite({
	id: "invite_person",
	method: "POST",
	path: "/admin/api/v1/people/invite",
	summary: "Make a set-up link for a person",
	description:
		"Adds the person unless one with this name exists, and shows a link, valid for 15 minutes and for one use, at which the person chooses a password. It is also the way back in for a person who has lost everything. An earlier link of the person ends.",
	body: RequestObject("InvitePersonRequest", {
		name: Type.String({
			pattern: PERSON_NAME,
			minLength: 1,
			maxLength: MAX_PERSON_NAME,
			description: "Letters, digits and `.`, `_`, `@`, `-`, with a letter or a digit first.",
		}),
		role: RoleName("What the person may do. Must be the present role of a person who exists."),
		email: Type.Optional(Email),
	}),
	replies: {
		201: ReplyObject("InvitedPerson", {
			...Person.properties,
			link: Type.String({ description: "The set-up link, shown only this once." }),
		}),
	},
	examples: {
		request: { name: "anna", role: "operator", email: "anna@example.com" },
		replies: {
			201: {
				...PERSON_EXAMPLE,
				state: "invited",
				link_expires_at: "2026-09-06T12:15:00.000Z",
				link: "https://api.example.com/admin/set-up#0MvcX0Lk…",
			},
		},
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			not_possible_now: "anna is suspended: make anna active first.",
		},
	},
});

export const ChangePerson = adminEdit({
	id: "change_person",
	method: "PATCH",
	path: "/admin/api/v1/people/:name",
	summary: "Change a person",
	description:
		"A new role or state ends the person's sessions, on every node within a second. Suspending also ends an open set-up link.",
	params: Name,
	body: RequestObject("ChangePersonRequest", {
		role: Type.Optional(RoleName("What the person may do.")),
		state: Type.Optional(Type.Enum(["active", "suspended"], { description: "`suspended`: cannot sign in." })),
		email: Type.Optional(OrNull(Email)),
		...REASON,
	}),
	replies: { 200: Person },
	examples: {
		params: { name: "anna" },
		request: { state: "suspended", reason: "has left" },
		replies: { 200: { ...PERSON_EXAMPLE, state: "suspended" } },
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			not_found: NO_PERSON,
			not_possible_now: "You cannot change your own role or state: ask another admin.",
		},
	},
});

export const Session = ReplyObject("Session", {
	id: Id("The session's id, as the audit log shows it."),
	address: Type.String({ description: "Where the person signed in from." }),
	user_agent: Type.String({ description: "The browser, as it names itself." }),
	signed_in_at: Instant("When the person signed in."),
	seen_at: Instant("The last request, to within 30 seconds."),
	ends_at: Instant("When it ends unless it is used again, and at the latest 24 hours after the sign-in."),
	current: Type.Boolean({ description: "Whether this request came with it." }),
});
export const SESSION_EXAMPLE = {
	id: "0199a3f2-5c11-7d3e-8a54-0b6f2f6f5f01",
	address: "203.0.113.7",
	user_agent: "Mozilla/5.0",
	signed_in_at: "2026-09-06T12:00:00.000Z",
	seen_at: "2026-09-06T12:04:00.000Z",
	ends_at: "2026-09-06T20:04:00.000Z",
	current: true,
} as const;
export const Sessions = pageOf(Session, "Sessions");
export const SessionParam = Type.Object({ id: GivenId("The session's `id`.") });

export const ListSessionsOfPerson = adminOperation({
	id: "list_sessions_of_person",
	method: "GET",
	path: "/admin/api/v1/people/:name/sessions",
	summary: "List the sessions of a person",
	description: "The browsers in which a person is signed in, the newest first.",
	params: Name,
	query: pageQuery({}),
	replies: { 200: Sessions },
	examples: {
		params: { name: "anna" },
		replies: { 200: { items: [{ ...SESSION_EXAMPLE, current: false }], next_cursor: null } },
		errors: { not_found: NO_PERSON },
	},
});

export const EndSessionsOfPerson = adminWrite({
	id: "end_sessions_of_person",
	method: "DELETE",
	path: "/admin/api/v1/people/:name/sessions",
	summary: "End the sessions of a person",
	description: "All of them, on every node within a second. The person may sign in again.",
	params: Name,
	query: REASON_QUERY,
	replies: { 200: ReplyObject("EndedSessions", { ended: Type.Integer({ description: "Number of ended sessions." }) }) },
	examples: {
		params: { name: "anna" },
		replies: { 200: { ended: 2 } },
		errors: { not_found: NO_PERSON },
	},
});
