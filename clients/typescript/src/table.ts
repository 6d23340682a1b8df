/**
 * A client's own picture of a table: a view, and every event behind it folded on by the rules of event.proto.
 *
 * It knows no game. Only the server judges: the picture is for drawing, and for programs that think.
 */
import { clone, create, type JsonObject, merge } from "@bufbuild/protobuf";
import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Event } from "../gen/chautari/v1/event_pb.js";
import { MatchResultSchema, MatchState, type Seat, SeatState, TurnSchema } from "../gen/chautari/v1/match_pb.js";
import type { Option } from "../gen/chautari/v1/option_pb.js";
import type { Step, Update } from "../gen/chautari/v1/play_pb.js";
import { type View, ViewSchema, type Zone } from "../gen/chautari/v1/view_pb.js";
import { Gap } from "./errors.js";
import { Zones } from "./zones.js";

/** One viewer's table. `view` is the picture, a message of the API; `apply` brings it up to date. */
export class Table {
  view!: View;
  /** The newest step was seen with its head: options, turn and clocks are those of now. */
  isCurrent = true;
  /** Something happened that this client does not know: put a fresh view in with `reset`. */
  needsView = false;
  /** How often `Client.follow` has started anew, since the server was restored from a backup. */
  restarts = 0;
  private zones!: Zones;

  constructor(view: View) {
    this.reset(view);
  }

  /** Puts a fresh view in place of the picture. */
  reset(view: View): void {
    this.view = clone(ViewSchema, view);
    this.isCurrent = true;
    this.needsView = false;
    this.zones = new Zones(this.view.zones, () => (this.needsView = true));
  }

  // What is to be seen ────────────────────────────────────────────────────────────────────────────────────────────────

  /** The revision of the picture. */
  get revision(): number {
    return this.view.revision;
  }

  /** The facts by name. */
  get facts(): JsonObject {
    return this.view.facts ?? {};
  }

  /** What the seat may do now; empty out of turn, and while newer steps are still on their way. */
  get options(): readonly Option[] {
    return this.view.options;
  }

  /** Legal actions in their text form: all of the options that list them, one example of those that do not. */
  get actions(): string[] {
    return this.view.options.flatMap((option) =>
      option.actions.length > 0 ? option.actions : option.example === "" ? [] : [option.example],
    );
  }

  /** Whether the match has ended. */
  get isOver(): boolean {
    return this.view.state === MatchState.FINISHED || this.view.state === MatchState.ABORTED;
  }

  /** Whether the seat of this view must or may act. */
  get isMyTurn(): boolean {
    const { seat, turn } = this.view;
    return seat !== undefined && !this.isOver && turn !== undefined && [...turn.must, ...turn.may].includes(seat);
  }

  /** When the time of a seat is up, by the server's clock; undefined while its clock does not run. */
  dueTime(seat: number): Date | undefined {
    const due = this.view.clocks.find((clock) => clock.seat === seat)?.dueTime;
    return due === undefined ? undefined : timestampDate(due);
  }

  /** How many milliseconds a seat had when this picture was made; undefined while its clock does not run. */
  timeLeft(seat: number): number | undefined {
    const due = this.dueTime(seat);
    const { serverTime } = this.view;
    return due === undefined || serverTime === undefined ? undefined : due.getTime() - timestampMs(serverTime);
  }

  /** The zone of this name, such as `hand.2`; undefined where the game has none. */
  zone(name: string): Zone | undefined {
    return this.zones.get(name);
  }

  /** The cards of a zone that this viewer sees; empty where it does not see them. */
  cards(name: string): readonly string[] {
    return this.zones.get(name)?.cards ?? [];
  }

  // What happens ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Folds one message of a watch; whether it brought anything new. A step that was folded before changes nothing.
   * Throws `Gap` where one between is missing.
   */
  apply(update: Update): boolean {
    const { kind, revision } = update;
    if (kind.case === "step") {
      if (revision <= this.view.revision) {
        return false;
      }
      if (revision !== this.view.revision + 1) {
        throw new Gap(`the table is at revision ${this.view.revision}, and ${revision} came`);
      }
      this.step(revision, kind.value);
      return true;
    }
    if (kind.case === "presence") {
      const seat = this.seat(kind.value.seat);
      const changed = seat !== undefined && seat.online !== kind.value.online;
      if (seat !== undefined) {
        seat.online = kind.value.online;
      }
      return changed;
    }
    return false;
  }

