import type { ReactNode } from "react";
import { Link } from "react-router";

/** Leads to the page on which an order is packed. */
export const PackLink = ({ id, name }: { id: string; name: string }): ReactNode => (
	<Link to={`/warehouse/orders/${id}`}>{name}</Link>
);
