/** An address that the operator allows; it redirects to this machine. */
export const REDIRECTOR = "203.0.113.7";
/** Public addresses to which names of the list resolve at first: they may be reached over TLS. */
export const PUBLIC = "93.184.216.34";

const V4 = [
	"0.0.0.0",
	"0.0.0.1",
	"10.0.0.1",
	"10.255.255.254",
	"100.64.0.1",
	"127.0.0.1",
	"127.1.2.3",
	"169.254.169.254",
	"172.16.0.1",
	"172.31.255.254",
	"192.0.0.8",
	"192.0.2.1",
	"192.88.99.1",
	"192.168.1.1",
	"198.18.0.1",
	"198.51.100.1",
	"203.0.113.8",
	"224.0.0.1",
	"240.0.0.1",
	"255.255.255.255",
	"168.63.129.16",
	"100.100.100.200",
];
const V6 = [
	"::",
	"::1",
	"0:0:0:0:0:0:0:1",
	"::127.0.0.1",
	"::ffff:0:127.0.0.1",
	"64:ff9b::127.0.0.1",
	"64:ff9b:1::7f00:1",
	"2002:7f00:1::1",
	"2001:0:7f00:1::1",
	"2001:db8::1",
	"2001:2::1",
	"2001:10::1",
	"3fff::1",
	"5f00::1",
	"100::1",
	"fc00::1",
	"fd00:ec2::254",
	"fe80::1",
	"fec0::1",
	"ff02::1",
	"ff0e::1",
	"4000::1",
	"8000::1",
];

/** Each spelling of an IPv4 address that URLs allow. */
function spellings(address: string): string[] {
	const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
	const whole = ((a * 256 + b) * 256 + c) * 256 + d;
	const hex = (n: number): string => `0x${n.toString(16)}`;
	const octal = (n: number): string => `0${n.toString(8)}`;
	return [
		address,
		`${address}.`,
		String(whole),
		hex(whole),
		`${hex(a)}.${hex(b)}.${hex(c)}.${hex(d)}`,
		`${octal(a)}.${octal(b)}.${octal(c)}.${octal(d)}`,
		`${a}.${(b * 256 + c) * 256 + d}`,
		`${a}.${b}.${c * 256 + d}`,
		[...address].map((one) => (one === "." ? "\uff0e" : String.fromCodePoint(0xff10 + Number(one)))).join(""),
		[...address].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(""),
		`[::ffff:${address}]`,
	];
}

/** Names, with their first, second and further answers. */
export const NAMES: { readonly [name: string]: readonly (readonly string[])[] } = {
	...Object.fromEntries(V4.map((address, n) => [`four-${n}.test`, [[address]]])),
	...Object.fromEntries(V6.map((address, n) => [`six-${n}.test`, [[address]]])),
	"several.test": [["10.0.0.1", "127.0.0.1", "::1"]],
	"mapped.test": [["::ffff:127.0.0.1"]],
	"zone.test": [["fe80::1%lo"]],
	"none.test": [[]],
	"nonsense.test": [["localhost"]],
	// public when it is checked, something else afterwards
	...Object.fromEntries(
		["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1"].map((then, n) => [
			`changes-${n}.test`,
			[[PUBLIC], [then]],
		]),
	),
	"back-and-forth.test": [[PUBLIC], ["127.0.0.1"], [PUBLIC]],
};

/** URLs that must not be reached, except for the one that redirects. */
export function forbiddenUrls(): string[] {
	const literal = V4.flatMap(spellings).map((host, n) =>
		n % 2 === 0 ? `http://${host}/hook` : `https://${host}:8080/hook`,
	);
	const six = V6.map((host, n) => `${n % 2 === 0 ? "http" : "https"}://[${host}]:8080/hook`);
	const names = Object.keys(NAMES).map(
		(host, n) => `${n % 2 === 0 || host.startsWith("changes") ? "https" : "http"}://${host}/hook`,
	);
	const local = ["localhost", "LOCALHOST", "localhost.", "foo.localhost", "ip6-localhost"].flatMap((host) => [
		`http://${host}/`,
		`https://${host}:8080/`,
	]);
	const odd = [
		"http://[fe80::1%25lo]/",
		"http://127.0.0.1:80\\@example.com/",
		"http://example.com@127.0.0.1/",
		"http:127.0.0.1/",
		"http:/127.0.0.1/",
		"ftp://127.0.0.1/",
		"file:///etc/passwd",
		"http://①②⑦.⓪.⓪.①/",
		"http://127。0。0。1/",
		`http://${PUBLIC}/`,
	];
	return [...literal, ...six, ...names, ...local, ...odd, `http://${REDIRECTOR}/hook`];
}
