import { readFile, stat } from 'node:fs/promises';
import { Reader } from 'maxmind';

/** How a database file stands: `unreachable` is absent or not readable, `nonsense` no MaxMind DB. */
export interface GeoFileState {
  problem: 'unreachable' | 'nonsense' | null;
  /** When its data was put together; null while none is open. */
  builtAt: Date | null;
}

export interface GeoFile {
  /** Looks at the file and reopens it when it was changed, replaced or removed since. Never rejects. */
  refresh(): Promise<void>;
  /** @param address a bare address. @returns its record; undefined where the file has none or is not open */
  find(address: string): unknown;
  state(): GeoFileState;
}

const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** MaxMind DB 2.0: the metadata section has at most 128 KiB and ends the file. */
const METADATA_MAX_BYTES = 128 * 1024;

/** A MaxMind DB in memory, as it is on the disk. */
export function geoFile(path: string): GeoFile {
  let stamp: string | undefined;
  let reader: Reader<never> | undefined;
  let problem: GeoFileState['problem'] = null;

  return {
    async refresh() {
      try {
        const { mtimeMs, size, ino } = await stat(path);
        const seen = `${mtimeMs} ${size} ${ino}`;
        if (seen === stamp) return;
        const opened = opening(await readFile(path));
        stamp = seen;
        problem = opened === undefined ? 'nonsense' : null;
        // A file that is being copied here is no database yet: the last one stays in use until this one is whole.
        reader = opened ?? reader;
      } catch {
        reader = undefined;
        stamp = undefined;
        problem = 'unreachable';
      }
    },
    find(address) {
      // An IPv6 address would be followed through an IPv4 tree to some record that is not its own.
      if (reader === undefined || (address.includes(':') && reader.metadata.ipVersion !== 6)) return undefined;
      try {
        return reader.get(address) ?? undefined;
      } catch {
        return undefined;
      }
    },
    state: () => ({ problem, builtAt: reader?.metadata.buildEpoch ?? null }),
  };
}

function opening(bytes: Buffer): Reader<never> | undefined {
  // Looked for here first: the reader would search a file of any size byte by byte.
  if (!bytes.subarray(-METADATA_MAX_BYTES).includes(METADATA_MARKER)) return undefined;
  try {
    return new Reader<never>(bytes);
  } catch {
    return undefined;
  }
}
