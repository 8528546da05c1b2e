import { openDatabase } from "../../src/ground/pg/connect.ts";
import { eraseDueOrders } from "../../src/upkeep/customers/erase-orders.ts";

/* A node that only erases customers' data, once, for tests that kill it. Its arguments: the database, the days. */

const [url = "", days = ""] = process.argv.slice(2);
const db = openDatabase(url, { max: 1, name: "eraser", answerWithinMs: 60_000 });
console.log(await eraseDueOrders(db, Number(days), new AbortController().signal));
await db.close();
