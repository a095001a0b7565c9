import { setImmediate } from 'node:timers/promises';
import { indexCommands } from '../../server/search-index/commands.ts';
import { type Kind, openInMemory } from '../../server/search-index/database.ts';
import { type IndexWriter, indexWriter } from '../../server/search-index/list-sync.ts';
import type { IndexSources } from '../../server/search-index/sources.ts';
import { type IndexSync, indexSync, type SyncOptions } from '../../server/search-index/sync.ts';
import { IndexRefused, type RemoteCommands } from '../../server/search-index/thread.ts';
import type { MarksBySchema } from '../../shared/identity-name.ts';
import { silentLog } from './context.ts';

const MB = 1_048_576;
export const DAY = Date.UTC(2026, 0, 1);

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

interface AskedPage {
  kind: Kind;
  size: number;
  token: string | undefined;
}

/** A sync of lists of the test's own, with a clock that goes on only when they wait or a page takes its time. */
export interface IndexRig {
  lists: Record<Kind, unknown[]>;
  /** What the schemas mark. */
  marks: MarksBySchema;
  clock: number;
  /** How long a page takes. */
  pageMs: number;
  asked: AskedPage[];
  askedOf(kind: Kind): AskedPage[];
  /** How long was waited after each page. */
  pauses: number[];
  /** Called for each page, once it has been read and before it arrives. */
  onPage: (page: AskedPage) => unknown;
  mayHold: boolean;
  index: RemoteCommands;
  sources: IndexSources;
  writer: IndexWriter;
  sync: IndexSync;
  /** Ids of rows that were to be read again. */
  refreshed: string[];
  /** Another sync of the same lists, as after a restart or with other parts. */
  begin(over?: Partial<SyncOptions>): IndexSync;
  /** Time goes by, and somebody asks. */
  later(ms: number): void;
  people(): Promise<number>;
}

/** The id of a row. */
export const keyOf = (row: unknown): string =>
  String((row as { id?: string; client_id?: string })?.id ?? (row as { client_id?: string })?.client_id);

export function indexRig(over: Partial<SyncOptions> = {}): IndexRig {
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
      const page = { kind, size, token };
      rig.asked.push(page);
      rig.clock += rig.pageMs;
      const all = rig.lists[kind];
      const from = token === undefined ? 0 : all.findIndex((row) => keyOf(row) > token);
      const rows = from < 0 ? [] : all.slice(from, from + size);
      const text = JSON.stringify(rows);
      await rig.onPage(page);
      const isLast = from < 0 || from + size >= all.length;
      return { text, bytes: text.length, nextPageToken: isLast ? undefined : keyOf(rows.at(-1)) };
    },
    byId: async () => '[]',
    marks: async () => rig.marks,
    newestMessages: async () => '[]',
    byIdentifier: async () => '[]',
    placesOf: async (addresses) => addresses.map(() => undefined),
  };
  const writer = indexWriter({
    index,
    sources,
    refresh: (_, ids) => void rig.refreshed.push(...ids),
    onChange: () => {},
  });
  const rig: IndexRig = {
    lists: { people: [], sessions: [], clients: [] },
    marks: {},
    clock: 0,
    pageMs: 10,
    asked: [],
    askedOf: (kind) => rig.asked.filter((page) => page.kind === kind),
    pauses: [],
    onPage: () => {},
    mayHold: true,
    index,
    sources,
    writer,
    refreshed: [],
    begin: (more = {}) =>
      indexSync({
        index,
        writer,
        sources,
        lease: { hold: async () => rig.mayHold, release: async () => {} },
        now: () => DAY + rig.clock,
        monotonic: () => rig.clock,
        log: silentLog,
        sleep: async (ms) => {
          if (ms > 0) rig.pauses.push(ms);
          rig.clock += ms;
          await setImmediate();
        },
        ...over,
        ...more,
      }),
    sync: undefined as unknown as IndexSync,
    later(ms) {
      rig.clock += ms;
      rig.sync.onQuery();
    },
    people: async () => (await index.sizes()).people,
  };
  rig.sync = rig.begin();
  return rig;
}
