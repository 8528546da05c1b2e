import { HoldfastError } from "../../client/errors.ts";
import { API_PATH, OPERATIONS, type OperationName } from "../../client/operations.ts";

/** The result of an operation. */
export interface Stop {
	readonly operation: OperationName;
	/** Method and path. */
	readonly request: string;
	/** `forbidden`: the key lacks the scope. `skipped`: it was not sent; `says` has the reason. */
	readonly outcome: "done" | "forbidden" | "skipped" | "failed";
	/** What the operation does, and what came back, in a sentence or two. */
	readonly says: string;
}

/** Calls the operations that a key may use, and reports each as soon as it is over. */
export class Tour {
	readonly stops: Stop[] = [];
	readonly #tell: (stops: readonly Stop[]) => void;

	/** `tell` is given one stop, or several that were skipped for one reason. */
	constructor(tell: (stops: readonly Stop[]) => void) {
		this.#tell = tell;
	}

	/**
	 * Calls an operation. Returns its reply, or undefined if it was refused: what depends on it is then skipped.
	 * `does`: what the operation does. `came`: what came back.
	 */
	async visit<T>(
		operation: OperationName,
		does: string,
		call: () => Promise<T>,
		came: (answer: T) => string,
	): Promise<T | undefined> {
		try {
			const answer = await call();
			this.#add({ operation, outcome: "done", says: `${does} ${came(answer)}` });
			return answer;
		} catch (error) {
			if (!(error instanceof HoldfastError)) throw error;
			const { code, status, message } = error;
			// without the key nothing more can be found out
			if (code === "unauthorized" || code === "connection_lost") throw error;
			const isForbidden = code === "forbidden";
			const why = isForbidden
				? `Your key lacks the scope for it: ${message}`
				: `It was answered ${status} ${code}: ${message}`;
			this.#add({ operation, outcome: isForbidden ? "forbidden" : "failed", says: `${does} ${why}` });
			return undefined;
		}
	}

	skip(says: string, ...operations: readonly OperationName[]): void {
		this.#add(...operations.map((operation) => ({ operation, outcome: "skipped" as const, says })));
	}

	/** Undoes what is not undone yet, and reports only a failure. */
	async undo(operation: OperationName, call: () => Promise<unknown>): Promise<void> {
		await call().catch((error: unknown) => {
			if (!(error instanceof HoldfastError)) throw error;
			this.#add({ operation, outcome: "failed", says: `Something was left behind: ${error.message}` });
		});
	}

	#add(...added: readonly Omit<Stop, "request">[]): void {
		const stops = added.map((stop) => ({ ...stop, request: requestOf(stop.operation) }));
		this.stops.push(...stops);
		this.#tell(stops);
	}
}

/** Method and path of an operation. */
export function requestOf(name: OperationName): string {
	const { method, path } = OPERATIONS.find((one) => one.name === name) ?? { method: "", path: "" };
	return `${method} ${path.replace(/^coa:/, "").replace(/^(?!\/api\/|\/coa\/)/, API_PATH)}`;
}
