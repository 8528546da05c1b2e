import type { Query } from "../../ground/pg/connect.ts";
import { selectIsReported } from "./orders-sql.ts";
import { fullReference, type OrderName } from "./report.ts";

export const isReported = (db: Query, name: OrderName): Promise<boolean> => selectIsReported(db, fullReference(name));
