import type { Query } from "../../ground/pg/connect.ts";

interface NoticedEndpoint {
	readonly endpointId: string;
	readonly url: string;
	readonly partner: string;
	readonly environment: string;
	readonly pending: number;
}

/** The facts about an endpoint in a mail. */
export async function selectNoticed(db: Query, endpointId: string): Promise<NoticedEndpoint | null> {
	const { rows } = await db.query<NoticedEndpoint>(
		`select endpoint_id as "endpointId", url, p.name as partner, environment,
		        (select count(*) from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending') as pending
		   from webhook_endpoint w join partner p using (partner_id) where endpoint_id = $1`,
		[endpointId],
	);
	return rows[0] ?? null;
}
