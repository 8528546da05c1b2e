import { type Asked, CallError, call, type OperationId } from "../api/call.ts";
import { words } from "../words/words.ts";

/**
 * Refuses a code that is taken, as the service would a wrong field: a PUT of it would change what is there. Null: it is
 * free. `get` reads one by its code.
 */
export async function refuseTaken<Id extends OperationId>(
	get: Id,
	asked: Asked<Id>,
	field: string,
): Promise<CallError | null> {
	try {
		await call(get, asked);
		return new CallError("invalid_input", `/${field}: ${words.catalogue.taken}`, 0);
	} catch (error) {
		if (!(error instanceof CallError)) throw error;
		return error.code === "not_found" ? null : error;
	}
}
