import type * as api from "./operator.ts";

/* The operations of the operator's API. Written by `npm run gen` from openapi/operator.json. */

interface Called<Data, Replies> {
	readonly data: Data;
	readonly replies: Replies;
}

export interface Operations {
	readonly add_demand: Called<api.AddDemandData, api.AddDemandResponses>;
	readonly add_passkey: Called<api.AddPasskeyData, api.AddPasskeyResponses>;
	readonly add_totp: Called<api.AddTotpData, api.AddTotpResponses>;
	readonly archive_certificate: Called<api.ArchiveCertificateData, api.ArchiveCertificateResponses>;
	readonly begin_passkey: Called<api.BeginPasskeyData, api.BeginPasskeyResponses>;
	readonly begin_passkey_sign_in: Called<api.BeginPasskeySignInData, api.BeginPasskeySignInResponses>;
	readonly begin_provider_sign_in: Called<api.BeginProviderSignInData, api.BeginProviderSignInResponses>;
	readonly cancel_order: Called<api.CancelOrderData, api.CancelOrderResponses>;
	readonly change_endpoint: Called<api.ChangeEndpointData, api.ChangeEndpointResponses>;
	readonly change_me: Called<api.ChangeMeData, api.ChangeMeResponses>;
	readonly change_person: Called<api.ChangePersonData, api.ChangePersonResponses>;
	readonly clear_demand: Called<api.ClearDemandData, api.ClearDemandResponses>;
	readonly combine_boxes: Called<api.CombineBoxesData, api.CombineBoxesResponses>;
	readonly confirm_totp: Called<api.ConfirmTotpData, api.ConfirmTotpResponses>;
	readonly correct_lot: Called<api.CorrectLotData, api.CorrectLotResponses>;
	readonly delete_endpoint: Called<api.DeleteEndpointData, api.DeleteEndpointResponses>;
	readonly destroy_lot: Called<api.DestroyLotData, api.DestroyLotResponses>;
	readonly dismiss_exception: Called<api.DismissExceptionData, api.DismissExceptionResponses>;
	readonly drill_golive: Called<api.DrillGoliveData, api.DrillGoliveResponses>;
	readonly end_my_session: Called<api.EndMySessionData, api.EndMySessionResponses>;
	readonly end_sessions_of_person: Called<api.EndSessionsOfPersonData, api.EndSessionsOfPersonResponses>;
	readonly erase_customers: Called<api.EraseCustomersData, api.EraseCustomersResponses>;
	readonly explain_count: Called<api.ExplainCountData, api.ExplainCountResponses>;
	readonly export_keys: Called<api.ExportKeysData, api.ExportKeysResponses>;
	readonly export_section: Called<api.ExportSectionData, api.ExportSectionResponses>;
	readonly find_invitation: Called<api.FindInvitationData, api.FindInvitationResponses>;
	readonly finish_golive: Called<api.FinishGoliveData, api.FinishGoliveResponses>;
	readonly get_box: Called<api.GetBoxData, api.GetBoxResponses>;
	readonly get_brand: Called<api.GetBrandData, api.GetBrandResponses>;
	readonly get_certificate: Called<api.GetCertificateData, api.GetCertificateResponses>;
	readonly get_certificate_qr: Called<api.GetCertificateQrData, api.GetCertificateQrResponses>;
	readonly get_demand: Called<api.GetDemandData, api.GetDemandResponses>;
	readonly get_endpoint: Called<api.GetEndpointData, api.GetEndpointResponses>;
	readonly get_formula: Called<api.GetFormulaData, api.GetFormulaResponses>;
	readonly get_golive: Called<api.GetGoliveData, api.GetGoliveResponses>;
	readonly get_golive_report: Called<api.GetGoliveReportData, api.GetGoliveReportResponses>;
	readonly get_health: Called<api.GetHealthData, api.GetHealthResponses>;
	readonly get_hold: Called<api.GetHoldData, api.GetHoldResponses>;
	readonly get_key: Called<api.GetKeyData, api.GetKeyResponses>;
	readonly get_live: Called<api.GetLiveData, api.GetLiveResponses>;
	readonly get_lot: Called<api.GetLotData, api.GetLotResponses>;
	readonly get_me: Called<api.GetMeData, api.GetMeResponses>;
	readonly get_order: Called<api.GetOrderData, api.GetOrderResponses>;
	readonly get_overview: Called<api.GetOverviewData, api.GetOverviewResponses>;
	readonly get_partner: Called<api.GetPartnerData, api.GetPartnerResponses>;
	readonly get_person: Called<api.GetPersonData, api.GetPersonResponses>;
	readonly get_product: Called<api.GetProductData, api.GetProductResponses>;
	readonly get_recall: Called<api.GetRecallData, api.GetRecallResponses>;
	readonly get_recall_csv: Called<api.GetRecallCsvData, api.GetRecallCsvResponses>;
	readonly get_request: Called<api.GetRequestData, api.GetRequestResponses>;
	readonly get_run: Called<api.GetRunData, api.GetRunResponses>;
	readonly get_series: Called<api.GetSeriesData, api.GetSeriesResponses>;
	readonly get_sku: Called<api.GetSkuData, api.GetSkuResponses>;
	readonly get_store: Called<api.GetStoreData, api.GetStoreResponses>;
	readonly hold_order: Called<api.HoldOrderData, api.HoldOrderResponses>;
	readonly import_certificates: Called<api.ImportCertificatesData, api.ImportCertificatesResponses>;
	readonly import_demand: Called<api.ImportDemandData, api.ImportDemandResponses>;
	readonly import_tracking: Called<api.ImportTrackingData, api.ImportTrackingResponses>;
	readonly import_world: Called<api.ImportWorldData, api.ImportWorldResponses>;
	readonly invite_person: Called<api.InvitePersonData, api.InvitePersonResponses>;
	readonly label_box: Called<api.LabelBoxData, api.LabelBoxResponses>;
	readonly list_api_dates: Called<api.ListApiDatesData, api.ListApiDatesResponses>;
	readonly list_audit: Called<api.ListAuditData, api.ListAuditResponses>;
	readonly list_boxes: Called<api.ListBoxesData, api.ListBoxesResponses>;
	readonly list_brands: Called<api.ListBrandsData, api.ListBrandsResponses>;
	readonly list_buffers: Called<api.ListBuffersData, api.ListBuffersResponses>;
	readonly list_certificates: Called<api.ListCertificatesData, api.ListCertificatesResponses>;
	readonly list_combinable: Called<api.ListCombinableData, api.ListCombinableResponses>;
	readonly list_deliveries: Called<api.ListDeliveriesData, api.ListDeliveriesResponses>;
	readonly list_demand: Called<api.ListDemandData, api.ListDemandResponses>;
	readonly list_endpoints: Called<api.ListEndpointsData, api.ListEndpointsResponses>;
	readonly list_erasures: Called<api.ListErasuresData, api.ListErasuresResponses>;
	readonly list_events: Called<api.ListEventsData, api.ListEventsResponses>;
	readonly list_exceptions: Called<api.ListExceptionsData, api.ListExceptionsResponses>;
	readonly list_formulas: Called<api.ListFormulasData, api.ListFormulasResponses>;
	readonly list_golives: Called<api.ListGolivesData, api.ListGolivesResponses>;
	readonly list_holds: Called<api.ListHoldsData, api.ListHoldsResponses>;
	readonly list_keys: Called<api.ListKeysData, api.ListKeysResponses>;
	readonly list_lot_moves: Called<api.ListLotMovesData, api.ListLotMovesResponses>;
	readonly list_lots: Called<api.ListLotsData, api.ListLotsResponses>;
	readonly list_moves: Called<api.ListMovesData, api.ListMovesResponses>;
	readonly list_my_factors: Called<api.ListMyFactorsData, api.ListMyFactorsResponses>;
	readonly list_my_sessions: Called<api.ListMySessionsData, api.ListMySessionsResponses>;
	readonly list_orders: Called<api.ListOrdersData, api.ListOrdersResponses>;
	readonly list_partners: Called<api.ListPartnersData, api.ListPartnersResponses>;
	readonly list_people: Called<api.ListPeopleData, api.ListPeopleResponses>;
	readonly list_products: Called<api.ListProductsData, api.ListProductsResponses>;
	readonly list_queue: Called<api.ListQueueData, api.ListQueueResponses>;
	readonly list_recalls: Called<api.ListRecallsData, api.ListRecallsResponses>;
	readonly list_request_errors: Called<api.ListRequestErrorsData, api.ListRequestErrorsResponses>;
	readonly list_requests: Called<api.ListRequestsData, api.ListRequestsResponses>;
	readonly list_runs: Called<api.ListRunsData, api.ListRunsResponses>;
	readonly list_sessions_of_person: Called<api.ListSessionsOfPersonData, api.ListSessionsOfPersonResponses>;
	readonly list_skus: Called<api.ListSkusData, api.ListSkusResponses>;
	readonly list_stores: Called<api.ListStoresData, api.ListStoresResponses>;
	readonly list_tokens: Called<api.ListTokensData, api.ListTokensResponses>;
	readonly locate_lot: Called<api.LocateLotData, api.LocateLotResponses>;
	readonly make_backup: Called<api.MakeBackupData, api.MakeBackupResponses>;
	readonly make_endpoint: Called<api.MakeEndpointData, api.MakeEndpointResponses>;
	readonly make_partner: Called<api.MakePartnerData, api.MakePartnerResponses>;
	readonly make_pick_list: Called<api.MakePickListData, api.MakePickListResponses>;
	readonly mint_key: Called<api.MintKeyData, api.MintKeyResponses>;
	readonly mint_token: Called<api.MintTokenData, api.MintTokenResponses>;
	readonly pack_order: Called<api.PackOrderData, api.PackOrderResponses>;
	readonly pause_endpoint: Called<api.PauseEndpointData, api.PauseEndpointResponses>;
	readonly pick_order: Called<api.PickOrderData, api.PickOrderResponses>;
	readonly print_lot_labels: Called<api.PrintLotLabelsData, api.PrintLotLabelsResponses>;
	readonly publish_certificate: Called<api.PublishCertificateData, api.PublishCertificateResponses>;
	readonly put_brand: Called<api.PutBrandData, api.PutBrandResponses>;
	readonly put_buffer: Called<api.PutBufferData, api.PutBufferResponses>;
	readonly put_certificate: Called<api.PutCertificateData, api.PutCertificateResponses>;
	readonly put_demand: Called<api.PutDemandData, api.PutDemandResponses>;
	readonly put_formula: Called<api.PutFormulaData, api.PutFormulaResponses>;
	readonly put_product: Called<api.PutProductData, api.PutProductResponses>;
	readonly put_sku: Called<api.PutSkuData, api.PutSkuResponses>;
	readonly put_store: Called<api.PutStoreData, api.PutStoreResponses>;
	readonly quarantine_lot: Called<api.QuarantineLotData, api.QuarantineLotResponses>;
	readonly recall_lots: Called<api.RecallLotsData, api.RecallLotsResponses>;
	readonly receive_batch: Called<api.ReceiveBatchData, api.ReceiveBatchResponses>;
	readonly receive_units: Called<api.ReceiveUnitsData, api.ReceiveUnitsResponses>;
	readonly recover_endpoint: Called<api.RecoverEndpointData, api.RecoverEndpointResponses>;
	readonly release_hold: Called<api.ReleaseHoldData, api.ReleaseHoldResponses>;
	readonly release_order: Called<api.ReleaseOrderData, api.ReleaseOrderResponses>;
	readonly remove_my_factor: Called<api.RemoveMyFactorData, api.RemoveMyFactorResponses>;
	readonly remove_store: Called<api.RemoveStoreData, api.RemoveStoreResponses>;
	readonly rename_partner: Called<api.RenamePartnerData, api.RenamePartnerResponses>;
	readonly renew_recovery_codes: Called<api.RenewRecoveryCodesData, api.RenewRecoveryCodesResponses>;
	readonly resend_delivery: Called<api.ResendDeliveryData, api.ResendDeliveryResponses>;
	readonly restock_partner_sandbox: Called<api.RestockPartnerSandboxData, api.RestockPartnerSandboxResponses>;
	readonly restock_sandbox: Called<api.RestockSandboxData, api.RestockSandboxResponses>;
	readonly restore_lot: Called<api.RestoreLotData, api.RestoreLotResponses>;
	readonly resume_endpoint: Called<api.ResumeEndpointData, api.ResumeEndpointResponses>;
	readonly resume_key: Called<api.ResumeKeyData, api.ResumeKeyResponses>;
	readonly retire_certificate: Called<api.RetireCertificateData, api.RetireCertificateResponses>;
	readonly retry_exception: Called<api.RetryExceptionData, api.RetryExceptionResponses>;
	readonly retry_exceptions: Called<api.RetryExceptionsData, api.RetryExceptionsResponses>;
	readonly review_golive: Called<api.ReviewGoliveData, api.ReviewGoliveResponses>;
	readonly revoke_key: Called<api.RevokeKeyData, api.RevokeKeyResponses>;
	readonly revoke_token: Called<api.RevokeTokenData, api.RevokeTokenResponses>;
	readonly rotate_endpoint_secret: Called<api.RotateEndpointSecretData, api.RotateEndpointSecretResponses>;
	readonly rotate_key: Called<api.RotateKeyData, api.RotateKeyResponses>;
	readonly set_up: Called<api.SetUpData, api.SetUpResponses>;
	readonly ship_box: Called<api.ShipBoxData, api.ShipBoxResponses>;
	readonly ship_consume: Called<api.ShipConsumeData, api.ShipConsumeResponses>;
	readonly ship_demand: Called<api.ShipDemandData, api.ShipDemandResponses>;
	readonly sign_in: Called<api.SignInData, api.SignInResponses>;
	readonly sign_in_by_passkey: Called<api.SignInByPasskeyData, api.SignInByPasskeyResponses>;
	readonly sign_in_by_provider: Called<api.SignInByProviderData, api.SignInByProviderResponses>;
	readonly sign_out: Called<api.SignOutData, api.SignOutResponses>;
	readonly start_golive: Called<api.StartGoliveData, api.StartGoliveResponses>;
	readonly stop_golive: Called<api.StopGoliveData, api.StopGoliveResponses>;
	readonly stop_run: Called<api.StopRunData, api.StopRunResponses>;
	readonly store_certificate_files: Called<api.StoreCertificateFilesData, api.StoreCertificateFilesResponses>;
	readonly suspend_key: Called<api.SuspendKeyData, api.SuspendKeyResponses>;
	readonly test_endpoint: Called<api.TestEndpointData, api.TestEndpointResponses>;
	readonly verify_audit: Called<api.VerifyAuditData, api.VerifyAuditResponses>;
	readonly verify_ledger: Called<api.VerifyLedgerData, api.VerifyLedgerResponses>;
	readonly void_box: Called<api.VoidBoxData, api.VoidBoxResponses>;
	readonly waive_golive: Called<api.WaiveGoliveData, api.WaiveGoliveResponses>;
}

