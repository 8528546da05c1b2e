import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";

/** Where a parcel goes, line by line as on its label. */
export const Address = ({ customer }: { customer: DataOf<"get_order">["customer"] }): ReactNode => {
	const { name, company, line1, line2, city, state, postal_code, country } = customer.ship_to;
	const lines = [
		name ?? customer.name,
		company,
		line1,
		line2,
		[city, state, postal_code].filter(Boolean).join(", "),
		country,
		customer.phone,
	];
	return (
		<address>
			{lines.filter(Boolean).map((line, index) => (
				<span key={`${index} ${line}`} className="address-line">
					{line}
				</span>
			))}
		</address>
	);
};
