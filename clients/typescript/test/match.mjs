/**
 * Plays matches against a server as two guests, over Connect, and folds what it watches into tables.
 *
 * `node match.mjs ADDRESS GAME…` prints one line of JSON for each game.
 */
import { deepStrictEqual } from "node:assert";
import { createConnectTransport } from "@connectrpc/connect-node";
import { Client, Refused, Unavailable } from "@chautari/client";
import { toJson } from "@bufbuild/protobuf";
import { ViewSchema } from "@chautari/client/v1/view";

const [address, ...games] = process.argv.slice(2);
const retry = { tries: 200, first: 5, most: 50, giveUp: 60_000 };
const [asha, bimal] = [
  Client.connect(address, { retry }),
  new Client(createConnectTransport({ baseUrl: address, httpVersion: "1.1", useHttpGet: true }), { retry }),
];
await asha.signInAsGuest("Asha");
await bimal.signInAsGuest("बिमल");

/** What a folded table must have in common with a fresh view: all but what comes beside the events. */
function drawn(view) {
  const { serverTime: _, clocks: __, options: ___, seats, ...rest } = toJson(ViewSchema, view);
  return [rest, seats.map(({ online: _____, ...seat }) => seat)];
}

async function play(client, match, seat) {
  let [acts, tries, compared] = [0, 0, 0];
  for await (const table of client.follow(match, seat)) {
    if (tries % 5 === 0 || table.isOver) {
      const fresh = await client.view(match, seat);
      if (fresh.revision === table.revision) {
        compared += 1;
        deepStrictEqual(drawn(table.view), drawn(fresh));
      }
    }
    if (table.isMyTurn && table.actions.length > 0) {
      const actions = table.actions;
      try {
        await client.act(match, seat, actions[tries % actions.length]);
        acts += 1;
      } catch (error) {
        if (!(error instanceof Refused)) {
          throw error; // both may be in turn, and the other one faster
        }
      }
      tries += 1;
    }
    if (table.isOver) {
      return { acts, compared, placing: table.view.result.placing };
    }
  }
  throw new Error("the stream ended before the match");
}

for (const [game, settings] of games.map((each) => JSON.parse(each))) {
  const match = await asha.createMatch(game, { seats: [0], settings, title: "दशैँ" });
  await bimal.join({ code: match.code });
  const [one, other] = await Promise.all([play(asha, match, 0), play(bimal, match.name, 1)]);
  const record = await asha.record(match, 0);
  console.log(JSON.stringify({ game, one, other, entries: record.entries.length, title: record.match === match.name }));
}

const refused = await bimal.getMatch("matches/nothing").catch((error) => error);
const mine = [];
for await (const match of bimal.matches("mine", { pageSize: 1 })) {
  mine.push(match.title);
}
const nobody = Client.connect("http://127.0.0.1:1", { retry: { tries: 2, first: 1 } });
const lost = await nobody.serverInfo().catch((error) => error instanceof Unavailable);
await asha.signOut();
console.log(JSON.stringify({ reason: refused.reason, kind: refused.name, mine, lost, out: asha.refreshToken === "" }));
