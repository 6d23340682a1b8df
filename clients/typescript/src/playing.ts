import { create } from "@bufbuild/protobuf";
import { type Client as Stub, createClient } from "@connectrpc/connect";
import type { Action } from "../gen/chautari/v1/action_pb.js";
import { MatchState } from "../gen/chautari/v1/match_pb.js";
import * as play from "../gen/chautari/v1/play_pb.js";
import { GetServerInfoRequestSchema, Server } from "../gen/chautari/v1/server_pb.js";
import type { View } from "../gen/chautari/v1/view_pb.js";
import { OwnAccount } from "./account.js";
import type { Asked, Connection, Repeatable } from "./connection.js";
import { EpochChanged, SeatMoved } from "./errors.js";
import { type MatchRef, matchName } from "./naming.js";
import { HEARTBEAT, resumed, watch } from "./streams.js";
import { Table } from "./table.js";
import { uuid } from "./uuid.js";

/** What a seat does: `throw 7H`, or the same as an Action. */
export type Move = string | Action;

/** How to act. */
export interface Acting extends Repeatable {
  /** The revision that the caller saw: the act is `Stale` if the match has gone on since. */
  readonly revision?: number;
  readonly validateOnly?: boolean;
}

/** Where to watch from. */
export interface Watching extends Asked {
  /** The last revision that is there already: 0 for all from the creation on, left out for only what comes. */
  readonly after?: number;
  /** The epoch of the view that `after` is from: where it is another by now, the watch fails with `EpochChanged`. */
  readonly epoch?: string;
  /** Whether to give heartbeats too. */
  readonly heartbeats?: boolean;
}

/** The part of `Client` that plays and watches: act, look, watch and follow a table, and fetch the record. */
export class Playing extends OwnAccount {
  /** By match, what shows that this client had its link. */
  protected readonly tickets = new Map<string, string>();
  /** By match and seat, the last revision that this client made. */
  private readonly acted = new Map<string, number>();
  private readonly play: Stub<typeof play.Play>;
  protected readonly server: Stub<typeof Server>;

  protected constructor(
    connection: Connection,
    private heartbeat: number | undefined,
  ) {
    super(connection);
    this.play = createClient(play.Play, connection.transport);
    this.server = createClient(Server, connection.transport);
  }

  /**
   * A seat acts: `throw 7H`, or an Action. With a `revision` it is `Stale` if the match has gone on since.
   *
   * `Refused` says why not, and nothing has changed then. validateOnly: it is judged, and not done.
   */
  async act(match: MatchRef, seat: number, move: Move, acting: Acting = {}): Promise<play.ActResponse> {
    const name = matchName(match);
    const request = create(play.ActRequestSchema, {
      match: name,
      seat,
      move: typeof move === "string" ? { case: "text", value: move } : { case: "action", value: move },
      ...(acting.revision === undefined ? {} : { revision: acting.revision }),
      requestId: acting.requestId ?? uuid(),
      validateOnly: acting.validateOnly ?? false,
    });
    const answer = await this.connection.call(this.play.act, request, acting);
    if (!request.validateOnly) {
      const key = `${name} ${seat}`;
      this.acted.set(key, Math.max(this.acted.get(key) ?? 0, answer.revision));
    }
    return answer;
  }

  /** The table as a seat, or a spectator, sees it now. */
  view(match: MatchRef, seat?: number, asked: Asked = {}): Promise<View> {
    const request = create(play.ViewRequestSchema, this.viewer(match, seat));
    return this.connection.call(this.play.view, request, asked);
  }

  /** The whole record of a match, all pages in one. */
  async record(match: MatchRef, seat?: number, asked: Asked = {}): Promise<play.MatchRecord> {
    const request = create(play.RecordRequestSchema, { ...this.viewer(match, seat), pageSize: 1000 });
    const record = await this.connection.call(this.play.record, request, asked);
    while (record.nextPageToken !== "") {
      request.pageToken = record.nextPageToken;
      const page = await this.connection.call(this.play.record, request, asked);
      record.entries.push(...page.entries);
      record.nextPageToken = page.nextPageToken;
    }
    return record;
  }

