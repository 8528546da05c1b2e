import { adviceOn } from "../../ground/lib/nearest.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectCodes } from "./list-catalog-sql.ts";

/** What one of each is called. */
const ONE_OF = { brands: "brand", formulas: "formula", products: "product", skus: "SKU" } as const;
/** What of the catalogue is named by a code. */
export type CodedKind = keyof typeof ONE_OF;

/** All codes of a kind, to compare one with that does not exist. */
export const findCodes = (db: Query, kind: CodedKind): Promise<string[]> => selectCodes(db, kind);

/** The sentence that refuses a code that does not exist. */
export const noSuch = async (db: Query, kind: CodedKind, code: string): Promise<string> =>
	`There is no ${ONE_OF[kind]} ${JSON.stringify(code)}: ${adviceOn(code, await findCodes(db, kind), "import it first.")}`;
