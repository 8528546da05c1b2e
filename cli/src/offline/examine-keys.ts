import { stat } from "node:fs/promises";
import type { Config } from "../../../service/src/config.ts";
import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { parseKeyRing } from "../../../service/src/partners/keys/key-ring.ts";
import { findKeyRing } from "../../../service/src/partners/keys/load-key-ring.ts";
import { lostRing, missingPeppers } from "../../../service/src/partners/keys/require-key-ring.ts";
import type { StoredPepper } from "../../../service/src/partners/keys/stored-peppers-sql.ts";
import { bad, type Diagnosis, good } from "../../../service/src/upkeep/health/diagnosis.ts";
import { judgeRing, KEY_RING as WHAT } from "../../../service/src/upkeep/health/judge-ring.ts";

/** The permission bits of a file mode that are not the owner's. */
const NOT_OWNER = 0o077;

/**
 * Checks that the key ring exists, is readable only by its owner, and is the one under which the stored keys were
 * created.
 */
export async function examineRing(config: Config, stored: readonly StoredPepper[] | null): Promise<Diagnosis> {
	try {
		const found = await findKeyRing(config);
		const keyRing = found === null ? null : parseKeyRing(found.text);
		const missing = missingPeppers(stored ?? [], keyRing);
		const isLost = missing.length > 0 && missing.length === stored?.length;
		if (isLost)
			return bad(WHAT, lostRing(missing, config), "Do not generate another one: the keys would not work with it.");
		if (found === null || keyRing === null) return examineNone(config);
		const ring = `${found.source}, current ${keyRing.current.id}`;
		const incomplete = judgeRing(missing, ring);
		if (!incomplete.ok) return incomplete;
		if (config.secretKeys !== null || ((await stat(found.source)).mode & NOT_OWNER) === 0) return good(WHAT, ring);
		return bad(WHAT, `others may read ${found.source}`, `Run: chmod 600 ${found.source}`);
	} catch (error) {
		const advice =
			stored?.length === 0
				? `${quotedCommand("secrets generate")} generates a valid one.`
				: "Put back the ring under which the keys were created; do not generate another.";
		return bad(WHAT, messageOf(error), advice);
	}
}

function examineNone({ databaseUrl, dataDir }: Config): Diagnosis {
	if (databaseUrl === null) return good(WHAT, `not created yet; the first start creates ${dataDir}/secret-keys`);
	return bad(
		WHAT,
		"HOLDFAST_SECRET_KEYS is not set",
		`Generate a ring once with ${quotedCommand("secrets generate")}, and give every node the line it prints.`,
	);
}
