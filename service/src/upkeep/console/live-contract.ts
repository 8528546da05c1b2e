import { adminOperation } from "../../partners/admin/operation.ts";
import { Text } from "../../partners/http/text.ts";

export const EVENTS_TYPE = "text/event-stream";

const EXAMPLE = `retry: 2000

id: 48211.907.311

data: {"topic":"orders","id":"019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d","version":3}

event: reload
data: {"topic":"holds"}

id: 48950.908.311

`;

export const GetLive = adminOperation({
	id: "get_live",
	method: "GET",
	path: "/admin/api/v1/live",
	summary: "Follow what changes",
	description: `A stream of server-sent events: each says that an object has changed, \`{topic, id, version}\`, at most once a second
for each object. Topics: \`holds\`, \`orders\`, \`boxes\`, \`lots\`, \`exceptions\`, \`deliveries\`, \`runs\`, whose \`id\` is that of their reads, and \`traffic\`, which names no object: requests of partners were logged. \`version\`
rises with each change of the object; of an order and of a box it is the \`version\` that their reads show. An event of the type \`reload\`,
\`{topic}\`, says that more objects of this topic have changed than are named: read again everything that you show of it. Nothing is missed, but the same
change may be named twice. Send the last \`id\` as \`Last-Event-ID\` to continue from there, at any node; if that is too long ago, every
topic gets a \`reload\`. The stream ends when the token is revoked and when the node stops: connect again.`,
	headers: {
		"Last-Event-ID": {
			schema: Text({ min: 1, max: 200, description: "The last `id` that you got. Browsers send it automatically." }),
			missing: null,
		},
	},
	replies: {},
	contents: { 200: { [EVENTS_TYPE]: { example: EXAMPLE } } },
	replyHeaders: { "X-Accel-Buffering": "`no`: a proxy is to pass each event on at once." },
	examples: { replies: {} },
});
