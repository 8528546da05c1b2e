import type { Command } from "commander";
import { type Environment, SCOPES, type Scope } from "../glossary.ts";
import { quotedCommand } from "../ground/lib/typed-command.ts";
import {
	DEFAULT_OVERLAP_HOURS,
	DEFAULT_REQUESTS_PER_MINUTE,
	MAX_HELD_UNITS,
	MAX_OVERLAP_HOURS,
	MAX_REQUESTS_PER_MINUTE,
} from "../partners/keys/limits.ts";
import type { ListedKey } from "../partners/keys/list-keys.ts";
import type { RotatedKey } from "../partners/keys/rotate-key.ts";
import { PRESETS, type Preset, presetOf } from "../partners/keys/scopes.ts";
import { addCommand, type JsonOption } from "./command.ts";
import { type Context, granted, KEY_HINT, withStore } from "./context.ts";
import { choice, instant, wholeNumber } from "./options.ts";
import { print, snake, table } from "./output.ts";

interface MintOptions extends JsonOption {
	readonly name: string;
	readonly partner: string;
	readonly newPartner?: true;
	readonly environment: Environment;
	readonly brand?: string;
	readonly preset?: Preset;
	readonly addScope: readonly Scope[];
	readonly scopes?: readonly Scope[];
	readonly sharedPool?: true;
	readonly requestsPerMinute?: number;
	readonly expiresAt?: Date;
	readonly maxHeldUnits?: number;
}

export function addKeys(program: Command): void {
	const group = program.command("keys").description("the keys that partners call with");
	addMint(group);
	addList(group);
	addRotate(group);
	addSuspend(group);
	addRevoke(group);
}

function addMint(group: Command): void {
	const presets = Object.keys(PRESETS) as Preset[];
	addCommand(
		group,
		"mint",
		"make a key, and its partner if there is none of that name; the token is shown once",
		"keys mint --name web --partner Acme --environment live --brand ACME --preset fulfilment --shared-pool",
	)
		.requiredOption("--name <name>", "its name, unique within the partner")
		.requiredOption("--partner <name>", "the partner's name")
		.option("--new-partner", "make a partner although its name is nearly that of another")
		.requiredOption(
			"--environment <live|sandbox>",
			"live, or sandbox (always bound to the brand SANDBOX)",
			choice("live", "sandbox"),
		)
		.option("--brand <code>", "bind it to this brand; a live key without a brand is unbound")
		.option("--preset <preset>", `its scopes by name: ${presets.join(", ")}`, choice(...presets))
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
			wholeNumber(1, MAX_REQUESTS_PER_MINUTE),
		)
		.option("--expires-at <time>", "refuse the key from this time on", instant)
		.option("--max-held-units <n>", "maximum units in its active holds", wholeNumber(1, MAX_HELD_UNITS))
		.action(async (options: MintOptions, command: Command) => {
			if ((options.preset === undefined) === (options.scopes === undefined)) {
				command.error("error: give either --preset or --scopes");
			}
			if (options.addScope.length > 0 && options.preset === undefined) {
				command.error("error: --add-scope goes with --preset");
			}
			const minted = await withStore((context) => mint(context, options), { mayMake: true });
			print(snake(minted), options.json, () => {
				const endsAt = minted.sandboxEndsAt?.toISOString();
				const ending = minted.sandboxKeysEnding.map((pk) => `The partner's sandbox key ${pk} now ends on ${endsAt}.`);
				const once = "The token is shown only this once: keep it.";
				return [describeKey(options), once, "", `  ${minted.token}`, "", ...ending].join("\n").trimEnd();
			});
		});
}

/** Describes the minted key. Says explicitly when it is a live key without a brand, which has the widest access. */
function describeKey({ name, partner, environment, brand, sharedPool }: MintOptions): string {
	if (environment === "sandbox") return `Key ${name} of ${partner}, for the sandbox.`;
	const stock = brand === undefined ? "for every brand (--brand binds it to one)" : `for the brand ${brand}`;
	return `Live key ${name} of ${partner}, ${stock}${sharedPool ? " and the shared stock" : ""}.`;
}

async function mint({ db, ring }: Context, options: MintOptions) {
	const { mintKey } = await import("../partners/keys/mint-key.ts");
	const { refuseNearName } = await import("../partners/keys/change-partner.ts");
	const { transaction } = await import("../ground/pg/transaction.ts");
	const { name, partner, environment, brand = null, preset, scopes = [], addScope, sharedPool = false } = options;
	const { requestsPerMinute = null, expiresAt = null, maxHeldUnits = null } = options;
	const keys = await ring();
	const request = {
		name,
		partner,
		environment,
		brandCode: brand,
		sharedPool,
		scopes: preset === undefined ? scopes : [...new Set([...PRESETS[preset], ...addScope])],
		requestsPerMinute,
		expiresAt,
		maxHeldUnits,
	};
	if (!options.newPartner) {
		const near = await refuseNearName(db, partner);
		if (near !== null) granted(near, { invalid_input: "With --new-partner it is created anyway." });
	}
	return granted(await transaction(db, (tx) => mintKey(tx, keys, request)));
}

function addList(group: Command): void {
	addCommand(
		group,
		"list",
		"every key with its state, and until when older secrets work beside the newest; never a secret",
		"keys list --json",
	).action(async (options: JsonOption) => {
		const { listKeys } = await import("../partners/keys/list-keys.ts");
		const items = await withStore(({ db }) => listKeys(db));
		print({ items: snake(items) }, options.json, () =>
			items.length === 0 ? `No keys yet: ${quotedCommand("keys mint")} makes one.` : keyTable(items),
		);
	});
}

