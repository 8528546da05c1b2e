import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { addressOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Table } from "../parts/list.tsx";
import { Empty, Facts, Failed, Loading, Page, Problem, State } from "../parts/page.tsx";
import { sizeText } from "../parts/size.ts";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { CertificateActions } from "./certificate-actions.tsx";
import { Labels } from "./labels.tsx";
import { OnlyHere } from "./only-here.tsx";
import { type Certificate, CertificateState } from "./state.tsx";

/** One certificate: its facts and PDF, what a buyer sees, its lots, and how it is published or withdrawn. */
export default function CertificatePage({ me }: { me: Me }): ReactNode {
	const { slug = "", batch = "" } = useParams();
	const { data: one, error, refetch } = useRead("get_certificate", { params: { slug, batch } });
	const retry = (): void => void refetch();
	if (one === undefined) {
		return error === null ? <Loading /> : <Failed title={words.certificates.title} error={error} retry={retry} />;
	}
	const mayPrint = hasRole(me, "warehouse") && one.status !== "retired";
	return (
		<Page
			title={words.certificate.title(one.product_name, one.batch_number)}
			actions={
				<>
					{mayPrint ? <Labels batches={[one.batch_number]} /> : null}
					{hasRole(me, "operator") ? <CertificateActions of={one} /> : null}
				</>
			}
		>
			<Problem error={error} retry={retry} />
			<p>
				<CertificateState status={one.status} /> {words.certificates.meanings[one.status]}
			</p>
			<CertificateFacts of={one} />
			<Buyers of={one} />
			<Lots of={one} />
			<History of={one} />
		</Page>
	);
}

const CertificateFacts = ({ of: one }: { of: Certificate }): ReactNode => (
	<Facts
		facts={[
			[words.certificates.product, one.product_name],
			[words.certificates.batch, one.batch_number],
			[words.certificates.tested, one.tested_on],
			[words.certificates.lab, one.lab_name],
			[words.certificate.purity, one.purity_pct === null ? null : words.certificate.percent(one.purity_pct)],
			[words.certificate.vialSize, one.vial_size],
			[words.certificate.environment, words.certificate.environments[one.environment]],
			[
				words.certificate.pdf,
				one.certificate_url === null ? (
					`${sizeText(one.size)}. ${one.status === "draft" ? words.certificate.noPdf : ""}`
				) : (
					<>
						<a href={one.certificate_url} target="_blank" rel="noreferrer">
							{words.certificate.openPdf}
						</a>
						, {sizeText(one.size)}
					</>
				),
			],
			[words.certificate.published, one.published_at === null ? null : <Moment at={one.published_at} />],
			[
				words.certificate.changed,
				<>
					<Moment at={one.updated_at} /> {words.certificate.changedBy(one.changed_by)}
				</>,
			],
			...(one.retired_at === null
				? []
				: ([
						[words.certificate.retired, <Moment key="retired" at={one.retired_at} />],
						[words.certificate.reason, one.retire_reason],
					] as const)),
		]}
	/>
);

/** The page for buyers, and the code on the label that leads to it. */
function Buyers({ of: { slug, batch_number, verify_url } }: { of: Certificate }): ReactNode {
	const qr = addressOf("get_certificate_qr", { params: { slug, batch: batch_number } });
	return (
		<section>
			<h2>{words.certificate.buyers}</h2>
			<p>
				<a href={verify_url} target="_blank" rel="noreferrer">
					{words.certificate.openBuyers}
				</a>
			</p>
			<OnlyHere verify_url={verify_url} />
			<img className="qr" src={qr} alt={words.certificate.qrAlt(batch_number)} width={160} height={160} />
			<p>
				<a href={qr} download={`${batch_number}.svg`}>
					{words.certificate.saveQr}
				</a>{" "}
				<span className="quiet">{words.certificate.qrHint}</span>
			</p>
		</section>
	);
}

function Lots({ of: { lots } }: { of: Certificate }): ReactNode {
	if (lots.length === 0) return <Empty title={words.certificate.noLots} hint={words.certificate.noLotsHint} />;
	return (
		<Table
			caption={words.certificate.lots}
			rows={lots}
			keyOf={({ fg_id }) => fg_id}
			columns={[
				{
					head: words.certificate.formula,
					cell: ({ fg_id, formula }) => <Link to={`/stock/${fg_id}`}>{formula}</Link>,
				},
				{ head: words.certificate.pool, cell: ({ brand_code }) => brand_code ?? words.stock.shared },
				{
					head: words.certificate.sale,
					cell: ({ recalled }) =>
						recalled ? <State word={words.certificate.recalled} tone="bad" /> : words.certificate.onSale,
				},
			]}
		/>
	);
}

/** The certificates that the batch had before, if this one is not its first. */
function History({ of: { slug, batch_number } }: { of: Certificate }): ReactNode {
	const { data } = useRead("list_certificates", { query: { product: slug, batch_number, limit: 50 } });
	if (data === undefined || data.items.length < 2) return null;
	return (
		<Table
			caption={words.certificate.history}
			rows={data.items}
			keyOf={({ certificate_id }) => certificate_id}
			columns={[
				{ head: words.certificates.state, cell: ({ status }) => <CertificateState status={status} /> },
				{ head: words.certificate.published, cell: ({ published_at }) => <Moment at={published_at} /> },
				{ head: words.certificate.retired, cell: ({ retired_at }) => <Moment at={retired_at} /> },
				{ head: words.certificate.reason, cell: ({ retire_reason }) => retire_reason },
			]}
		/>
	);
}
