import type { Command } from "commander";
import { addCommand, type Json } from "./command.ts";
import { granted, withStore } from "./context.ts";
import { print, snake, table } from "./output.ts";

export function addPartners(program: Command): void {
	const group = program.command("partners").description("who the keys belong to");
	addCommand(group, "list", "every partner, with how many keys and webhook endpoints it has", "partners list").action(
		async ({ json }: Json) => {
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
	).action(async (partner: string, name: string, { json }: Json) => {
		const { changePartnerName } = await import("../partners/keys/change-partner.ts");
		const { transaction } = await import("../ground/pg/transaction.ts");
		const renamed = await withStore(async ({ db }) =>
			granted(await transaction(db, (tx) => changePartnerName(tx, partner, name))),
		);
		print(snake(renamed), json, () => `${partner} is called ${renamed.name} now.`);
	});
}
