import { type Asked, CallError, call, type OperationId } from "../api/call.ts";
import { words } from "../words/words.ts";

/** How a code is written: a product's code is part of addresses. */
export type CodeStyle = "code" | "slug";

const SHAPES: Readonly<Record<CodeStyle, RegExp>> = { code: /^[\p{L}\p{N}._-]+$/u, slug: /^[a-z0-9-]+$/ };

/** A code proposed for a name: `Birch tonic` → `BIRCH-TONIC`, or `birch-tonic`. */
export function proposedCode(name: string, style: CodeStyle): string {
	const plain = name.normalize("NFKD").replace(/\p{M}/gu, "");
	const joined = plain.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
	return style === "slug" ? joined.toLowerCase() : joined.toUpperCase();
}

/**
 * Refuses a new code, as the service refuses a bad field: one with unusual characters, because a code cannot be changed
 * later, and one that is taken, because a PUT would change the existing row. Null: the code is good. `get` reads a row
 * by its code; `field`: the name of the code in that operation.
 */
export async function refuseCode<Id extends OperationId>(
	get: Id,
	field: string,
	code: string,
	style: CodeStyle = "code",
): Promise<CallError | null> {
	const refused = (message: string): CallError => new CallError("invalid_input", `/${field}: ${message}`, 0);
	if (!SHAPES[style].test(code)) return refused(words.catalogue.shapes[style]);
	try {
		await call(get, { params: { [field]: code } } as unknown as Asked<Id>);
		return refused(words.catalogue.taken);
	} catch (error) {
		if (!(error instanceof CallError)) throw error;
		return error.code === "not_found" ? null : error;
	}
}
