import { Command } from "commander";
import { readVersion } from "../../service/src/ground/lib/version.ts";
import { addAudit } from "./commands/audit.ts";
import { addBackup } from "./commands/backup.ts";
import { addCatalog } from "./commands/catalog.ts";
import { addCoa } from "./commands/coa.ts";
import { addDemand } from "./commands/demand.ts";
import { addEvents } from "./commands/events.ts";
import { addExplain } from "./commands/explain.ts";
import { addExport } from "./commands/export.ts";
import { addHolds } from "./commands/holds.ts";
import { addImport } from "./commands/import.ts";
import { addKeys, addPartners } from "./commands/keys.ts";
import { addOperators } from "./commands/operators.ts";
import { addOrders } from "./commands/orders.ts";
import { addOverview } from "./commands/overview.ts";
import { addRuns } from "./commands/runs.ts";
import { addSandbox } from "./commands/sandbox.ts";
import { addShip } from "./commands/ship.ts";
import { addStock } from "./commands/stock.ts";
import { addVerify } from "./commands/verify.ts";
import { addWebhooks } from "./commands/webhooks.ts";
import { addRestore } from "./offline/restore.ts";
import { addSecrets } from "./offline/secrets.ts";
import { addConfig, addDoctor, addMigrate, addStart } from "./offline/start.ts";
import { runProgram } from "./terminal/command.ts";

const program = new Command("holdfast")
	.description(
		"Holdfast: live availability, holds and consumes over lots. Commands work beside a running service and without one.",
	)
	.version(readVersion(), "--version", "print the version of this build")
	.configureHelp({ showGlobalOptions: true })
	.exitOverride()
	.enablePositionalOptions() // an option belongs to the command it follows, at every level
	.addHelpText(
		"after",
		"\nEvery command but start takes --json; a failure is then printed as JSON too. Exit codes: 0 done, 1 refused or a problem found, 2 wrong usage, 130 interrupted.\nMore: docs/operator/",
	);
addStart(program);
addMigrate(program);
addImport(program);
addExport(program);
addKeys(program);
addPartners(program);
addOperators(program);
addAudit(program);
addRuns(program);
addOverview(program);
addStock(program);
addCatalog(program);
addDemand(program);
addHolds(program);
addOrders(program);
addShip(program);
addCoa(program);
addEvents(program);
addWebhooks(program);
addSandbox(program);
addExplain(program);
addVerify(program);
addBackup(program);
addRestore(program);
addConfig(program);
addSecrets(program);
addDoctor(program);
await runProgram(program, process.argv);
