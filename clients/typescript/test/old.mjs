/**
 * Signs in, waits for a line, in which time its sign-in grows old, and then does what an old sign-in may not.
 *
 * `node old.mjs ADDRESS` prints `signed in`, and at the end one line of JSON.
 */
import { once } from "node:events";
import { Client } from "@chautari/client";
import { Accounts } from "@chautari/client/v1/accounts";
import { Keys } from "@chautari/client/v1/keys";

let renewals = -1; // the first tokens are those of the sign-in
const client = Client.connect(process.argv[2], { onTokens: () => (renewals += 1) });
await client.signInAsGuest("Asha");
console.log("signed in");
await once(process.stdin, "data");
process.stdin.destroy();

const key = { title: "bot", scopes: [2] };
const made = await client.service(Keys).createApiKey({ parent: "accounts/me", apiKey: key });
await client.service(Accounts).deleteAccount({ name: "accounts/me" });
const gone = await client.account().catch((error) => error.reason);
console.log(JSON.stringify({ title: made.apiKey.title, renewals, gone }));
