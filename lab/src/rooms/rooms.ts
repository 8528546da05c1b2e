import { openBackups } from "./backups/neighbours.ts";
import { BACKUP_ORACLE } from "./backups/oracle.ts";
import { BACKUP_CHORES } from "./backups/workload.ts";
import { CERTIFICATE_ORACLE } from "./certificates/oracle.ts";
import { CERTIFICATE_CHORES } from "./certificates/workload.ts";
import { HOLD_ORACLE } from "./holds/oracle.ts";
import { HOLD_OPERATIONS } from "./holds/workload.ts";
import { KEY_ORACLE } from "./keys/oracle.ts";
import { KEY_CHORES } from "./keys/workload.ts";
import { ORDER_CHORES } from "./orders/chores.ts";
import { ORDER_ORACLE } from "./orders/oracle.ts";
import { ORDER_OPERATIONS } from "./orders/workload.ts";
import { openReaders } from "./readers/neighbours.ts";
import { READER_ORACLE } from "./readers/oracle.ts";
import type { Room } from "./room.ts";
import { STOCK_CHORES } from "./stock/chores.ts";
import { STOCK_ORACLE } from "./stock/oracle.ts";
import { STOCK_OPERATIONS } from "./stock/workload.ts";
import { openWebhooks } from "./webhooks/neighbours.ts";
import { WEBHOOK_ORACLE } from "./webhooks/oracle.ts";
import { WEBHOOK_OPERATIONS } from "./webhooks/workload.ts";

/** The rooms of a run. A new one is added here; everything else follows. */
export const ROOMS: readonly Room[] = [
	{ name: "stock", operations: STOCK_OPERATIONS, chores: STOCK_CHORES, oracle: STOCK_ORACLE },
	{ name: "holds", operations: HOLD_OPERATIONS, chores: [], oracle: HOLD_ORACLE },
	{ name: "orders", operations: ORDER_OPERATIONS, chores: ORDER_CHORES, oracle: ORDER_ORACLE },
	{ name: "certificates", operations: [], chores: CERTIFICATE_CHORES, oracle: CERTIFICATE_ORACLE },
	{ name: "keys", operations: [], chores: KEY_CHORES, oracle: KEY_ORACLE },
	{ name: "webhooks", operations: WEBHOOK_OPERATIONS, chores: [], oracle: WEBHOOK_ORACLE, open: openWebhooks },
	{ name: "readers", operations: [], chores: [], oracle: READER_ORACLE, open: openReaders },
	{ name: "backups", operations: [], chores: BACKUP_CHORES, oracle: BACKUP_ORACLE, open: openBackups },
];
