import { randomBytes } from "node:crypto";

/** A word that no other text has. */
export const newWord = (): string => `qz${randomBytes(6).toString("hex")}q`;

/** A customer whose every text has the mark. */
export const customerOf = (mark: string, country = "US") => ({
	name: `Ada ${mark}`,
	email: `${mark}@example.com`,
	phone: `+1 555 ${mark}`,
	ship_to: {
		name: `Post room ${mark}`,
		company: `Example ${mark}`,
		line1: `1 ${mark} Street`,
		line2: `Floor ${mark}`,
		city: `City ${mark}`,
		state: `OR ${mark}`,
		postal_code: `97201 ${mark}`,
		country,
	},
});
