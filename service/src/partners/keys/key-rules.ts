import { type Environment, SANDBOX_BRAND, type Scope } from "../../glossary.ts";
import {
	DEFAULT_REQUESTS_PER_MINUTE,
	MAX_HELD_UNITS,
	MAX_KEY_NAME_LENGTH,
	MAX_PARTNER_NAME_LENGTH,
	MAX_REQUESTS_PER_MINUTE,
} from "./limits.ts";

export interface MintRequest {
	/** Unique within the partner. */
	readonly name: string;
	/** The partner's name; a new partner is created if necessary. */
	readonly partner: string;
	readonly environment: Environment;
	/** The brand it is bound to; null for an unbound live key. A sandbox key is always bound to SANDBOX. */
	readonly brandCode: string | null;
	readonly sharedPool: boolean;
	readonly scopes: readonly Scope[];
	/** Requests in any 60 seconds; null or absent: the contract's rate. */
	readonly requestsPerMinute?: number | null;
	readonly expiresAt?: Date | null;
	/** Maximum number of units in active holds; null or absent: no cap. */
	readonly maxHeldUnits?: number | null;
}

export interface WrongKeyField {
	readonly field: keyof MintRequest;
	/** A sentence for the operator. */
	readonly message: string;
}

/** Every problem of the request itself. `mintKey` checks whether the brand exists and the name is free. */
export function wrongInKey(request: MintRequest): WrongKeyField[] {
	const { name, partner, environment, brandCode, requestsPerMinute, maxHeldUnits = null } = request;
	const wrong: WrongKeyField[] = [];
	const say = (field: keyof MintRequest, message: string): number => wrong.push({ field, message });
	if (!hasLength(name, MAX_KEY_NAME_LENGTH)) say("name", `A key's name has 1 to ${MAX_KEY_NAME_LENGTH} characters.`);
	if (HAS_CONTROLS.test(name)) say("name", "A key's name has no line breaks and no other control characters.");
	const wrongPartner = wrongInPartnerName(partner);
	if (wrongPartner !== null) say("partner", wrongPartner);
	if (request.scopes.length === 0) say("scopes", "A key needs at least one scope.");
	if (environment === "sandbox") {
		if ((brandCode ?? SANDBOX_BRAND) !== SANDBOX_BRAND)
			say("brandCode", `A sandbox key is always bound to the brand ${SANDBOX_BRAND}: name that brand, or none.`);
		if (request.sharedPool) say("sharedPool", "A sandbox key never draws on the shared pool.");
	} else if (brandCode === SANDBOX_BRAND) {
		const message = `A live key cannot be bound to the brand ${SANDBOX_BRAND}: make it a sandbox key, or name another brand.`;
		say("brandCode", message);
	}
	if (!isWithin(requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE, MAX_REQUESTS_PER_MINUTE))
		say("requestsPerMinute", `Requests per minute are a whole number from 1 to ${MAX_REQUESTS_PER_MINUTE}.`);
	if (maxHeldUnits !== null && !isWithin(maxHeldUnits, MAX_HELD_UNITS))
		say("maxHeldUnits", `The cap on held units is a whole number from 1 to ${MAX_HELD_UNITS}.`);
	return wrong;
}

const HAS_CONTROLS = /[\p{Cc}\u2028\u2029]/u;

/** Why a text cannot be the name of a partner; null if it can. */
export function wrongInPartnerName(name: string): string | null {
	if (!hasLength(name, MAX_PARTNER_NAME_LENGTH))
		return `A partner's name has 1 to ${MAX_PARTNER_NAME_LENGTH} characters.`;
	return HAS_CONTROLS.test(name) ? "A partner's name has no line breaks and no other control characters." : null;
}

const hasLength = (text: string, most: number): boolean => text !== "" && text.length <= most;

const isWithin = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most;
