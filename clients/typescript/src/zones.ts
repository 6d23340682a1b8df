/** What lies where in a client's picture of a table, and how events move it, by the rules of event.proto. */
import { type Dealt, type Moved, Put, type Shuffled, Take } from "../gen/chautari/v1/event_pb.js";
import type { Zone } from "../gen/chautari/v1/view_pb.js";

const RANKS = "A23456789TJQK";
const SUITS = "CDHS";

/** Compares cards: suits C D H S, in a suit A 2 … T J Q K, jokers last. */
export function compareCards(one: string, other: string): number {
  return place(one) - place(other);
}

function place(card: string): number {
  const suit = SUITS.indexOf(card.charAt(1));
  return (suit < 0 ? SUITS.length : suit) * (RANKS.length + 1) + RANKS.indexOf(card.charAt(0));
}

/** The zones of a view by name, changed where they are. */
export class Zones {
  private readonly zones: ReadonlyMap<string, Zone>;

  /**
   * `onMisfit` is called where an event names a zone that is not there, or takes what does not lie there. What was
   * seen is then not what the server has.
   */
  constructor(
    zones: readonly Zone[],
    private readonly onMisfit: () => void,
  ) {
    this.zones = new Map(zones.map((zone) => [zone.name, zone]));
  }

  /** The zone of this name; undefined where there is none. */
  get(name: string): Zone | undefined {
    return this.zones.get(name);
  }

  /** Takes all cards off the table. */
  clear(): void {
    for (const zone of this.zones.values()) {
      zone.count = 0;
      zone.cards = [];
    }
  }

  /** Folds a shuffle: a new order, or only how many cards there are. */
  shuffle(event: Shuffled): void {
    if (event.zone === "") {
      return;
    }
    if (event.cards.length > 0) {
      this.show(event.zone, event.cards);
      return;
    }
    this.change(event.zone, (zone) => {
      if (!shows(zone) || zone.count !== event.count) {
        zone.count = event.count;
        zone.cards = [];
      }
    });
  }

  /** Folds a deal: off the front of its source, hand by hand. */
  deal(event: Dealt): void {
    if (event.source !== "") {
      const dealt = event.hands.reduce((sum, hand) => sum + hand.count, 0);
      this.lose(event.source, dealt, Take.FIRST, []);
    }
    event.hands.forEach((hand) => this.gain(hand.zone, hand.count, hand.cards, Put.LAST));
  }

  /** Folds a motion of cards from one zone to another. */
  move(event: Moved): void {
    if (event.source !== "") {
      this.lose(event.source, event.count, event.take, event.cards);
    }
    if (event.target !== "") {
      this.gain(event.target, event.count, event.faceDown ? [] : event.cards, event.put);
    }
  }

  /** Puts the faces of a zone in, which are all of its cards. */
  show(name: string, cards: readonly string[]): void {
    this.change(name, (zone) => {
      zone.count = cards.length;
      lay(zone, [...cards]);
    });
  }

  /** Forgets the faces of a zone; how many cards lie there stays. */
  hide(name: string): void {
    this.change(name, (zone) => (zone.cards = []));
  }

  private lose(name: string, count: number, take: Take, cards: readonly string[]): void {
    this.change(name, (zone) => {
      if (shows(zone)) {
        const left = without([...zone.cards], count, take, cards);
        const fits = left.length === zone.count - count;
        if (!fits) {
          this.onMisfit();
        }
        zone.cards = fits ? left : [];
      }
      zone.count -= count;
    });
  }

  private gain(name: string, count: number, cards: readonly string[], put: Put): void {
    this.change(name, (zone) => {
      zone.count += count;
      if (cards.length > 0) {
        lay(zone, put === Put.FIRST ? [...cards, ...zone.cards] : [...zone.cards, ...cards]);
      }
    });
  }

  private change(name: string, change: (zone: Zone) => void): void {
    const zone = this.zones.get(name);
    if (zone === undefined) {
      this.onMisfit();
    } else {
      change(zone);
    }
  }
}

/** Whether the zone lists its faces; of an empty one nothing need be known. */
function shows(zone: Zone): boolean {
  return zone.cards.length === zone.count;
}

/** Puts these faces in, in their order where the zone has one, and sorted where it has none. */
function lay(zone: Zone, cards: string[]): void {
  zone.cards = zone.ordered ? cards : cards.sort(compareCards);
}

/** What is left of the faces where `count` cards are taken: the first, the last, or those named. */
function without(lying: string[], count: number, take: Take, cards: readonly string[]): string[] {
  if (take === Take.FIRST) {
    return lying.slice(count);
  }
  if (take === Take.LAST) {
    return lying.slice(0, Math.max(0, lying.length - count));
  }
  if (take === Take.NAMED && cards.length === count) {
    for (const card of cards) {
      const found = lying.indexOf(card);
      if (found >= 0) {
        lying.splice(found, 1);
      }
    }
  }
  return lying;
}
