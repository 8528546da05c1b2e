import type { Holdfast } from "../../client/holdfast.ts";
import { OPERATIONS, type OperationName } from "../../client/operations.ts";
import { SCOPES } from "../../wire/__generated__/scopes.ts";
import { findScopes } from "../doctor/scopes.ts";
import { plural } from "../terminal.ts";
import { requestOf } from "./tour.ts";

/** What a key may not do. */
export interface MissingScopes {
	readonly scopes: readonly string[];
	/** The operations that need one of them. */
	readonly operations: readonly OperationName[];
}

/** The scopes that a key lacks. @throws HoldfastError if the service cannot be asked, or refuses the key */
export async function findMissingScopes(holdfast: Holdfast, token: string): Promise<MissingScopes> {
	const { mayNot: scopes } = await findScopes(holdfast, token);
	const names = OPERATIONS.map(({ name }) => name as OperationName);
	return { scopes, operations: names.filter((name) => scopes.includes(scopeOf(name))) };
}

/** The scope of an operation; empty: it needs none. */
const scopeOf = (name: OperationName): string =>
	// documents name parameters in snake_case, the SDK in camelCase
	Object.entries(SCOPES).find(([at]) => shapeOf(at) === shapeOf(requestOf(name)))?.[1] ?? "";

const shapeOf = (methodAndPath: string): string => methodAndPath.replaceAll(/\{\w+\}/g, "{}");

/** In a sentence or two. */
export const describeMissing = ({ scopes, operations }: MissingScopes): string =>
	`For ${plural(operations.length, "operation")} the key lacks the scope: ${scopes.join(", ")}. If you need one of them, ask the operator for a key that has it: the scopes of a key never change.`;
