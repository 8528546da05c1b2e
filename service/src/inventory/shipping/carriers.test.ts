import { describe, expect, it } from "vitest";
import { wrongInTemplate } from "../../ground/lib/tracking-template.ts";
import { createTrackingUrls } from "./carriers.ts";

const { trackingUrl } = createTrackingUrls();

describe("The tracking page of a parcel", () => {
	it.for([
		["ups", "1Z999AA10123456784", "https://www.ups.com/track?tracknum=1Z999AA10123456784"],
		["ups_walleted", "1Z9", "https://www.ups.com/track?tracknum=1Z9"],
		["stamps_com", "9400", "https://tools.usps.com/go/TrackConfirmAction?tLabels=9400"],
		["usps", "9400", "https://tools.usps.com/go/TrackConfirmAction?tLabels=9400"],
		["fedex", "7946", "https://www.fedex.com/fedextrack/?trknbr=7946"],
		["dhl_express_worldwide", "1234567890", "https://www.dhl.com/en/express/tracking.html?AWB=1234567890"],
		["dhl_ecommerce", "420", "https://webtrack.dhlecs.com/orders?trackingNumber=420"],
		["dhl_paket", "0034", "https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode=0034"],
		["canada_post", "4003", "https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor=4003"],
		["royal_mail", "KN42GB", "https://www.royalmail.com/track-your-item#/tracking-results/KN42GB"],
		["dpd", "0144", "https://tracking.dpd.de/status/en_US/parcel/0144"],
		["gls", "YNZX", "https://gls-group.eu/EU/en/parcel-tracking?match=YNZX"],
		["australia_post", "33ABC", "https://auspost.com.au/mypost/track/#/details/33ABC"],
		["ontrac", "D1000", "https://www.ontrac.com/tracking/?number=D1000"],
	] as const)("of %s is known", ([code, number, page]) => {
		expect(trackingUrl(code, number)).toBe(page);
	});

	it("is found however the carrier's code is spelt", () => {
		for (const code of ["Royal Mail", " ROYAL-MAIL ", "royal.mail"]) expect(trackingUrl(code, "1")).not.toBeNull();
	});

	it("is not known of a carrier nobody knows, and not without carrier or number", () => {
		for (const [code, number] of [
			["pigeon", "1"],
			[null, "1"],
			["ups", null],
			["ups", "  "],
			["constructor", "1"],
		] as const)
			expect(trackingUrl(code, number)).toBeNull();
	});

	it("holds the number as it is, encoded", () => {
		expect(trackingUrl("ups", " a b/&?#é$& ")).toBe("https://www.ups.com/track?tracknum=a%20b%2F%26%3F%23%C3%A9%24%26");
		expect(trackingUrl("ups", "\ud800")).toBe("https://www.ups.com/track?tracknum=%EF%BF%BD");
	});

	it("of the deployment comes before those that are known", () => {
		const own = createTrackingUrls({
			UPS: "https://ship.example/{tracking_number}/x",
			"My Courier": "https://c.example/?n={tracking_number}",
		});
		expect(own.trackingUrl("ups", "1")).toBe("https://ship.example/1/x");
		expect(own.trackingUrl("my_courier", "1")).toBe("https://c.example/?n=1");
		expect(own.trackingUrl("fedex", "1")).toBe("https://www.fedex.com/fedextrack/?trknbr=1");
	});
});

describe("A carrier nobody knows", () => {
	const { wrongInCarrier } = createTrackingUrls();

	it.for([
		["dhl_express_de", "dhl_express"],
		["DHL Express Germany", "dhl_express"],
		["dhl_express_canda", "dhl_express_canada"],
		["dhl_expres", "dhl_express"],
		["fedex_de", "fedex"],
		["upps", "ups"],
	] as const)("%s is taken for %s, never for the same carrier in another country", ([code, meant]) => {
		expect(wrongInCarrier(code)).toMatch(new RegExp(`: did you mean "${meant}"\\?$`));
	});

	it("is answered with the known ones if it resembles none, and is none if it is known", () => {
		expect(wrongInCarrier("pigeon")).toMatch(/: the known ones are ups, .*dhl_express, /);
		expect(wrongInCarrier("DHL Express")).toBeNull();
	});
});

describe("A template of a tracking page", () => {
	it.for([
		[7, "a text"],
		["https://c.example/", "exactly once"],
		["https://c.example/{tracking_number}/{tracking_number}", "exactly once"],
		["c.example/{tracking_number}", "begins with https://"],
		["javascript:alert('{tracking_number}')", "begins with https://"],
		["https://{tracking_number}.example/", "after the host name"],
		["https://user:secret@c.example/{tracking_number}", "no user"],
	] as const)("is refused: %s", ([template, why]) => {
		expect(wrongInTemplate(template)).toContain(why);
	});
});
