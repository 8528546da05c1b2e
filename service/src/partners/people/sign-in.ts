import { monotonicMs, wait } from "../../ground/lib/clock.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Turns } from "../../ground/lib/turns.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { selectNow } from "../../ground/pg/query.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { auditEntry, recordRefusal, recordWrite } from "../admin/mount-write.ts";
import type { Operator } from "../admin/operator.ts";
import { FAILURES_PER_MINUTE } from "../http/limits.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { acceptCode, type FactorDeps } from "./accept-code.ts";
import { type Browser, beginSession } from "./begin-session.ts";
import { selectFactors } from "./factor-sql.ts";
import { isPassword } from "./hash-password.ts";
import { FAILED_SIGN_IN_MS, FAILED_SIGN_INS_PER_MINUTE } from "./limits.ts";
import type { Factor, Person } from "./person.ts";
import { findPerson, lockPersonById } from "./sql.ts";

export interface SignInDeps extends FactorDeps {
	readonly db: Database;
	/** Failed sign-ins, by name and by address. */
	readonly failures: RateLimit;
	/** Passwords are checked one at a time, with fair shares for the addresses: each check takes 19 MiB. */
	readonly checks: Turns;
}

/** What somebody typed, and where. */
export interface SignInWish extends Browser {
	readonly name: string;
	readonly password: string;
	/** Of an authenticator app, or a recovery code. */
	readonly code: string | undefined;
	readonly requestId: string;
}

export interface SignedInPerson {
	readonly person: Person;
	/** For the cookie. */
	readonly secret: string;
}

type SignInRefusal = Refusal<"unauthorized" | "second_factor_needed" | "rate_limited">;

/**
 * Signs a person in. An unknown name, a wrong password, a person without a password and a suspended one are refused
 * `unauthorized` in the same words and time (operator contract, section 2). `second_factor_needed`: the password is
 * right, and a code is missing.
 */
export async function signIn(deps: SignInDeps, wish: SignInWish): Promise<SignedInPerson | SignInRefusal> {
	const throttled = findThrottle(deps.failures, wish);
	if (throttled !== null) return throttled;
	const checked = await deps.checks.take(wish.address, async (): Promise<Checked> => {
		// again in turn: those before it in the queue may have failed meanwhile
		const again = findThrottle(deps.failures, wish);
		return again === null ? await checkAndBegin(deps, wish) : { done: again, known: null };
	});
	if (isRefusal(checked)) return checked;
	const { done, known } = checked;
	if (!isRefusal(done) || done.refusal === "rate_limited") return done;
	// A turn takes as long for an unknown name as for a known one, and the time of a reply is counted from its end: so
	// neither a reply nor the gap between two of them tells which names there are.
	const ended = monotonicMs();
	if (known !== null)
		await recordRefusal(deps.db, signInEntry(known, wish, { credential: null, status: 401, code: done.refusal }));
	await wait(Math.max(0, FAILED_SIGN_IN_MS - (monotonicMs() - ended)));
	return done;
}

/** The outcome of a check, and the person of this name. */
interface Checked {
	readonly done: SignedInPerson | SignInRefusal;
	readonly known: Person | null;
}

/** The name need not exist: a refusal must not reveal which names do. */
const limitsOf = ({ name, address }: { readonly name?: string; readonly address: string }) =>
	[
		...(name === undefined ? [] : [[`sign-in of ${sameName(name)}`, FAILED_SIGN_INS_PER_MINUTE] as const]),
		[`sign-in from ${address}`, FAILURES_PER_MINUTE] as const,
	] as const;

/** One spelling for all that PostgreSQL's `lower` makes the same name: unlike JavaScript's, it makes i of İ. */
const sameName = (name: string): string => name.replaceAll("\u0130", "i").toLowerCase();

/** Refuses a sign-in after too many failed ones under this name, if there is one, or from this address. */
export function findThrottle(
	failures: RateLimit,
	wish: { readonly name?: string; readonly address: string },
): Refusal<"rate_limited"> | null {
	const looked = limitsOf(wish).map(([name, perMinute]) => failures.look(name, perMinute));
	const seconds = Math.max(0, ...looked.map((one) => (one.allowed ? 0 : one.seconds)));
	if (looked.every(({ allowed }) => allowed)) return null;
	return refuse("rate_limited", `Too many sign-ins have failed. Try again in ${seconds} s.`, seconds);
}

export function countFailure(failures: RateLimit, wish: { readonly name?: string; readonly address: string }): void {
	for (const [name, perMinute] of limitsOf(wish)) failures.take(name, perMinute);
}

async function checkAndBegin(deps: SignInDeps, wish: SignInWish): Promise<Checked> {
	const { db, failures } = deps;
	const { name, password, address } = wish;
	const found = await findPerson(db, name);
	const isRight = await isPassword(password, found?.password ?? null);
	const person = isRight && found?.state === "active" ? found : null;
	const done = person === null ? refuse("unauthorized", "Wrong.") : await begin(deps, person, wish);
	if (isRefusal(done) && done.refusal === "unauthorized") countFailure(failures, { name, address });
	return { done, known: found };
}

/** Refuses if another sign-in with the same code, or a change of the person, came first. */
async function begin(
	deps: SignInDeps,
	{ personId, password }: Person,
	wish: SignInWish,
): Promise<SignedInPerson | Refusal<"unauthorized" | "second_factor_needed">> {
	return await transaction(deps.db, async (tx) => {
		const person = await lockPersonById(tx, personId);
		const isSame = person?.state === "active" && person.password?.hash === password?.hash;
		if (person === null || !isSame) return refuse("unauthorized", "Wrong.");
		const factors = await selectFactors(tx, personId);
		const refused = factors.length === 0 ? null : await judgeCode(tx, deps, person, factors, wish.code);
		if (refused !== null) return refused;
		const { sessionId, secret } = await beginSession(tx, personId, wish);
		await recordWrite(tx, signInEntry(person, wish, { credential: sessionId, status: 200, code: null }));
		return { person, secret };
	});
}

async function judgeCode(
	tx: Query,
	deps: SignInDeps,
	{ personId }: Person,
	factors: readonly Factor[],
	code: string | undefined,
): Promise<Refusal<"unauthorized" | "second_factor_needed"> | null> {
	if (code === undefined) {
		const kinds = new Set(factors.map(({ kind }) => (kind === "totp" ? "the code of your app" : "your passkey")));
		return refuse("second_factor_needed", `Sign in with ${[...kinds].join(" or ")}, or with a recovery code.`);
	}
	const isAccepted = await acceptCode(tx, deps, { personId, code, nowMs: await selectNow(tx) });
	return isAccepted ? null : refuse("unauthorized", "Wrong.");
}

/** A row of the audit log. It contains neither password nor code. */
export function signInEntry(
	{ name, role }: Person,
	{ address, requestId }: Pick<SignInWish, "address" | "requestId">,
	{ credential, ...outcome }: Pick<Parameters<typeof recordWrite>[1], "credential" | "status" | "code">,
): Parameters<typeof recordWrite>[1] {
	const operator: Operator = { name, role, via: "session", credential, address };
	return auditEntry(operator, { operation: "sign_in", about: name, body: { name }, ...outcome, request_id: requestId });
}
