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

type Brand = DataOf<"put_brand">;

/** The brands, each of which has its own pool. */
export default function Brands({ me }: { me: Me }): ReactNode {
	return (
		<CataloguePage
			id="list_brands"
			part="brands"
			me={me}
			make={words.catalogue.newBrand}
			filters={[{ name: "q", label: words.catalogue.q }]}
			codeOf={({ code }) => code}
			empty={{ title: words.catalogue.emptyBrands, hint: words.catalogue.emptyBrandsHint }}
			columns={[
				{ head: words.catalogue.code, cell: ({ code }) => code },
				{ head: words.catalogue.name, cell: ({ name }) => name },
				{
					head: words.catalogue.stock,
					cell: ({ code }) => (
						<Link to={`/stock?brand_code=${encodeURIComponent(code)}`}>{words.catalogue.itsStock}</Link>
					),
				},
			]}
			dialog={(brand, ends) => <BrandDialog brand={brand} {...ends} />}
		/>
	);
}

/** Creates a brand, or changes its name. */
const BrandDialog = ({ brand, onClose, onSaved }: { brand: Brand | null } & SavedProps): ReactNode => (
	<WriteDialog
		id="put_brand"
		title={brand === null ? words.catalogue.newBrand : words.catalogue.changeOne(brand.code)}
		send={words.save}
		fields={["code", "name"]}
		replaces={brand === null ? null : { read: "get_brand", params: { code: brand.code }, shown: brand }}
		check={async (form) => (brand === null ? await refuseCode("get_brand", "code", textOf(form, "code") ?? "") : null)}
		asked={(form) => ({
			params: { code: brand?.code ?? textOf(form, "code") ?? "" },
			body: { name: textOf(form, "name") ?? "" },
		})}
		onClose={onClose}
		onDone={({ code }) => {
			onSaved(code);
			onClose();
		}}
	>
		{(error) => <Naming of={brand} code="code" label={words.catalogue.code} error={error} />}
	</WriteDialog>
);
