import { ROLES, type Role } from "../../glossary.ts";

/** A person or a script that runs this deployment, as the operations of the operator's API see it. */
export interface Operator {
	/** Shown as `operator:<name>`: a person's name, a login name on the socket, `token/<token's name>` for a token. */
	readonly name: string;
	readonly role: Role;
	readonly via: "token" | "socket" | "session";
	/** The public half of the token or the id of the session; null: the socket. Never a secret. */
	readonly credential: string | null;
	/** Where the request comes from; "" for the socket. */
	readonly address: string;
	/** Only of a person who has signed in. */
	readonly session?: SignedIn;
}

export interface SignedIn {
	readonly personId: string;
	/** Whether the sign-in is recent enough for writes that ask for a fresh one. */
	readonly isFresh: boolean;
	/** Whether the person has a second factor. */
	readonly hasFactor: boolean;
}

/** All operators together, as an owner of reads: none is shown an earlier state than another one on the same node. */
export const OPERATORS = "operators";

/** The name of an operator in the ledger and the audit log (operator contract, section 2). */
export const actorOf = ({ name }: Operator): string => `operator:${name}`;

/** Whether an operator has this role or a higher one. */
export const hasRole = ({ role }: Operator, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);
