/** One prerequisite of a start. */
export interface Diagnosis {
	readonly what: string;
	readonly ok: boolean;
	readonly found: string;
	/** How to correct it. */
	readonly advice: string | null;
}

export const good = (what: string, found: string): Diagnosis => ({ what, ok: true, found, advice: null });
export const bad = (what: string, found: string, advice: string): Diagnosis => ({ what, ok: false, found, advice });
