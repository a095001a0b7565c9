import { withoutMapping } from '../lib/networks.ts';
import { isPrivate } from './addresses.ts';
import { type GeoFileState, geoFile } from './geo-file.ts';
import { type Place, placeOf } from './place.ts';

/**
 * @param address a bare address
 * @returns undefined for private and unknown addresses
 */
export type LookUp = (address: string) => Place | undefined;

/** Locates addresses with files on this machine; no other service is queried. */
export interface GeoLookup {
  /** A lookup in the files, at most a minute out of date. The first call opens them. */
  open(): Promise<LookUp>;
  /** One state per file, in order; empty if geolocation is off. */
  states(): Promise<GeoFileState[]>;
}

/** How long a changed file may go unnoticed. */
const LOOK_AGAIN_MS = 60_000;

/**
 * @param files paths of MaxMind DB files; the first that knows an address wins
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
