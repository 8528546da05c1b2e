/** What a check of the doctor found. */
export interface Finding {
	readonly check: string;
	readonly verdict: "ok" | "warn" | "fail";
	readonly says: string;
	/** What to do; null: nothing. */
	readonly cure: string | null;
}

export const ok = (check: string, says: string): Finding => ({ check, verdict: "ok", says, cure: null });
export const warn = (check: string, says: string, cure: string): Finding => ({ check, verdict: "warn", says, cure });
export const fail = (check: string, says: string, cure: string): Finding => ({ check, verdict: "fail", says, cure });