/** Method and path of each operation, by its id. */
export const ADDRESSES = {
	add_demand: "POST /admin/api/v1/demand",
	add_passkey: "POST /admin/api/v1/me/factors/passkey",
	add_totp: "POST /admin/api/v1/me/factors/totp",
	archive_certificate: "POST /admin/api/v1/certificates/:slug/:batch/archive",
	begin_passkey: "POST /admin/api/v1/me/factors/passkey/options",
	begin_passkey_sign_in: "POST /admin/api/v1/sign-in/passkey/options",
	begin_provider_sign_in: "POST /admin/api/v1/sign-in/oidc/options",
	cancel_order: "POST /admin/api/v1/orders/:id/cancel",
	change_endpoint: "PATCH /admin/api/v1/endpoints/:id",
	change_me: "PATCH /admin/api/v1/me",
	change_person: "PATCH /admin/api/v1/people/:name",
	clear_demand: "DELETE /admin/api/v1/demand/:reference",
	combine_boxes: "POST /admin/api/v1/boxes/combine",
	confirm_totp: "POST /admin/api/v1/me/factors/:id/confirm",
	correct_lot: "POST /admin/api/v1/lots/:fg_id/correct",
	delete_endpoint: "DELETE /admin/api/v1/endpoints/:id",
	destroy_lot: "POST /admin/api/v1/lots/:fg_id/destroy",
	dismiss_exception: "POST /admin/api/v1/exceptions/:id/dismiss",
	drill_golive: "POST /admin/api/v1/golives/:id/drill",
	end_my_session: "DELETE /admin/api/v1/me/sessions/:id",
	end_sessions_of_person: "DELETE /admin/api/v1/people/:name/sessions",
	erase_customers: "POST /admin/api/v1/customers/erase",
	explain_count: "GET /admin/api/v1/counts/:sku",
	export_keys: "GET /admin/api/v1/exports/keys.json",
	export_section: "GET /admin/api/v1/exports/:section.csv",
	find_invitation: "POST /admin/api/v1/invitation",
	finish_golive: "POST /admin/api/v1/golives/:id/finish",
	get_box: "GET /admin/api/v1/boxes/:id",
	get_brand: "GET /admin/api/v1/brands/:code",
	get_certificate: "GET /admin/api/v1/certificates/:slug/:batch",
	get_certificate_qr: "GET /admin/api/v1/certificates/:slug/:batch/qr.svg",
	get_demand: "GET /admin/api/v1/demand/:reference",
	get_endpoint: "GET /admin/api/v1/endpoints/:id",
	get_formula: "GET /admin/api/v1/formulas/:code",
	get_golive: "GET /admin/api/v1/golives/:id",
	get_golive_report: "GET /admin/api/v1/golives/:id/report",
	get_health: "GET /admin/api/v1/health",
	get_hold: "GET /admin/api/v1/holds/:token",
	get_key: "GET /admin/api/v1/keys/:pk",
	get_live: "GET /admin/api/v1/live",
	get_lot: "GET /admin/api/v1/lots/:fg_id",
	get_me: "GET /admin/api/v1/me",
	get_order: "GET /admin/api/v1/orders/:id",
	get_overview: "GET /admin/api/v1/overview",
	get_partner: "GET /admin/api/v1/partners/:partner_id",
	get_person: "GET /admin/api/v1/people/:name",
	get_product: "GET /admin/api/v1/products/:slug",
	get_recall: "GET /admin/api/v1/recalls/:id",
	get_recall_csv: "GET /admin/api/v1/recalls/:id.csv",
	get_request: "GET /admin/api/v1/requests/:request_id",
	get_run: "GET /admin/api/v1/runs/:run_id",
	get_series: "GET /admin/api/v1/series",
	get_sku: "GET /admin/api/v1/skus/:sku",
	get_store: "GET /admin/api/v1/stores/:id",
	hold_order: "POST /admin/api/v1/orders/:id/hold",
	import_certificates: "POST /admin/api/v1/certificates/imports",
	import_demand: "POST /admin/api/v1/demand/imports",
	import_tracking: "POST /admin/api/v1/tracking-imports",
	import_world: "POST /admin/api/v1/imports",
	invite_person: "POST /admin/api/v1/people/invite",
	label_box: "POST /admin/api/v1/boxes/:id/label",
	list_api_dates: "GET /admin/api/v1/api-dates",
	list_audit: "GET /admin/api/v1/audit",
	list_boxes: "GET /admin/api/v1/boxes",
	list_brands: "GET /admin/api/v1/brands",
	list_buffers: "GET /admin/api/v1/buffers",
	list_certificates: "GET /admin/api/v1/certificates",
	list_combinable: "GET /admin/api/v1/boxes/combinable",
	list_deliveries: "GET /admin/api/v1/deliveries",
	list_demand: "GET /admin/api/v1/demand",
	list_endpoints: "GET /admin/api/v1/endpoints",
	list_erasures: "GET /admin/api/v1/customers/erasures",
	list_events: "GET /admin/api/v1/events",
	list_exceptions: "GET /admin/api/v1/exceptions",
	list_formulas: "GET /admin/api/v1/formulas",
	list_golives: "GET /admin/api/v1/golives",
	list_holds: "GET /admin/api/v1/holds",
	list_keys: "GET /admin/api/v1/keys",
	list_lot_moves: "GET /admin/api/v1/lots/:fg_id/moves",
	list_lots: "GET /admin/api/v1/lots",
	list_moves: "GET /admin/api/v1/moves",
	list_my_factors: "GET /admin/api/v1/me/factors",
	list_my_sessions: "GET /admin/api/v1/me/sessions",
	list_orders: "GET /admin/api/v1/orders",
	list_partners: "GET /admin/api/v1/partners",
	list_people: "GET /admin/api/v1/people",
	list_products: "GET /admin/api/v1/products",
	list_queue: "GET /admin/api/v1/queue",
	list_recalls: "GET /admin/api/v1/recalls",
	list_request_errors: "GET /admin/api/v1/requests/errors",
	list_requests: "GET /admin/api/v1/requests",
	list_runs: "GET /admin/api/v1/runs",
	list_sessions_of_person: "GET /admin/api/v1/people/:name/sessions",
	list_skus: "GET /admin/api/v1/skus",
	list_stores: "GET /admin/api/v1/stores",
	list_tokens: "GET /admin/api/v1/tokens",
	locate_lot: "POST /admin/api/v1/lots/:fg_id/locate",
	make_backup: "POST /admin/api/v1/backups",
	make_endpoint: "POST /admin/api/v1/endpoints",
	make_partner: "POST /admin/api/v1/partners",
	make_pick_list: "POST /admin/api/v1/picklists",
	mint_key: "POST /admin/api/v1/keys",
	mint_token: "POST /admin/api/v1/tokens",
	pack_order: "POST /admin/api/v1/orders/:id/pack",
	pause_endpoint: "POST /admin/api/v1/endpoints/:id/pause",
	pick_order: "POST /admin/api/v1/orders/:id/pick",
	print_lot_labels: "POST /admin/api/v1/certificates/labels",
	publish_certificate: "POST /admin/api/v1/certificates/:slug/:batch/publish",
	put_brand: "PUT /admin/api/v1/brands/:code",
	put_buffer: "PUT /admin/api/v1/buffers",
	put_certificate: "PUT /admin/api/v1/certificates/:slug/:batch",
	put_demand: "PUT /admin/api/v1/demand/:reference",
	put_formula: "PUT /admin/api/v1/formulas/:code",
	put_product: "PUT /admin/api/v1/products/:slug",
	put_sku: "PUT /admin/api/v1/skus/:sku",
	put_store: "PUT /admin/api/v1/stores/:id",
	quarantine_lot: "POST /admin/api/v1/lots/:fg_id/quarantine",
	recall_lots: "POST /admin/api/v1/recalls",
	receive_batch: "POST /admin/api/v1/lots",
	receive_units: "POST /admin/api/v1/lots/:fg_id/receive",
	recover_endpoint: "POST /admin/api/v1/endpoints/:id/recover",
	release_hold: "POST /admin/api/v1/holds/:token/release",
	release_order: "POST /admin/api/v1/orders/:id/release",
	remove_my_factor: "DELETE /admin/api/v1/me/factors/:id",
	remove_store: "DELETE /admin/api/v1/stores/:id",
	rename_partner: "PATCH /admin/api/v1/partners/:partner_id",
	renew_recovery_codes: "POST /admin/api/v1/me/factors/recovery-codes",
	resend_delivery: "POST /admin/api/v1/deliveries/:id/resend",
	restock_partner_sandbox: "POST /admin/api/v1/partners/:partner_id/sandbox/restock",
	restock_sandbox: "POST /admin/api/v1/sandbox/restock",
	restore_lot: "POST /admin/api/v1/lots/:fg_id/restore",
	resume_endpoint: "POST /admin/api/v1/endpoints/:id/resume",
	resume_key: "POST /admin/api/v1/keys/:pk/resume",
	retire_certificate: "POST /admin/api/v1/certificates/:slug/:batch/retire",
	retry_exception: "POST /admin/api/v1/exceptions/:id/retry",
	retry_exceptions: "POST /admin/api/v1/exceptions/retry",
	review_golive: "POST /admin/api/v1/golives/:id/review",
	revoke_key: "POST /admin/api/v1/keys/:pk/revoke",
	revoke_token: "DELETE /admin/api/v1/tokens/:id",
	rotate_endpoint_secret: "POST /admin/api/v1/endpoints/:id/rotate-secret",
	rotate_key: "POST /admin/api/v1/keys/:pk/rotate",
	set_up: "POST /admin/api/v1/set-up",
	ship_box: "POST /admin/api/v1/boxes/:id/ship",
	ship_consume: "POST /admin/api/v1/consumes/ship",
	ship_demand: "POST /admin/api/v1/demand/:reference/ship",
	sign_in: "POST /admin/api/v1/sign-in",
	sign_in_by_passkey: "POST /admin/api/v1/sign-in/passkey",
	sign_in_by_provider: "POST /admin/api/v1/sign-in/oidc",
	sign_out: "POST /admin/api/v1/sign-out",
	start_golive: "POST /admin/api/v1/golives",
	stop_golive: "POST /admin/api/v1/golives/:id/stop",
	stop_run: "POST /admin/api/v1/runs/:run_id/stop",
	store_certificate_files: "POST /admin/api/v1/certificates/files",
	suspend_key: "POST /admin/api/v1/keys/:pk/suspend",
	test_endpoint: "POST /admin/api/v1/endpoints/:id/test",
	verify_audit: "GET /admin/api/v1/audit/verify",
	verify_ledger: "POST /admin/api/v1/verify",
	void_box: "POST /admin/api/v1/boxes/:id/void",
	waive_golive: "POST /admin/api/v1/golives/:id/waive",
} as const satisfies { readonly [Id in keyof Operations]: string };

