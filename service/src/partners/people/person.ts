import type { Role } from "../../glossary.ts";
import type { StoredPassword } from "./hash-password.ts";

export const PERSON_STATES = ["invited", "active", "suspended"] as const;
export type PersonState = (typeof PERSON_STATES)[number];

/** A person who may sign in. Instants are epoch milliseconds by the database clock. */
export interface Person {
	readonly personId: string;
	/** Shown as `operator:<name>`. */
	readonly name: string;
	readonly email: string | null;
	readonly role: Role;
	readonly state: PersonState;
	/** Null: none was chosen yet. */
	readonly password: StoredPassword | null;
	/** Whether the person has signed in at the OpenID Connect provider. */
	readonly isProvided: boolean;
	/** Whether the open set-up link lets its holder choose the name: only the first start's does. */
	readonly mayChooseName: boolean;
	readonly linkExpiresAt: number | null;
	readonly createdBy: string;
	readonly createdAt: number;
}

export interface Factor {
	readonly factorId: string;
	readonly kind: "totp" | "passkey";
	readonly name: string;
	readonly createdAt: number;
	readonly usedAt: number | null;
}

/** A browser in which a person is, or was, signed in. */
export interface SessionRow {
	readonly sessionId: string;
	readonly personId: string;
	readonly address: string;
	readonly userAgent: string;
	readonly createdAt: number;
	readonly seenAt: number;
	readonly endedAt: number | null;
}

/** The names that a person may have: ledger and audit log show them, and people type them to sign in. */
export const PERSON_NAME = "^[A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ._@-]*$";
