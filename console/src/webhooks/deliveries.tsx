import type { ReactNode } from "react";
import { hasRole, type Me } from "../app/roles.ts";
import { Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { DeliveryList } from "./delivery-list.tsx";

/** What was sent to every endpoint, the newest first. */
export default function Deliveries({ me }: { me: Me }): ReactNode {
	return (
		<Page title={words.deliveries.title}>
			<DeliveryList
				mayResend={hasRole(me, "operator")}
				empty={{ title: words.deliveries.empty, hint: words.deliveries.emptyHint }}
			/>
		</Page>
	);
}