/** The writes that are carried out once under an Idempotency-Key. */
export const KEYED: ReadonlySet<string> = new Set([
	"add_demand",
	"add_passkey",
	"add_totp",
	"archive_certificate",
	"cancel_order",
	"change_endpoint",
	"change_me",
	"change_person",
	"clear_demand",
	"combine_boxes",
	"confirm_totp",
	"correct_lot",
	"delete_endpoint",
	"destroy_lot",
	"dismiss_exception",
	"drill_golive",
	"end_my_session",
	"end_sessions_of_person",
	"erase_customers",
	"finish_golive",
	"hold_order",
	"import_certificates",
	"import_demand",
	"import_tracking",
	"import_world",
	"invite_person",
	"label_box",
	"locate_lot",
	"make_endpoint",
	"make_partner",
	"mint_key",
	"mint_token",
	"pause_endpoint",
	"pick_order",
	"publish_certificate",
	"put_brand",
	"put_buffer",
	"put_certificate",
	"put_demand",
	"put_formula",
	"put_product",
	"put_sku",
	"put_store",
	"quarantine_lot",
	"recall_lots",
	"receive_batch",
	"receive_units",
	"recover_endpoint",
	"release_hold",
	"release_order",
	"remove_my_factor",
	"remove_store",
	"rename_partner",
	"renew_recovery_codes",
	"resend_delivery",
	"restock_partner_sandbox",
	"restock_sandbox",
	"restore_lot",
	"resume_endpoint",
	"resume_key",
	"retire_certificate",
	"retry_exception",
	"retry_exceptions",
	"review_golive",
	"revoke_key",
	"revoke_token",
	"rotate_endpoint_secret",
	"rotate_key",
	"ship_box",
	"ship_consume",
	"ship_demand",
	"start_golive",
	"stop_golive",
	"stop_run",
	"store_certificate_files",
	"suspend_key",
	"test_endpoint",
	"verify_ledger",
	"void_box",
	"waive_golive",
]);

