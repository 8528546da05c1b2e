import type { ReactNode } from "react";

interface Tracked {
	readonly carrier_code: string | null;
	readonly service_code: string | null;
	readonly tracking_number: string | null;
	readonly tracking_url: string | null;
}

/** The carrier and the tracking number of a box, which leads to the carrier's page if there is one. */
export const TrackingLink = ({ box }: { box: Tracked }): ReactNode => {
	const carrier = [box.carrier_code, box.service_code].filter(Boolean).join(" ");
	return (
		<>
			{carrier}{" "}
			{box.tracking_url === null ? (
				box.tracking_number
			) : (
				<a href={box.tracking_url} target="_blank" rel="noreferrer">
					{box.tracking_number}
				</a>
			)}
		</>
	);
};
