import Type from "typebox";
import { adminEdit, adminOperation, adminWrite } from "../admin/operation.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { Id, Instant, ReplyObject, RequestObject, Text } from "../http/text.ts";
import { MAX_PARTNER_NAME_LENGTH } from "./limits.ts";

const Partner = ReplyObject("Partner", {
	partner_id: Id("The id of the partner."),
	name: Type.String({ description: "Unique." }),
	keys: Type.Integer({ description: "Keys that can be used, or could if they were not suspended." }),
	ended_keys: Type.Integer({ description: "Keys that were revoked or have expired." }),
	endpoints: Type.Integer({ description: "Webhook endpoints." }),
	created_at: Instant("When it was created."),
});
const PARTNER_EXAMPLE = {
	partner_id: "0199f0a0-0000-7000-8000-0000000000d1",
	name: "North Web Shop",
	keys: 2,
	ended_keys: 0,
	endpoints: 1,
	created_at: "2026-09-06T12:00:00.000Z",
};
const PartnerName = Text({ min: 1, max: MAX_PARTNER_NAME_LENGTH, description: "Unique." });

export const PartnerParams = Type.Object({
	partner_id: Text({ min: 1, max: MAX_PARTNER_NAME_LENGTH, description: "The id of the partner, or its name." }),
});
const NO_PARTNER = 'There is no partner "Nort Web Shop". Did you mean "North Web Shop"?';

export const ListPartners = adminOperation({
	id: "list_partners",
	method: "GET",
	path: "/admin/api/v1/partners",
	summary: "List partners",
	description: "By name.",
	query: pageQuery({
		q: Type.Optional(
			Text({ min: 1, max: 200, description: "Only partners whose name contains this, in upper or lower case." }),
		),
	}),
	replies: { 200: pageOf(Partner, "Partners") },
	examples: { replies: { 200: { items: [PARTNER_EXAMPLE], next_cursor: null } } },
});

export const GetPartner = adminOperation({
	id: "get_partner",
	method: "GET",
	path: "/admin/api/v1/partners/:partner_id",
	summary: "Read a partner",
	description: "With the number of its keys and endpoints.",
	params: PartnerParams,
	conditional: true,
	replies: { 200: Partner },
	examples: {
		params: { partner_id: PARTNER_EXAMPLE.partner_id },
		replies: { 200: PARTNER_EXAMPLE },
		errors: { not_found: NO_PARTNER },
	},
});

export const MakePartner = adminWrite({
	id: "make_partner",
	method: "POST",
	path: "/admin/api/v1/partners",
	summary: "Create a partner",
	description:
		"If there is a partner of this name already, the reply is 200 with that partner. A name that is nearly another partner's is refused.",
	body: RequestObject("MakePartnerRequest", {
		name: PartnerName,
		new_partner: Type.Optional(
			Type.Boolean({ description: "Create it although its name is nearly that of another partner." }),
		),
	}),
	replies: { 200: Partner, 201: Partner },
	examples: {
		request: { name: "North Web Shop" },
		replies: { 200: PARTNER_EXAMPLE, 201: PARTNER_EXAMPLE },
	},
});

export const RenamePartner = adminEdit({
	id: "rename_partner",
	method: "PATCH",
	path: "/admin/api/v1/partners/:partner_id",
	summary: "Give a partner another name",
	description: "Its keys, holds, orders and endpoints stay as they are.",
	params: PartnerParams,
	body: RequestObject("RenamePartnerRequest", { name: PartnerName }),
	replies: { 200: Partner },
	examples: {
		params: { partner_id: PARTNER_EXAMPLE.partner_id },
		request: { name: "North Web Shop" },
		replies: { 200: PARTNER_EXAMPLE },
		errors: { not_found: NO_PARTNER },
	},
});