/** Words and numbers that fields of the query and the body may have. */
export const FIELDS = {
	add_demand: {
		units: { least: 1, most: 1000000000 },
	},
	change_endpoint: {
		event_types: ["order.shipped","order.held","order.cancelled","order.released","shipment.label_created","shipment.voided","hold.impaired","certificate.retired"],
		status: ["active","inactive"],
	},
	change_person: {
		role: ["viewer","warehouse","operator","admin"],
		state: ["active","suspended"],
	},
	correct_lot: {
		units: { least: -1000000000, most: 1000000000 },
	},
	destroy_lot: {
		units: { least: 1, most: 1000000000 },
	},
	drill_golive: {
		what: ["drill","messages","retirement","unkind"],
	},
	finish_golive: {
		preset: ["read_only","fulfilment","self_ship"],
		scopes: ["atp.check","atp.reserve","atp.release","atp.consume","atp.inventory","atp.products","atp.orders","atp.shipments","atp.shipments.combine","atp.summary","atp.receipts","atp.reserve_cache","atp.introspect","atp.webhooks"],
		requests_per_minute: { least: 1, most: 1000000 },
	},
	get_series: {
		name: ["requests","refusals","holds","deliveries","orders","units"],
		step: ["minute","hour","day"],
	},
	hold_order: {
		reason: ["address_invalid","out_of_stock","lot_recalled","label_error","operator","other"],
	},
	invite_person: {
		role: ["viewer","warehouse","operator","admin"],
	},
	list_boxes: {
		status: ["awaiting_shipment","on_hold","label_created","shipped","voided","cancelled"],
	},
	list_certificates: {
		status: ["draft","current","archived","retired"],
	},
	list_deliveries: {
		status: ["pending","delivered","exhausted","dropped"],
	},
	list_endpoints: {
		environment: ["live","sandbox"],
		status: ["active","inactive"],
	},
	list_exceptions: {
		kind: ["unknown_store","unknown_sku","no_recipe","shortage"],
	},
	list_formulas: {
		status: ["draft","active","archived"],
	},
	list_golives: {
		state: ["running","stopped","finished"],
	},
	list_holds: {
		status: ["active","expired","released","consumed","placed","reversed"],
		of_lot: ["now","before"],
	},
	list_keys: {
		environment: ["live","sandbox"],
	},
	list_lots: {
		bucket: ["available","held","allocated","consumed","shipped","quarantined","destroyed"],
	},
	list_orders: {
		status: ["placed","held","picked","partially_shipped","shipped","cancelled"],
	},
	list_queue: {
		status: ["awaiting_shipment","on_hold","label_created"],
	},
	list_recalls: {
		status: ["running","done","failed","stopped"],
	},
	list_request_errors: {
		environment: ["live","sandbox"],
	},
	list_requests: {
		environment: ["live","sandbox"],
		status: { least: 100, most: 599 },
	},
	list_runs: {
		status: ["running","done","failed","stopped"],
	},
	list_skus: {
		kind: ["single","kit","non_physical"],
	},
	make_endpoint: {
		environment: ["live","sandbox"],
		event_types: ["order.shipped","order.held","order.cancelled","order.released","shipment.label_created","shipment.voided","hold.impaired","certificate.retired"],
	},
	make_pick_list: {
		boxes: { least: 1, most: 10000 },
		paper: ["A4","LETTER"],
	},
	mint_key: {
		environment: ["live","sandbox"],
		preset: ["read_only","fulfilment","self_ship"],
		scopes: ["atp.check","atp.reserve","atp.release","atp.consume","atp.inventory","atp.products","atp.orders","atp.shipments","atp.shipments.combine","atp.summary","atp.receipts","atp.reserve_cache","atp.introspect","atp.webhooks"],
		requests_per_minute: { least: 1, most: 1000000 },
		max_held_units: { least: 1, most: 2147483647 },
	},
	mint_token: {
		role: ["viewer","warehouse","operator","admin"],
	},
	pack_order: {
		paper: ["A4","LETTER"],
	},
	print_lot_labels: {
		copies: { least: 1, most: 1000 },
		paper: ["A4","LETTER"],
	},
	put_buffer: {
		units: { least: 0, most: 1000000000 },
	},
	put_certificate: {
		status: ["draft","current","archived"],
	},
	put_formula: {
		status: ["draft","active","archived"],
	},
	put_sku: {
		kind: ["single","kit","non_physical"],
	},
	quarantine_lot: {
		units: { least: 1, most: 1000000000 },
	},
	receive_batch: {
		units: { least: 1, most: 1000000000 },
	},
	receive_units: {
		units: { least: 1, most: 1000000000 },
	},
	restore_lot: {
		units: { least: 1, most: 1000000000 },
	},
	review_golive: {
		check: ["rate","mirror_fresh","mirror_equal","coa_shown","coa_feed","holds","orders","consume","webhooks","errors","drill","unkind"],
	},
	rotate_endpoint_secret: {
		overlap_hours: { least: 0, most: 168 },
	},
	rotate_key: {
		overlap_hours: { least: 0, most: 720 },
	},
	stop_golive: {
		what: ["drill","unkind","run"],
	},
	waive_golive: {
		check: ["rate","mirror_fresh","mirror_equal","coa_shown","coa_feed","holds","orders","consume","webhooks","errors","drill","unkind"],
	},
} as const;
