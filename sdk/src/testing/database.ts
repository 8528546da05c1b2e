import { must } from "../../../service/src/ground/lib/assert.ts";
import type { Database } from "../../../service/src/ground/pg/connect.ts";
import type { PreparedQuery } from "../../../service/src/ground/pg/round-trip.ts";
import { certificateStatements } from "./certificate-statements.ts";
import { orderStatements } from "./order-statements.ts";
import type { Means, Statements } from "./statement.ts";
import { stockStatements } from "./stock-statements.ts";

/**
 * A database that answers the service's prepared statements, by their names, from rows in memory. Whatever asks them,
 * and reads the answers, is the service's own code.
 */
export function createDatabase(means: Means): Database {
	const statements: Statements = {
		...orderStatements(means),
		...stockStatements(means),
		...certificateStatements(means),
	};
	const query = async (asked: unknown) => {
		const { name, values } = asked as PreparedQuery;
		const statement = must(statements[name], `what the fake answers to the statement ${name}`);
		return { rows: statement(...(values as never[])), rowCount: null, command: "SELECT" };
	};
	return { query } as unknown as Database;
}
