import { withoutMapping } from '../lib/networks.ts';
import { isPrivate } from './addresses.ts';
import { type GeoFileState, geoFile } from './geo-file.ts';
import { type Place, placeOf } from './place.ts';

/** @param address a bare address. @returns undefined for private addresses and those in no file */
export type LookUp = (address: string) => Place | undefined;

/** Places of addresses from files on this machine; nothing is ever asked of others. */
export interface GeoLookup {
  /** A look-up in the files as they are, seen within the last minute. Opens them when first asked. */
  open(): Promise<LookUp>;
  /** One state for each file, in their order; none where look-ups are off. */
  states(): Promise<GeoFileState[]>;
}

/** How long a change of a file may go unnoticed. */
const LOOK_AGAIN_MS = 60_000;

/**
 * @param files paths of MaxMind DB files, the first that knows an address answers; none: nothing is found
 * @param now milliseconds on a monotonic clock
 */
export function geoLookup(files: readonly string[], now: () => number): GeoLookup {
  const opened = files.map(geoFile);
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<unknown> | undefined;

  const lookUp: LookUp = (address) => {
    const plain = withoutMapping(address);
    if (isPrivate(plain)) return undefined;
    for (const file of opened) {
      const place = placeOf(file.find(plain));
      if (place !== undefined) return place;
    }
    return undefined;
  };

  async function look(): Promise<void> {
    if (now() - lookedAt < LOOK_AGAIN_MS) return;
    looking ??= Promise.all(opened.map((file) => file.refresh())).then(() => {
      lookedAt = now();
      looking = undefined;
    });
    await looking;
  }

  return {
    async open() {
      await look();
      return lookUp;
    },
    async states() {
      await look();
      return opened.map((file) => file.state());
    },
  };
}
