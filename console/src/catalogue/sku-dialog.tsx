import { type ReactNode, useState } from "react";
import type { Asked, DataOf } from "../api/call.ts";
import { Choice, Field, problemAt, textOf } from "../parts/form.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { refuseCode } from "./code.ts";
import { ProductField } from "./fields.tsx";
import { Naming } from "./naming.tsx";
import { Recipe, type RecipeRow, rowsOf, sentRows } from "./recipe.tsx";
import type { SavedProps } from "./tabs.tsx";

export type Sku = DataOf<"put_sku">;
type Kind = Sku["kind"];
const KINDS = ["single", "kit", "non_physical"] as const;

/** Creates a SKU, or changes all of it, with its recipe. */
export function SkuDialog({ sku, onClose, onSaved }: { sku: Sku | null } & SavedProps): ReactNode {
	const [kind, setKind] = useState<Kind>(sku?.kind ?? "single");
	const [product, setProduct] = useState(sku?.product ?? "");
	const [rows, setRows] = useState<readonly RecipeRow[]>(() => rowsOf(sku?.components ?? []));
	const sent = sentRows(kind, rows);
	const fields = ["sku", "name", "product", "kind", "vial_size", "components"];
	const ofRows = sent.flatMap((_row, i) => [`components/${i}/formula`, `components/${i}/per_kit`]);
	return (
		<WriteDialog
			id="put_sku"
			title={sku === null ? words.catalogue.newSku : words.catalogue.changeOne(sku.sku)}
			send={words.save}
			fields={[...fields, ...ofRows]}
			replaces={sku === null ? null : { read: "get_sku", params: { sku: sku.sku }, shown: sku }}
			check={async (form) => (sku === null ? await refuseCode("get_sku", "sku", textOf(form, "sku") ?? "") : null)}
			asked={(form) => ({
				params: { sku: sku?.sku ?? textOf(form, "sku") ?? "" },
				body: bodyOf(form, kind, product, sent),
			})}
			onClose={onClose}
			onDone={(done) => {
				onSaved(done.sku);
				onClose();
			}}
		>
			{(error) => (
				<>
					<Names sku={sku} error={error} />
					<Choice
						label={words.catalogue.kind}
						name="kind"
						value={kind}
						onChange={({ target }) => setKind(KINDS.find((one) => one === target.value) ?? "single")}
						options={KINDS.map((one) => [one, words.catalogue.kinds[one]] as const)}
						problem={problemAt(error, "kind")}
					/>
					<Recipe kind={kind} rows={rows} sent={sent} onRows={setRows} error={error} />
					<ProductField
						label={words.catalogue.product}
						name="product"
						none={words.catalogue.noProduct}
						value={product}
						onValue={setProduct}
						problem={problemAt(error, "product")}
					/>
					<Field
						label={words.catalogue.vialSize}
						hint={words.catalogue.vialSizeHint}
						name="vial_size"
						maxLength={200}
						defaultValue={sku?.vial_size ?? ""}
						problem={problemAt(error, "vial_size")}
						autoComplete="off"
					/>
				</>
			)}
		</WriteDialog>
	);
}

/** Its code, which stays, and its name. */
const Names = ({ sku, error }: { sku: Sku | null; error: Error | null }): ReactNode => (
	<>
		{sku === null ? null : <p className="hint">{words.catalogue.skuHint}</p>}
		<Naming of={sku} code="sku" label={words.catalogue.sku} error={error} />
	</>
);

function bodyOf(
	form: FormData,
	kind: Kind,
	product: string,
	sent: readonly RecipeRow[],
): NonNullable<Asked<"put_sku">["body"]> {
	return {
		name: textOf(form, "name") ?? "",
		kind,
		product: product === "" ? null : product,
		vial_size: textOf(form, "vial_size") ?? null,
		components: sent.map(({ formula, perKit }) => ({ formula, per_kit: Number(perKit) })),
	};
}
