import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { DEFAULT_OVERLAP_HOURS, DEFAULT_REQUESTS_PER_MINUTE } from "../../../service/src/partners/keys/limits.ts";
import { presetOf } from "../../../service/src/partners/keys/scopes.ts";
import { callOperator, type DataOfCall, type ItemOf, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, instant, within } from "../terminal/options.ts";
import { print, tableOf } from "../terminal/output.ts";

const { environment: ENVIRONMENTS, preset: PRESETS, scopes: SCOPES, ...MINT } = FIELDS.mint_key;
type Scope = (typeof SCOPES)[number];

/** The hint for a key that does not exist. */
export const KEY_HINT = { not_found: `${quotedCommand("keys list")} shows them all.` } as const;

interface MintOptions extends JsonOption {
	readonly name: string;
	readonly partner: string;
	readonly newPartner?: true;
	readonly environment: (typeof ENVIRONMENTS)[number];
	readonly brand?: string;
	readonly preset?: (typeof PRESETS)[number];
	readonly addScope: readonly Scope[];
	readonly scopes?: readonly Scope[];
	readonly sharedPool?: true;
	readonly requestsPerMinute?: number;
	readonly expiresAt?: Date;
	readonly maxHeldUnits?: number;
}

export function addKeys(program: Command): void {
	const group = program.command("keys").description("the keys with which partners call the API");
	addMint(group);
	addList(group);
	addRotate(group);
	addSuspend(group);
	addRevoke(group);
}

function addMint(group: Command): void {
	addCommand(
		group,
		"mint",
		"create a key, and its partner if there is none of that name; the token is shown once",
		"keys mint --name web --partner Acme --environment live --brand ACME --preset fulfilment --shared-pool",
	)
		.requiredOption("--name <name>", "its name, unique within the partner")
		.requiredOption("--partner <name>", "the partner's name")
		.option("--new-partner", "create a partner although its name is nearly that of another")
		.requiredOption(
			"--environment <live|sandbox>",
			"live, or sandbox (always bound to the brand SANDBOX)",
			choice(...ENVIRONMENTS),
		)
		.option("--brand <code>", "bind it to this brand; a live key without a brand is unbound")
		.option("--preset <preset>", `its scopes by name: ${PRESETS.join(", ")}`, choice(...PRESETS))
		.option("--scopes <scope,…>", `its scopes, separated by commas: ${SCOPES.join(", ")}`, (text: string) =>
			text.split(",").map(choice(...SCOPES)),
		)
		.option(
			"--add-scope <scope…>",
			"scopes beyond those of --preset",
			(text: string, before: Scope[]) => [...before, ...text.split(",").map(choice(...SCOPES))],
			[] as Scope[],
		)
		.option("--shared-pool", "let it draw on the shared pool")
		.option(
			"--requests-per-minute <n>",
			`requests in any 60 seconds (${DEFAULT_REQUESTS_PER_MINUTE})`,
			within(MINT.requests_per_minute),
		)
		.option("--expires-at <time>", "refuse the key from this time on", instant)
		.option("--max-held-units <n>", "maximum number of units in its active holds", within(MINT.max_held_units))
		.action(async (options: MintOptions, command: Command) => {
			if ((options.preset === undefined) === (options.scopes === undefined)) {
				command.error("error: give either --preset or --scopes");
			}
			if (options.addScope.length > 0 && options.preset === undefined) {
				command.error("error: --add-scope goes with --preset");
			}
			const minted = await callOperator("mint_key", { body: mintRequest(options) });
			print(minted, options.json, () => {
				const ending = minted.sandbox_keys_ending.map(
					(pk) => `The partner's sandbox key ${pk} now ends on ${minted.sandbox_ends_at}.`,
				);
				const once = "The token is shown only this once: keep it.";
				return [describeKey(options), once, "", `  ${minted.token}`, "", ...ending].join("\n").trimEnd();
			});
		});
}

const mintRequest = ({ name, partner, environment, preset, scopes, addScope, ...more }: MintOptions) => ({
	name,
	partner,
	environment,
	...(preset === undefined ? { scopes } : { preset, scopes: addScope.length === 0 ? undefined : addScope }),
	brand_code: more.brand,
	shared_pool: more.sharedPool,
	new_partner: more.newPartner,
	requests_per_minute: more.requestsPerMinute,
	max_held_units: more.maxHeldUnits,
	expires_at: more.expiresAt?.toISOString(),
});

/** Describes the minted key. Says explicitly when it is a live key without a brand, which has the widest access. */
function describeKey({ name, partner, environment, brand, sharedPool }: MintOptions): string {
	if (environment === "sandbox") return `Key ${name} of ${partner}, for the sandbox.`;
	const stock = brand === undefined ? "for every brand (--brand binds it to one)" : `for the brand ${brand}`;
	return `Live key ${name} of ${partner}, ${stock}${sharedPool ? " and the shared stock" : ""}.`;
}

