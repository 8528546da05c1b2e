import { createCursors, filtersText } from "../../service/src/ground/lib/cursor.ts";
import { openDatabase } from "../../service/src/ground/pg/connect.ts";
import { parseKeyRing } from "../../service/src/partners/keys/key-ring.ts";
import type { World } from "./world.ts";

/** A cursor of the world's first key at a given number of a list: for pages in its middle. */
export async function cursorAt(
	{ url, tokens, secretKeys }: World,
	number: number,
	filters: readonly (string | undefined)[],
): Promise<string> {
	const [pk = ""] = (tokens[0] ?? "").split(":");
	const db = openDatabase(url, { max: 1, name: "bench" });
	try {
		const { rows } = await db.query<{ key_id: string }>("select key_id from api_key where pk = $1", [pk]);
		const cursors = createCursors(parseKeyRing(secretKeys).peppers.map(({ key }) => key));
		return cursors.write(number, filtersText([rows[0]?.key_id, ...filters]));
	} finally {
		await db.close();
	}
}
