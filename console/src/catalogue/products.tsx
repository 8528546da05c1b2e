import type { ReactNode } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import type { Me } from "../app/roles.ts";
import { textOf } from "../parts/form.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { refuseCode } from "./code.ts";
import { Naming } from "./naming.tsx";
import { CataloguePage, type SavedProps } from "./tabs.tsx";

type Product = DataOf<"put_product">;

/** The products, on whose pages SKUs are sold. */
export default function Products({ me }: { me: Me }): ReactNode {
	return (
		<CataloguePage
			id="list_products"
			part="products"
			me={me}
			make={words.catalogue.newProduct}
			filters={[{ name: "q", label: words.catalogue.q }]}
			codeOf={({ slug }) => slug}
			empty={{ title: words.catalogue.emptyProducts, hint: words.catalogue.emptyProductsHint }}
			columns={[
				{ head: words.catalogue.slug, cell: ({ slug }) => slug },
				{ head: words.catalogue.name, cell: ({ name }) => name },
				{
					head: words.catalogue.parts.skus,
					cell: ({ slug }) => (
						<Link to={`/catalogue?product=${encodeURIComponent(slug)}`}>{words.catalogue.itsSkus}</Link>
					),
				},
			]}
			dialog={(product, ends) => <ProductDialog product={product} {...ends} />}
		/>
	);
}

/** Creates a product, or changes its name. */
const ProductDialog = ({ product, onClose, onSaved }: { product: Product | null } & SavedProps): ReactNode => (
	<WriteDialog
		id="put_product"
		title={product === null ? words.catalogue.newProduct : words.catalogue.changeOne(product.slug)}
		send={words.save}
		fields={["slug", "name"]}
		replaces={product === null ? null : { read: "get_product", params: { slug: product.slug }, shown: product }}
		check={async (form) =>
			product === null ? await refuseCode("get_product", "slug", textOf(form, "slug") ?? "", "slug") : null
		}
		asked={(form) => ({
			params: { slug: product?.slug ?? textOf(form, "slug") ?? "" },
			body: { name: textOf(form, "name") ?? "" },
		})}
		onClose={onClose}
		onDone={({ slug }) => {
			onSaved(slug);
			onClose();
		}}
	>
		{(error) => (
			<>
				<Naming
					of={product}
					code="slug"
					label={words.catalogue.slug}
					hint={words.catalogue.slugHint}
					style="slug"
					error={error}
				/>
			</>
		)}
	</WriteDialog>
);
