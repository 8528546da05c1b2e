import type { Command } from "commander";
import { addCommand } from "./command.ts";
import { granted, KEY_HINT, withStore } from "./context.ts";
import { plural, print, snake } from "./output.ts";

/** Adds `ship report` to the group `ship`, which it creates if needed. */
export function addShipReport(program: Command): void {
	const group =
		program.commands.find((command) => command.name() === "ship") ??
		program.command("ship").description("boxes, and what leaves in them");
	addCommand(
		group,
		"report",
		"record that the units which a partner consumed under a reference were shipped; they can no longer be given back",
		"ship report --key web --external-ref SALE-1041",
	)
		.requiredOption("--key <pk-or-name>", "the key that consumed it")
		.requiredOption("--external-ref <reference>", "the reference of the consume")
		.action(async ({ key, externalRef, json }: { key: string; externalRef: string; json?: true }) => {
			const { selectKey } = await import("../partners/keys/select-key.ts");
			const shipped = await withStore(async ({ db, withEngine }) => {
				const { keyId } = granted(await selectKey(db, key), KEY_HINT);
				const origin = { actor: "operator:cli", requestId: null };
				return await withEngine(async (engine) =>
					granted(await engine.execute({ kind: "shipConsumed", origin, keyId, externalRef })),
				);
			});
			const { token: reservationToken, shippedUnits, idempotent } = shipped;
			print(
				snake({ reservationToken, externalRef, shippedUnits, idempotent }),
				json,
				() =>
					`${plural(shippedUnits, "unit")} shipped under ${externalRef}${idempotent ? ", as reported before" : ""}.`,
			);
		});
}
