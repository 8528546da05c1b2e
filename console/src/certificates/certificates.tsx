import type { ReactNode } from "react";
import { Link } from "react-router";
import { hasRole, type Me } from "../app/roles.ts";
import { List } from "../parts/list.tsx";
import { Page, State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { type Certificate, CertificateState, certificateAt } from "./state.tsx";

const STATES = Object.entries(words.certificates.states);

/** All certificates by product and batch number: drafts and retired ones, too. */
export default function Certificates({ me }: { me: Me }): ReactNode {
	const add = (
		<Link className="button main" to="/certificates/new">
			{words.certificates.add}
		</Link>
	);
	return (
		<Page title={words.certificates.title} actions={hasRole(me, "operator") ? add : undefined}>
			<List
				id="list_certificates"
				caption={words.certificates.title}
				filters={[
					{ name: "q", label: words.certificates.q },
					{ name: "status", label: words.certificates.state, options: STATES },
				]}
				keyOf={({ certificate_id }) => certificate_id}
				empty={{ title: words.certificates.empty, hint: words.certificates.emptyHint }}
				emptyFiltered={words.certificates.emptyFiltered}
				columns={[
					{
						head: words.certificates.batch,
						cell: (one) => <Link to={certificateAt(one)}>{one.batch_number}</Link>,
					},
					{ head: words.certificates.product, cell: ({ product_name }) => product_name },
					{ head: words.certificates.state, cell: ({ status }) => <CertificateState status={status} /> },
					{ head: words.certificates.tested, cell: ({ tested_on }) => tested_on },
					{ head: words.certificates.lab, cell: ({ lab_name }) => lab_name },
					{ head: words.certificates.lots, cell: ({ lots }) => <Lots lots={lots} /> },
				]}
			/>
		</Page>
	);
}

/** How many lots a certificate covers. A recalled lot, or no lot at all, is pointed out. */
function Lots({ lots }: Pick<Certificate, "lots">): ReactNode {
	if (lots.length === 0) return <State word={words.certificates.noLot} tone="bad" />;
	const isRecalled = lots.some(({ recalled }) => recalled);
	return (
		<>
			{lots.length} {isRecalled ? <State word={words.certificates.recalled} tone="bad" /> : null}
		</>
	);
}
