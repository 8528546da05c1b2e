/** The factor by which `npm test` is smaller than `npm run guarantees`. */
const EVERYDAY_SHARE = 10;

/** The size of a guarantee test: the full figure with GUARANTEES=full, about a tenth otherwise. */
export const size = (full: number): number =>
	process.env.GUARANTEES === "full" ? full : Math.max(1, Math.ceil(full / EVERYDAY_SHARE));

/** The same for tests where a tenth is too much, or too little to prove anything. */
export const sizeOr = <T>(full: T, everyday: T): T => (process.env.GUARANTEES === "full" ? full : everyday);
