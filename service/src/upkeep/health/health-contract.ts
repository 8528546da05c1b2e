import Type from "typebox";
import { adminOperation } from "../../partners/admin/operation.ts";
import { OrNull, ReplyObject } from "../../partners/http/text.ts";

const HealthFinding = ReplyObject("HealthFinding", {
	what: Type.String({ description: "What was checked." }),
	ok: Type.Boolean({ description: "Nothing needs to be done." }),
	found: Type.String({ description: "What was found." }),
	advice: OrNull(Type.String({ description: "What to do about it; null: nothing." })),
});

const Health = ReplyObject("Health", {
	ok: Type.Boolean({ description: "Every check passed." }),
	findings: Type.Array(HealthFinding, { description: "One for each check, or for each problem that a check found." }),
});

export const GetHealth = adminOperation({
	id: "get_health",
	method: "GET",
	path: "/admin/api/v1/health",
	summary: "Check what the service depends on",
	description:
		"Checks Node, the database (version, clock, durability, migrations), background jobs, settings that nodes must have in common, the key ring, and the disk of an embedded database, and says what to do about each problem. `/readyz` says whether this node serves; this says what will be wrong soon, too.",
	replies: { 200: Health },
	examples: {
		replies: {
			200: {
				ok: false,
				findings: [
					{ what: "database", ok: true, found: "PostgreSQL 17.6, at HOLDFAST_DATABASE_URL", advice: null },
					{
						what: "clocks",
						ok: false,
						found: "the clocks of this machine and the database differ by 7.204 s",
						advice:
							"Holds and keys follow the database's clock; synchronize both clocks by NTP so that log times can be compared.",
					},
				],
			},
		},
	},
});
