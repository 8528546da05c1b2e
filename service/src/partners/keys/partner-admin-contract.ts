import Type from "typebox";
import {
	CHANGED_EXAMPLE,
	CONFLICT_EXAMPLE,
	EDIT_HEADERS,
	RETRY_EXAMPLE,
	WRITE_HEADERS,
	WRITE_REPLY_HEADERS,
} from "../admin/headers.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { LEAST_ROLE } from "../admin/role.ts";
import { operation } from "../http/operation.ts";
import { Id, Instant, Text } from "../http/text.ts";
import { MAX_PARTNER_NAME_LENGTH } from "./limits.ts";

const Partner = Type.Object(
	{
		partner_id: Id("The id of the partner."),
		name: Type.String({ description: "Unique." }),
		keys: Type.Integer({ description: "Keys that can be used, or could if they were not suspended." }),
		ended_keys: Type.Integer({ description: "Keys that were revoked or have expired." }),
		endpoints: Type.Integer({ description: "Webhook endpoints." }),
		created_at: Instant("When it was created."),
	},
	{ title: "Partner" },
);
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

export const ListPartners = operation({
	id: "list_partners",
	method: "GET",
	path: "/admin/api/v1/partners",
	scope: LEAST_ROLE.list_partners,
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

export const GetPartner = operation({
	id: "get_partner",
	method: "GET",
	path: "/admin/api/v1/partners/:partner_id",
	scope: LEAST_ROLE.get_partner,
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

export const MakePartner = operation({
	id: "make_partner",
	method: "POST",
	path: "/admin/api/v1/partners",
	scope: LEAST_ROLE.make_partner,
	summary: "Create a partner",
	description:
		"If there is a partner of this name already, the reply is 200 with that partner. A name that is nearly another partner's is refused.",
	headers: WRITE_HEADERS,
	body: Type.Object(
		{
			name: PartnerName,
			new_partner: Type.Optional(
				Type.Boolean({ description: "Create it although its name is nearly that of another partner." }),
			),
		},
		{ additionalProperties: false, title: "MakePartnerRequest" },
	),
	replies: { 200: Partner, 201: Partner },
	replyHeaders: WRITE_REPLY_HEADERS,
	examples: {
		request: { name: "North Web Shop" },
		replies: { 200: PARTNER_EXAMPLE, 201: PARTNER_EXAMPLE },
		errors: { idempotency_conflict: CONFLICT_EXAMPLE, retry: RETRY_EXAMPLE },
	},
});

export const RenamePartner = operation({
	id: "rename_partner",
	method: "PATCH",
	path: "/admin/api/v1/partners/:partner_id",
	scope: LEAST_ROLE.rename_partner,
	summary: "Give a partner another name",
	description: "Its keys, holds, orders and endpoints stay as they are.",
	headers: EDIT_HEADERS,
	params: PartnerParams,
	body: Type.Object({ name: PartnerName }, { additionalProperties: false, title: "RenamePartnerRequest" }),
	replies: { 200: Partner },
	replyHeaders: WRITE_REPLY_HEADERS,
	examples: {
		params: { partner_id: PARTNER_EXAMPLE.partner_id },
		request: { name: "North Web Shop" },
		replies: { 200: PARTNER_EXAMPLE },
		errors: {
			not_found: NO_PARTNER,
			changed_meanwhile: CHANGED_EXAMPLE,
			idempotency_conflict: CONFLICT_EXAMPLE,
			retry: RETRY_EXAMPLE,
		},
	},
});
