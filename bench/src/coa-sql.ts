/** Inserts the given number of certificates, all with one PDF, over 1,000 products. */
const PRODUCTS = 1_000;

interface Insert {
	readonly text: string;
	values(certificates: number, digest: string, size: number): unknown[];
}

export const INSERT_CERTIFICATES: readonly Insert[] = [
	{
		text: "insert into product select 'product-' || n, 'Product ' || n from generate_series(0, $1::int - 1) n",
		values: () => [PRODUCTS],
	},
	{
		text: `insert into certificate (certificate_id, product_slug, product_name, batch_number, vial_size, tested_on, lab_name, purity_pct, status,
		                                file_digest, published_at, changed_by, updated_at, version)
		       select gen_random_uuid(), 'product-' || n % $2, 'Product ' || n % $2, 'B-' || n, '30 ml', '2026-08-20', 'Northern Analytical', 99.12, 'current',
		              decode($3, 'hex'), now(), 'operator:bench', date_trunc('milliseconds', now()), n
		         from generate_series(1, $1::int) n`,
		values: (certificates, digest) => [certificates, PRODUCTS, digest],
	},
	{
		text: "insert into certificate_file (certificate_id, digest, size) select certificate_id, file_digest, $1::int from certificate",
		values: (_certificates, _digest, size) => [size],
	},
	{ text: "select take_numbers('certificate_epoch', $1)", values: (certificates) => [certificates] },
];
