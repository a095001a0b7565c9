import type { Database } from './database.ts';
import type { SessionDeviation } from './session-deviations.ts';

/** The Galera cluster that a server is part of. */
export interface ClusterState {
  nodes: number;
  deviations: SessionDeviation[];
}

type Facts = ReadonlyMap<string, string>;
type Expectation = [isMet: (facts: Facts) => boolean, grave: boolean, what: string];

/** Fewer cannot outvote the loss of one. */
const NODES_MIN = 3;

const EXPECTED: readonly Expectation[] = [
  [
    (facts) => facts.get('wsrep_cluster_status') === 'Primary',
    true,
    'The node has no majority: it accepts nothing until it has.',
  ],
  [
    (facts) => nodesIn(facts) >= NODES_MIN,
    false,
    'The cluster has two nodes: when one is lost, the other one stops as well.',
  ],
  [
    (facts) => !provides(facts, 'pc.ignore_sb', 'true') && !provides(facts, 'pc.ignore_quorum', 'true'),
    true,
    'Two halves of a divided cluster would both accept writes: pc.ignore_sb or pc.ignore_quorum is true.',
  ],
  [
    (facts) => facts.get('wsrep_dirty_reads') !== 'ON',
    true,
    'A node without a majority answers with old data: wsrep_dirty_reads is ON.',
  ],
  [
    (facts) => facts.get('wsrep_osu_method') !== 'RSU',
    true,
    'Migrations would change one node only: wsrep_osu_method is RSU.',
  ],
  [
    (facts) => facts.get('wsrep_sync_wait') === '1',
    true,
    'Reads can miss acknowledged writes: wsrep_sync_wait does not reach the server as it is set for a connection.',
  ],
  [(facts) => facts.get('wsrep_desync') !== 'ON', false, 'The node may fall behind without limit: wsrep_desync is ON.'],
];

const VARIABLES = [
  'wsrep_on',
  'wsrep_dirty_reads',
  'wsrep_osu_method',
  'wsrep_sync_wait',
  'wsrep_desync',
  'wsrep_provider_options',
];
const STATUS = ['wsrep_cluster_size', 'wsrep_cluster_status'];

/** @returns undefined if the database is no cluster */
export async function clusterState(database: Database): Promise<ClusterState | undefined> {
  if (database.client === 'sqlite') return undefined;
  const named = (names: readonly string[]): string =>
    `where Variable_name in (${names.map((name) => `'${name}'`).join()})`;
  const read = (what: string, names: readonly string[]) =>
    database.statement<{ Variable_name: string; Value: string }>(`show ${what} ${named(names)}`).all();
  const rows = [...(await read('session variables', VARIABLES)), ...(await read('global status', STATUS))];
  const facts: Facts = new Map(rows.map((row) => [row.Variable_name, row.Value]));
  if (facts.get('wsrep_on') !== 'ON') return undefined;
  const deviations = EXPECTED.flatMap(([isMet, grave, what]) => (isMet(facts) ? [] : [{ grave, what }]));
  return { nodes: nodesIn(facts), deviations };
}

const nodesIn = (facts: Facts): number => Number(facts.get('wsrep_cluster_size') ?? 0);

/** Options stand in one text: `a.b = c; d.e = f; `. */
const provides = (facts: Facts, option: string, value: string): boolean =>
  (facts.get('wsrep_provider_options') ?? '')
    .split(';')
    .some((each) => each.replaceAll(' ', '') === `${option}=${value}`);