  private step(revision: number, step: Step): void {
    const view = this.view;
    view.revision = revision;
    view.options = [];
    view.clocks = [];
    this.isCurrent = step.head !== undefined;
    step.events.forEach((event) => this.fold(event));
    if (step.head !== undefined) {
      if (step.head.turn !== undefined) {
        view.turn = step.head.turn;
      }
      view.clocks = step.head.clocks;
      view.options = step.head.options;
      if (step.time !== undefined) {
        view.serverTime = step.time;
      }
    }
  }

  /** Folds one event, as event.proto says at its message under "Fold". */
  fold({ kind }: Event): void {
    const view = this.view;
    switch (kind.case) {
      case "handBegan":
        if (!kind.value.cardsStay) {
          this.zones.clear();
        }
        view.hand = kind.value.hand;
        break;
      case "shuffled":
        this.zones.shuffle(kind.value);
        break;
      case "dealt":
        this.zones.deal(kind.value);
        break;
      case "moved":
        this.zones.move(kind.value);
        break;
      case "shown":
        this.zones.show(kind.value.zone, kind.value.cards);
        break;
      case "hidden":
        this.zones.hide(kind.value.zone);
        break;
      case "told":
        view.facts = { ...view.facts, ...kind.value.facts };
        break;
      case "said":
        break;
      case "turned":
        if (kind.value.turn !== undefined) {
          view.turn = kind.value.turn;
        }
        break;
      case "handEnded":
        if (kind.value.record !== undefined) {
          view.lastHand = kind.value.record;
        }
        break;
      case "seatLeft":
        this.withSeat(kind.value.seat, (seat) => (seat.state = SeatState.LEFT));
        break;
      case "matchEnded":
        if (kind.value.result !== undefined) {
          const result = (view.result ??= create(MatchResultSchema));
          merge(MatchResultSchema, result, kind.value.result);
        }
        view.state = kind.value.result?.aborted ? MatchState.ABORTED : MatchState.FINISHED;
        view.turn = create(TurnSchema, { phase: "over" });
        break;
      case "seatAway": {
        const { away } = kind.value;
        this.withSeat(kind.value.seat, (seat) => (seat.away = away));
        break;
      }
      case "seatHanded": {
        const { account } = kind.value;
        this.withSeat(kind.value.seat, (seat) => (seat.account = account));
        break;
      }
      case "seatsDrawn":
        this.draw(kind.value.before);
        break;
      case "matchStopped":
        (view.result ??= create(MatchResultSchema)).note = kind.value.note;
        break;
      case "seatTaken": {
        const { held, account, displayName } = kind.value;
        const state = held ? SeatState.HELD : SeatState.TAKEN;
        this.withSeat(kind.value.seat, (seat) => Object.assign(seat, { state, account, displayName }));
        break;
      }
      case "seatVacated": {
        const free = { state: SeatState.OPEN, account: "", displayName: "", online: false };
        this.withSeat(kind.value.seat, (seat) => Object.assign(seat, free));
        break;
      }
      case "matchStarted":
        view.state = MatchState.PLAYING;
        break;
      case "hostChanged":
        view.host = kind.value.host;
        break;
      default:
        this.needsView = true;
    }
  }

  private draw(before: readonly number[]): void {
    const old = new Map(this.view.seats.map((seat) => [seat.number, { ...seat }]));
    for (const seat of this.view.seats) {
      const from = old.get(before[seat.number] ?? seat.number);
      if (from !== undefined) {
        const { account, displayName, state, online } = from;
        Object.assign(seat, { account, displayName, state, online });
      }
    }
  }

  private seat(number: number): Seat | undefined {
    return this.view.seats.find((seat) => seat.number === number);
  }

  private withSeat(number: number, change: (seat: Seat) => void): void {
    const seat = this.seat(number);
    if (seat !== undefined) {
      change(seat);
    }
  }
}
