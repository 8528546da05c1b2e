import type { Command } from "commander";
import type { TrackingReport } from "../upkeep/import/import-tracking.ts";
import { addCommand, type Json } from "./command.ts";
import { EXIT, withStore } from "./context.ts";
import { ORIGIN, withOperatorDeps } from "./orders.ts";
import { plural, print, table } from "./output.ts";
import { addParcelOptions, meantBy, type ParcelOptions, trackingUrlsOf } from "./parcel-options.ts";

export function addTrackingImport(group: Command): void {
	const command = addCommand(
		group,
		"import <file>",
		"ship whole boxes from a CSV file of tracking numbers: order,carrier,service,tracking; a second run changes nothing",
		"ship import tracking.csv",
	);
	addParcelOptions(command).action(async (file: string, options: Json & ParcelOptions) => {
		const { importTracking } = await import("../upkeep/import/import-tracking.ts");
		const { createProgress } = await import("./progress.ts");
		const report = await withStore((context) => {
			context.onInterrupt(() => "boxes that were shipped stay shipped; the same file again ships the rest.");
			return withOperatorDeps(context, async (deps) => {
				const [urls, progress] = [await trackingUrlsOf(context), await createProgress()];
				return await importTracking(deps, file, ORIGIN, { urls, meant: meantBy(options), progress });
			});
		});
		print(report, options.json, () => describe(report));
		if (report.refused > 0) process.exitCode = EXIT.refused;
	});
}

function describe({ shipped, unchanged, refused, items }: TrackingReport): string {
	const sum = `${plural(shipped, "box", "boxes")} shipped, ${unchanged} unchanged, ${refused} refused.`;
	if (items.length === 0) return sum;
	const rows = items.map(({ line, order, outcome, shipment_id, message }) => [
		line,
		order,
		outcome,
		shipment_id ?? message,
	]);
	return `${table(["LINE", "ORDER", "", "BOX"], rows)}\n${sum}`;
}
