import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import type { Rekeyed } from "../../../service/src/partners/webhooks/rekey-secrets.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { print, table } from "../terminal/output.ts";
import { withStore } from "./context.ts";

export function addSecrets(program: Command): void {
	const group = program.command("secrets").description("the key ring under which secrets are stored");
	addCommand(group, "generate", "generate a key ring; give every node the line it prints", "secrets generate").action(
		async (options: JsonOption) => {
			const { newKeyRingEntry } = await import("../../../service/src/partners/keys/key-ring.ts");
			const value = newKeyRingEntry();
			print({ variable: "HOLDFAST_SECRET_KEYS", value }, options.json, () => `HOLDFAST_SECRET_KEYS=${value}`);
		},
	);
	addCommand(
		group,
		"rekey",
		"encrypt the secrets of webhooks under the current entry of the key ring; lists the secrets that still use an old one",
		"secrets rekey",
	).action(async (options: JsonOption) => {
		const { rekeySecrets } = await import("../../../service/src/partners/webhooks/rekey-secrets.ts");
		const done = await withStore(async ({ db, ring }) => rekeySecrets(db, await ring()));
		print(rekeyedDocument(done), options.json, () => rekeyedLines(done));
	});
}

const rekeyedDocument = ({ current, rekeyed, unreadable, uses }: Rekeyed) => ({
	current,
	rekeyed,
	unreadable,
	uses: uses.map(({ ringId, inRing, webhookSecrets, keySecrets, keys, tokens }) => ({
		ring_id: ringId,
		in_ring: inRing,
		webhook_secrets: webhookSecrets,
		key_secrets: keySecrets,
		keys,
		tokens,
	})),
});

function rekeyedLines({ current, rekeyed, unreadable, uses }: Rekeyed): string {
	const lines = [`${rekeyed} secrets of webhooks are now under "${current}", the current entry.`];
	if (unreadable > 0) {
		lines.push(
			`${unreadable} cannot be read: the ring lacks their entry. Put it back, or rotate these endpoints' secrets.`,
		);
	}
	const rows = uses.map(({ ringId, inRing, webhookSecrets, keySecrets, keys, tokens }) => [
		ringId,
		ringId === current ? "current" : inRing ? "old" : "MISSING",
		webhookSecrets,
		keySecrets,
		tokens.length,
		ringId === current ? null : [...keys, ...tokens].join(", "),
	]);
	lines.push("", table(["ENTRY", "", "WEBHOOK SECRETS", "KEY SECRETS", "TOKENS", "KEYS AND TOKENS"], rows));
	const old = uses.filter(({ ringId, keySecrets, tokens }) => ringId !== current && keySecrets + tokens.length > 0);
	if (old.length > 0) {
		const rotate = quotedCommand("keys rotate");
		lines.push(
			"",
			`Secrets of keys and tokens are stored as digests only: ${rotate} moves a key to the current entry; a token must be replaced by a new one. Keep the old entry until then.`,
		);
	}
	return lines.join("\n");
}
