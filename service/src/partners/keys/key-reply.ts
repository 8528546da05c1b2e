import { asReply } from "../../ground/lib/as-reply.ts";
import type { ListedKey } from "./list-keys.ts";

/** A key as operators see it. */
export const keyReply = ({ goLiveReport: golive_report, ...key }: ListedKey) => ({ ...asReply(key), golive_report });