function addList(group: Command): void {
	addCommand(
		group,
		"list",
		"every key with its state and, after a rotation, the time at which older secrets stop working; secrets are never shown",
		"keys list --json",
	).action(async (options: JsonOption) => {
		const list = await listItems("list_keys", {});
		print(list, options.json, () =>
			list.items.length === 0 ? `No keys yet: ${quotedCommand("keys mint")} creates one.` : keyTable(list.items),
		);
	});
}

const keyTable = (keys: readonly ItemOf<"list_keys">[]): string =>
	tableOf(keys, {
		PARTNER: "partner",
		NAME: "name",
		KEY: "pk",
		STATE: ({ state }) => (state === "live" ? "active" : state),
		BRAND: "brand_code",
		SHARED: (key) => (key.shared_pool ? "yes" : "no"),
		"PER MINUTE": "requests_per_minute",
		SCOPES: ({ scopes }) => presetOf(new Set(scopes)) ?? `${scopes.length} scopes`,
		ENDS: (key) => [key.expires_at, key.revoke_at].filter((end) => end !== null).toSorted()[0],
		"OLD SECRETS UNTIL": ({ secrets }) => secrets.flatMap(({ expires_at: end }) => end ?? []).join(", ") || null,
	});

function addRotate(group: Command): void {
	addCommand(
		group,
		"rotate <pk-or-name>",
		"add a new secret; the old one keeps working for a while",
		"keys rotate web --overlap-hours 48",
	)
		.option(
			"--overlap-hours <n>",
			`hours for which the old secret keeps working (${DEFAULT_OVERLAP_HOURS}); 0 ends every older one immediately`,
			within(FIELDS.rotate_key.overlap_hours),
		)
		.action(async (selector: string, options: { overlapHours?: number; json?: true }) => {
			const { overlapHours } = options;
			const asked = { params: { pk: selector }, body: { overlap_hours: overlapHours } };
			const rotated = await callOperator("rotate_key", asked, KEY_HINT);
			print(rotated, options.json, () =>
				[
					"The new token is shown only this once: keep it.",
					"",
					`  ${rotated.token}`,
					"",
					...describeOldSecrets(rotated.old_secrets, overlapHours === 0),
				].join("\n"),
			);
		});
}

type OldSecrets = DataOfCall<"rotate_key">["old_secrets"];

/** `atOnce`: the older secrets have no overlap. */
const describeOldSecrets = (secrets: OldSecrets, atOnce: boolean): string[] =>
	secrets.length === 0
		? ["No older secret was in force."]
		: secrets.map(({ created_at: madeAt, ends_at: endsAt }) => {
				const end = `${atOnce ? "ended, for good, at" : "works until"} ${endsAt}`;
				return `The secret that was created at ${madeAt} ${end}.`;
			});

function addSuspend(group: Command): void {
	const states = [
		["suspend", "refuse a key until it is resumed; its holds stay", "suspend_key", "suspended"],
		["resume", "resume a suspended key", "resume_key", "resumed"],
	] as const;
	for (const [name, description, operation, done] of states) {
		addCommand(group, `${name} <pk-or-name>`, description, `keys ${name} web`)
			.option("--reason <text>", "the reason, for the audit log")
			.action(async (selector: string, { reason, json }: { reason?: string; json?: true }) => {
				const key = await callOperator(operation, { params: { pk: selector }, body: { reason } }, KEY_HINT);
				print(key, json, () => `${key.pk} is ${done}.`);
			});
	}
}

function addRevoke(group: Command): void {
	addCommand(
		group,
		"revoke <pk-or-name>",
		"refuse a key for good, now or from a given time",
		"keys revoke web --at 2027-01-01T00:00:00Z",
	)
		.option("--at <time>", "the time (now)", instant)
		.option("--reason <text>", "the reason, for the audit log")
		.action(async (selector: string, options: { at?: Date; reason?: string; json?: true }) => {
			const body = { at: options.at?.toISOString(), reason: options.reason };
			const key = await callOperator("revoke_key", { params: { pk: selector }, body }, KEY_HINT);
			print(key, options.json, () => `${key.pk} is refused from ${key.revoke_at} on.`);
		});
}

export function addPartners(program: Command): void {
	const group = program.command("partners").description("the partners that keys belong to");
	addCommand(group, "list", "every partner, with the number of its keys and webhook endpoints", "partners list").action(
		async ({ json }: JsonOption) => {
			const list = await listItems("list_partners", {});
			print(list, json, () =>
				tableOf(list.items, {
					PARTNER: "name",
					KEYS: "keys",
					"ENDED KEYS": "ended_keys",
					ENDPOINTS: "endpoints",
					SINCE: "created_at",
				}),
			);
		},
	);
	addCommand(
		group,
		"rename <partner> <name>",
		"give a partner another name; its keys, orders and endpoints stay",
		"partners rename 'Nort Web Shop' 'North Web Shop'",
	).action(async (partner: string, name: string, { json }: JsonOption) => {
		const renamed = await callOperator("rename_partner", { params: { partner_id: partner }, body: { name } });
		print(renamed, json, () => `${partner} is called ${renamed.name} now.`);
	});
}
