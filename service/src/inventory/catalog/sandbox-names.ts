/** SKUs that the sandbox creates and restocks itself; no import may name them (settlements, section 10). */
export const SANDBOX_SKUS = [
	"SBX-PLENTY",
	"SBX-LOW",
	"SBX-OUT",
	"SBX-KIT",
	"SBX-KIT-SHORT",
	"SBX-FEE",
	"SBX-ARCHIVED",
	"SBX-EXPIRED",
	"SBX-RETRY",
	"SBX-HELD",
] as const;
export const SANDBOX_FORMULAS = [
	"SBX-PLENTY",
	"SBX-LOW",
	"SBX-OUT",
	"SBX-PART-A",
	"SBX-PART-B",
	"SBX-PART-SHORT",
	"SBX-ARCHIVED",
	"SBX-EXPIRED",
	"SBX-RETRY",
	"SBX-HELD",
] as const;