const keyTable = (keys: readonly ListedKey[]): string =>
	table(
		["PARTNER", "NAME", "KEY", "STATE", "BRAND", "SHARED", "PER MINUTE", "SCOPES", "ENDS", "OLD SECRETS UNTIL"],
		keys.map((key) => [
			key.partner,
			key.name,
			key.pk,
			key.state === "live" ? "active" : key.state,
			key.brandCode,
			key.sharedPool ? "yes" : "no",
			key.requestsPerMinute,
			presetOf(new Set(key.scopes)) ?? `${key.scopes.length} scopes`,
			[key.expiresAt, key.revokeAt]
				.filter((end) => end !== null)
				.toSorted((a, b) => a.getTime() - b.getTime())[0]
				?.toISOString(),
			key.secrets.flatMap(({ expiresAt }) => expiresAt?.toISOString() ?? []).join(", ") || null,
		]),
	);

function addRotate(group: Command): void {
	addCommand(
		group,
		"rotate <pk-or-name>",
		"add a new secret; the old one keeps working for a while",
		"keys rotate web --overlap-hours 48",
	)
		.option(
			"--overlap-hours <n>",
			`hours for which the old secret keeps working (${DEFAULT_OVERLAP_HOURS}); 0 ends every older one at once`,
			wholeNumber(0, MAX_OVERLAP_HOURS),
		)
		.action(async (selector: string, options: { overlapHours?: number; json?: true }) => {
			const { rotateKey } = await import("../partners/keys/rotate-key.ts");
			const { transaction } = await import("../ground/pg/transaction.ts");
			const rotated = await withStore(async ({ db, ring }) => {
				const keys = await ring();
				return granted(await transaction(db, (tx) => rotateKey(tx, keys, selector, options.overlapHours)), KEY_HINT);
			});
			print(snake(rotated), options.json, () =>
				[
					"The new token is shown only this once: keep it.",
					"",
					`  ${rotated.token}`,
					"",
					...tellOldSecrets(rotated, options.overlapHours === 0),
				].join("\n"),
			);
		});
}

/** `atOnce`: the older secrets have no overlap. */
const tellOldSecrets = ({ oldSecrets }: RotatedKey, atOnce: boolean): string[] =>
	oldSecrets.length === 0
		? ["No older secret was in force."]
		: oldSecrets.map(({ createdAt, endsAt }) => {
				const end = `${atOnce ? "ended, for good, at" : "works until"} ${endsAt.toISOString()}`;
				return `The secret that was made at ${createdAt.toISOString()} ${end}.`;
			});

function addSuspend(group: Command): void {
	const states = [
		["suspend", "refuse a key until it is resumed; its holds stay", "suspendKey"],
		["resume", "resume a suspended key", "resumeKey"],
	] as const;
	for (const [name, description, verb] of states) {
		addCommand(group, `${name} <pk-or-name>`, description, `keys ${name} web`).action(
			async (selector: string, options: JsonOption) => {
				const [verbs, { transaction }] = await Promise.all([
					import("../partners/keys/suspend-key.ts"),
					import("../ground/pg/transaction.ts"),
				]);
				const key = await withStore(async ({ db }) =>
					granted(await transaction(db, (tx) => verbs[verb](tx, selector)), KEY_HINT),
				);
				print(snake(key), options.json, () => `${key.pk} is ${key.suspended ? "suspended" : "resumed"}.`);
			},
		);
	}
}

function addRevoke(group: Command): void {
	addCommand(
		group,
		"revoke <pk-or-name>",
		"refuse a key for good, now or at a time",
		"keys revoke web --at 2027-01-01T00:00:00Z",
	)
		.option("--at <time>", "the time (now)", instant)
		.action(async (selector: string, options: { at?: Date; json?: true }) => {
			const { revokeKey } = await import("../partners/keys/suspend-key.ts");
			const { transaction } = await import("../ground/pg/transaction.ts");
			const key = await withStore(async ({ db }) =>
				granted(await transaction(db, (tx) => revokeKey(tx, selector, options.at ?? null)), KEY_HINT),
			);
			print(snake(key), options.json, () => `${key.pk} is refused from ${key.revokeAt.toISOString()} on.`);
		});
}

export function addPartners(program: Command): void {
	const group = program.command("partners").description("the partners that keys belong to");
	addCommand(group, "list", "every partner, with how many keys and webhook endpoints it has", "partners list").action(
		async ({ json }: JsonOption) => {
			const { listPartners } = await import("../partners/keys/change-partner.ts");
			const items = await withStore(({ db }) => listPartners(db));
			print({ items: snake(items) }, json, () =>
				table(
					["PARTNER", "KEYS", "ENDED KEYS", "ENDPOINTS", "SINCE"],
					items.map((one) => [one.name, one.keys, one.endedKeys, one.endpoints, one.createdAt]),
				),
			);
		},
	);
	addCommand(
		group,
		"rename <partner> <name>",
		"give a partner another name; its keys, orders and endpoints stay",
		"partners rename 'Nort Web Shop' 'North Web Shop'",
	).action(async (partner: string, name: string, { json }: JsonOption) => {
		const { changePartnerName } = await import("../partners/keys/change-partner.ts");
		const { transaction } = await import("../ground/pg/transaction.ts");
		const renamed = await withStore(async ({ db }) =>
			granted(await transaction(db, (tx) => changePartnerName(tx, partner, name))),
		);
		print(snake(renamed), json, () => `${partner} is called ${renamed.name} now.`);
	});
}