  /**
   * What happens in a match behind a revision, as a seat, or a spectator, may know it.
   *
   * Each revision comes once, in order and without a gap, whatever becomes of the connection: the stream is taken up
   * again by itself. It ends when the match is over, with the update whose `end` says so; `break` or a signal ends it
   * sooner. `SeatMoved` where the seats were drawn by lot, and the account sits on another one now. `EpochChanged` where
   * the server was restored from a backup meanwhile, or since the `epoch` of the view that `after` is from.
   */
  async *watch(match: MatchRef, seat?: number, watching: Watching = {}): AsyncGenerator<play.Update, void, undefined> {
    const { after, epoch = "" } = watching;
    const from = { ...this.viewer(match, seat), epoch, ...(after === undefined ? {} : { afterRevision: after }) };
    const watched = { heartbeat: await this.beat(watching), signal: watching.signal };
    for await (const update of watch(this.connection, this.play.watch, from, watched)) {
      if (watching.heartbeats || update.kind.case !== "heartbeat") {
        yield update;
      }
    }
  }

  /** How one's matches stand: a summary, then each that changes; after a cut a summary again. It never ends. */
  async *watchMine(watching: Omit<Watching, "after"> = {}): AsyncGenerator<play.MineUpdate, void, undefined> {
    const ask = () => create(play.WatchMineRequestSchema);
    const watched = { heartbeat: await this.beat(watching), signal: watching.signal };
    for await (const update of resumed(this.connection, this.play.watchMine, ask, watched)) {
      if (watching.heartbeats || update.kind.case !== "heartbeat") {
        yield update;
      }
    }
  }

  /**
   * The table of a seat or spectator, each time that it is up to date again; last when the match is over.
   *
   * Where the server was restored from a backup it starts anew, and `table.restarts` is one more. Where the seats are
   * drawn by lot it goes on with the seat that its account got: `table.view.seat` tells. A table that is older than what
   * this client did for the seat is passed over: it would ask for the same again. It is one `Table` that goes on: keep a
   * copy of what you want to compare.
   */
  async *follow(match: MatchRef, seat?: number, asked: Asked = {}): AsyncGenerator<Table, void, undefined> {
    const name = matchName(match);
    const table = new Table(await this.view(name, seat, asked));
    for (let sits = seat; ; ) {
      yield table;
      try {
        yield* this.followed(table, name, sits, asked);
        return;
      } catch (thrown) {
        if (thrown instanceof EpochChanged) {
          this.acted.delete(`${name} ${sits}`);
          table.restarts += 1;
        } else if (thrown instanceof SeatMoved) {
          sits = thrown.seat;
        } else {
          throw thrown;
        }
        table.reset(await this.view(name, sits, asked));
      }
    }
  }

  /** The table each time that an update has brought it up to date, until the match is over. */
  private async *followed(
    table: Table,
    name: string,
    seat: number | undefined,
    asked: Asked,
  ): AsyncGenerator<Table, void, undefined> {
    const own = `${name} ${seat}`;
    const watching = { after: table.revision, epoch: table.view.epoch, ...asked };
    for await (const update of this.watch(name, seat, watching)) {
      if (!table.apply(update)) {
        continue;
      }
      if (table.needsView) {
        table.reset(await this.view(name, seat, asked));
      }
      const waiting = table.view.state === MatchState.SEATING;
      const current = (table.isCurrent || waiting) && table.revision >= (this.acted.get(own) ?? 0);
      if (update.kind.case === "step" && (current || table.isOver)) {
        yield table;
      }
    }
    this.acted.delete(own);
  }

  /** How often the server says at least that a stream is alive: asked once, when it first matters. */
  private async beat({ signal }: Asked): Promise<number> {
    if (this.heartbeat === undefined) {
      try {
        const asked = create(GetServerInfoRequestSchema);
        const { limits } = await this.connection.call(this.server.getServerInfo, asked, { signal });
        this.heartbeat = (limits?.heartbeatSeconds ?? 0) * 1000 || HEARTBEAT;
      } catch (thrown) {
        if (signal?.aborted) {
          throw thrown;
        }
        return HEARTBEAT; // the stream meets it again, and knows what to do
      }
    }
    return this.heartbeat;
  }

  /** Who looks at what. */
  private viewer(match: MatchRef, seat: number | undefined) {
    const name = matchName(match);
    return { match: name, ticket: this.tickets.get(name) ?? "", ...(seat === undefined ? {} : { seat }) };
  }
}
