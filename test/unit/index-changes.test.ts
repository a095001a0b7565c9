import assert from 'node:assert/strict';
import { subjectOf } from '../../server/audit/audit-subject.ts';
import { changeOf, type WriteRecord } from '../../server/identity-index/change-of.ts';
import { type Trail, trailWatch } from '../../server/identity-index/trail-watch.ts';
import type { AuditRecord } from '../../shared/audit.ts';
import { until } from '../support/becomes.ts';
import { idOf } from '../support/index-rig.ts';
import { silentLog } from '../support/silent-log.ts';

const ID = idOf(1);
const STORE = '/api/identity-admin/admin';

function record(method: string, target: string, status: number | null = 200, location?: string): WriteRecord {
  const details = { method, status, peer: null, ...(location !== undefined && { location }) };
  const event = { action: 'proxy_write' as const, actor: 'anonymous', target, details };
  return { ...event, subject: subjectOf(event) };
}

describe('what a recorded write changes of the index', () => {
  const person = { kind: 'people', id: ID };
  for (const [name, write, change] of [
    ['a person', record('PUT', `${STORE}/identities/${ID}`), { how: 'written', ...person }],
    ['a path without admin', record('PATCH', `/api/identity-admin/identities/${ID}`), { how: 'written', ...person }],
    [
      'a credential',
      record('DELETE', `${STORE}/identities/${ID}/credentials/totp`, 204),
      { how: 'written', ...person },
    ],
    [
      'a creation',
      record('POST', `${STORE}/identities`, 201, `${STORE}/identities/${ID}`),
      { how: 'written', ...person },
    ],
    ['a creation without its address', record('POST', `${STORE}/identities`, 201), { how: 'unknown', listed: false }],
    ['a deletion', record('DELETE', `${STORE}/identities/${ID}`, 204), { how: 'removed', ...person }],
    [
      'a deletion without an answer',
      record('DELETE', `${STORE}/identities/${ID}`, null),
      { how: 'written', ...person },
    ],
    ['one of nobody', record('DELETE', `${STORE}/identities/${ID}`, 404), { how: 'written', ...person }],
    ['a failure', record('PUT', `${STORE}/identities/${ID}`, 502), { how: 'written', ...person }],
    ['a refusal', record('PUT', `${STORE}/identities/${ID}`, 409), undefined],
    ['a batch', record('PATCH', `${STORE}/identities`), { how: 'unknown', listed: true }],
    ['a batch without an answer', record('PATCH', `${STORE}/identities`, null), { how: 'unknown', listed: false }],
    ['a refused batch', record('PATCH', `${STORE}/identities`, 400), undefined],
    ['a code', record('POST', `${STORE}/recovery/code`, 201), undefined],
    ['another store', record('PUT', `/api/iam-identity-admin/admin/identities/${ID}`), undefined],
    ['a batch of another store', record('PATCH', '/api/iam-identity-admin/admin/identities'), undefined],
    [
      'the sessions of a person',
      record('DELETE', `${STORE}/identities/${ID}/sessions`, 204),
      { how: 'ended-of', person: ID },
    ],
    [
      'of one without any',
      record('DELETE', `${STORE}/identities/${ID}/sessions`, 404),
      { how: 'ended-of', person: ID },
    ],
    ['a session', record('DELETE', `${STORE}/sessions/${ID}`, 204), { how: 'ended', session: ID }],
    [
      'a longer session',
      record('PATCH', `${STORE}/sessions/${ID}/extend`),
      { how: 'written', kind: 'sessions', id: ID },
    ],
    [
      'a client',
      record('PATCH', '/api/oauth-admin/admin/clients/a%3Ab'),
      { how: 'written', kind: 'clients', id: 'a:b' },
    ],
    [
      'a lost client',
      record('DELETE', '/api/oauth-admin/admin/clients/a%3Ab', 204),
      { how: 'removed', kind: 'clients', id: 'a:b' },
    ],
    [
      'another act',
      { action: 'session_revoke', target: ID, subject: `identity:${ID}`, details: {} } satisfies WriteRecord,
      undefined,
    ],
  ] as const)
    it(`of ${name}`, () => {
      assert.deepEqual(changeOf(write, 'identity-admin'), change);
    });
});

describe('the watch over the audit trail', () => {
  let records: AuditRecord[];
  let head: number | undefined;
  let isAsked: boolean;
  let noted: number[];
  let missed: number;
  let reads: number;
  let watch: ReturnType<typeof trailWatch>;
  const written = (sequence: number, id = sequence): AuditRecord => ({
    sequence,
    timestamp: '',
    actor: '',
    ...record('PUT', `${STORE}/identities/${idOf(id)}`),
  });
  const trail: Trail = {
    async head() {
      reads += 1;
      if (head === undefined) throw new Error('away');
      return head;
    },
    after: async (sequence, most) => records.filter((one) => one.sequence > sequence).slice(0, most),
  };
  /** One more look, at once. */
  async function look(): Promise<void> {
    const before = reads;
    watch.wake();
    await until(() => reads > before);
    await new Promise(setImmediate);
  }
  const add = (...added: AuditRecord[]): void => {
    records.push(...added);
    head = records.at(-1)?.sequence ?? 0;
  };

  beforeEach(() => {
    [records, head, isAsked, noted, missed, reads] = [[], 0, false, [], 0, 0];
    watch = trailWatch({
      trail,
      isAsked: () => isAsked,
      note: ({ sequence }) => void noted.push(sequence),
      missed: () => {
        missed += 1;
      },
      monotonic: () => 0,
      log: silentLog,
    });
  });
  afterEach(() => watch.stop());

  it('begins where the trail stands, and notes what comes after, each once', async () => {
    add(written(1), written(2));
    await look();
    assert.deepEqual([noted, missed], [[], 0]);
    add(...Array.from({ length: 450 }, (_, number) => written(3 + number)));
    await look();
    assert.deepEqual(
      noted,
      Array.from({ length: 450 }, (_, number) => 3 + number),
    );
    await look();
    assert.deepEqual([noted.length, missed], [450, 0]);
  });

  it('passes over what this process has noted already, once', async () => {
    await look();
    watch.own(written(1, 7));
    add(written(1, 7), written(2, 7));
    await look();
    assert.deepEqual(noted, [2]);
  });

  it('has everybody read again where records that it has not seen were pruned', async () => {
    await look();
    add(written(1), written(2));
    await look();
    add(written(5), written(6));
    await look();
    assert.deepEqual([noted, missed], [[1, 2, 5, 6], 1]);
  });

  it('has everybody read again where it fell behind, could not read, or the trail was set back', async () => {
    await look();
    add(written(5_000));
    await look();
    assert.deepEqual([noted, missed], [[], 1]);
    head = 10;
    await look();
    assert.deepEqual([noted, missed], [[], 2]);
    watch.stop();
    watch = trailWatch({
      trail,
      isAsked: () => false,
      note: () => {},
      missed: () => {
        missed += 1;
      },
      monotonic: () => 0,
      log: silentLog,
    });
    head = undefined;
    await look();
    head = 10;
    await look();
    assert.equal(missed, 3);
  });

  it('looks again by itself only while somebody asks', async () => {
    await look();
    assert.equal(reads, 1);
    isAsked = true;
    await look();
    add(written(1));
    await until(() => noted.length === 1);
    watch.wake();
    assert.equal(reads, 3, 'it looks when its time comes');
  });
});
