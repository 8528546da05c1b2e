import { Command } from "commander";
import { addAudit } from "./cli/audit.ts";
import { addBackup } from "./cli/backup.ts";
import { addCatalog } from "./cli/catalog.ts";
import { addCoa } from "./cli/coa.ts";
import { runProgram } from "./cli/command.ts";
import { addDemand } from "./cli/demand.ts";
import { addEvents } from "./cli/events.ts";
import { addExplain } from "./cli/explain.ts";
import { addHolds } from "./cli/holds.ts";
import { addImport } from "./cli/import.ts";
import { addKeys, addPartners } from "./cli/keys.ts";
import { addOperators } from "./cli/operators.ts";
import { addOrders } from "./cli/orders.ts";
import { addRestore } from "./cli/restore.ts";
import { addRuns } from "./cli/runs.ts";
import { addSandbox } from "./cli/sandbox.ts";
import { addSecrets } from "./cli/secrets.ts";
import { addShip } from "./cli/ship.ts";
import { addConfig, addDoctor, addMigrate, addStart } from "./cli/start.ts";
import { addStock } from "./cli/stock.ts";
import { addVerify } from "./cli/verify.ts";
import { addWebhooks } from "./cli/webhooks.ts";
import { readVersion } from "./ground/lib/version.ts";

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
addKeys(program);
addPartners(program);
addOperators(program);
addAudit(program);
addRuns(program);
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
