import { setImmediate } from 'node:timers/promises';
import type { Kind } from '../../server/search-index/database.ts';
import { openInMemory } from '../../server/search-index/file.ts';
import type { IndexSources } from '../../server/search-index/sources.ts';
import { indexSync, type SyncOptions } from '../../server/search-index/sync.ts';
import { IndexRefused, type RemoteCommands } from '../../server/search-index/thread.ts';
import { indexCommands } from '../../server/search-index/worker.ts';
import { indexWriter } from '../../server/search-index/writer.ts';
import type { MarksBySchema } from '../../shared/identity-name.ts';
import { silentLog } from './context.ts';

const MB = 1_048_576;
export const START = Date.UTC(2026, 0, 1);

export const idOf = (number: number, kind = '1de7'): string =>
  `${number.toString(16).padStart(8, '0')}-0000-4000-8000-00000000${kind}`;

export const identity = (number: number, over: object = {}) => ({
  id: idOf(number),
  schema_id: 'customer',
  state: 'active',
  traits: { email: `person${number}@example.org` },
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  ...over,
});

export const session = (number: number, over: object = {}) => ({
  id: idOf(number, '5e55'),
  active: true,
  issued_at: '2026-01-01T00:00:00Z',
  authenticated_at: '2026-01-01T00:00:00Z',
  identity: { id: idOf(number) },
  devices: [{ ip_address: '203.0.113.7', user_agent: '' }],
  ...over,
});

interface PageQuery {
  kind: Kind;
  size: number;
  token: string | undefined;
}

/** The id of a row. */
export const rowId = (row: unknown): string =>
  String((row as { id?: string })?.id ?? (row as { client_id?: string })?.client_id);

export type IndexRig = ReturnType<typeof indexRig>;

/** A sync of a test's own lists, with a clock that moves on only while the sync waits or reads a page. */
export function indexRig(over: Partial<SyncOptions> = {}) {
  const commands = indexCommands(openInMemory(64 * MB), () => 0);
  const index = new Proxy({} as RemoteCommands, {
    get:
      (_, name: keyof typeof commands) =>
      async (...args: never[]) => {
        try {
          return structuredClone((commands[name] as (...args: never[]) => unknown)(...args));
        } catch (error) {
          throw new IndexRefused((error as Error).name);
        }
      },
  });
  const sources: IndexSources = {
    async page(kind, size, token) {
      const query = { kind, size, token };
      rig.requests.push(query);
      rig.clock += rig.pageMs;
      const all = rig.lists[kind];
      const from = token === undefined ? 0 : all.findIndex((row) => rowId(row) > token);
      const rows = from < 0 ? [] : all.slice(from, from + size);
      const text = JSON.stringify(rows);
      await rig.onPage(query);
      const isLast = from < 0 || from + size >= all.length;
      return { text, bytes: text.length, nextPageToken: isLast ? undefined : rowId(rows.at(-1)) };
    },
    async byId(kind, ids) {
      rig.refreshes.push([kind, ...ids]);
      const text = JSON.stringify(rig.lists[kind].filter((row) => ids.includes(rowId(row))));
      await rig.onById();
      return text;
    },
    marks: async () => rig.marks,
    newestMessages: async () => '[]',
    byIdentifier: async () => '[]',
    placesOf: async (addresses) => addresses.map(() => undefined),
  };
  const writer = indexWriter({ index, sources, giveUp: () => {}, onChange: () => {}, log: silentLog });
  const startSync = (more: Partial<SyncOptions> = {}): ReturnType<typeof indexSync> =>
    indexSync({
      index,
      writer,
      sources,
      lease: { hold: async () => rig.getsLease, release: async () => {} },
      now: () => START + rig.clock,
      monotonic: () => rig.clock,
      log: silentLog,
      sleep: async (ms) => {
        if (ms > 0) rig.pauses.push(ms);
        rig.clock += ms;
        await setImmediate();
      },
      ...over,
      ...more,
    });
  const rig = {
    lists: { identities: [], sessions: [], clients: [] } as Record<Kind, unknown[]>,
    /** The fields that the schemas mark. */
    marks: {} as MarksBySchema,
    clock: 0,
    /** How long reading a page takes, in milliseconds. */
    pageMs: 10,
    /** The pages requested so far. */
    requests: [] as PageQuery[],
    requestsFor: (kind: Kind): PageQuery[] => rig.requests.filter((page) => page.kind === kind),
    /** The pauses that the sync has made, in milliseconds. */
    pauses: [] as number[],
    /** Called when a page has been read, before it is returned. */
    onPage: (_page: PageQuery): unknown => undefined,
    /** Whether the sync gets the lease. */
    getsLease: true,
    index,
    sources,
    writer,
    /** The requests for rows by id: the list, then the ids. */
    refreshes: [] as string[][],
    /** Called when rows have been read by id, before they are returned. */
    onById: (): unknown => undefined,
    /** Starts another sync of the same lists, as after a restart. */
    startSync,
    sync: undefined as unknown as ReturnType<typeof indexSync>,
    /** Moves the clock on, and queries the index. */
    passTime(ms: number): void {
      rig.clock += ms;
      rig.sync.onQuery();
    },
    /** The number of people in the index. */
    countIdentities: async (): Promise<number> => (await index.sizes()).identities,
  };
  rig.sync = startSync();
  return rig;
}
