/** The causes of moves whose `cause_id` is the token of a hold, and that the sums of a hold count. */
export const HOLD_CAUSES = [
	"reserve",
	"consume",
	"reverse",
	"release",
	"expire",
	"place",
	"cancel",
	"ship",
	"void",
] as const;
