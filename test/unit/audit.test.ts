import assert from 'node:assert/strict';
import { setImmediate as afterPromises } from 'node:timers/promises';
import { auditChain, type ChainedRecord } from '../../server/audit/chain.ts';
import { type ActEvent, type AuditEvent, subjectOf, type Timed } from '../../server/audit/event.ts';
import { auditQueue } from '../../server/audit/trail.ts';
import { createLog } from '../../server/log.ts';
import { AUDIT_ACTIONS } from '../../shared/audit.ts';
import { until } from '../support/eventually.ts';

const KEY = Buffer.from('the key of this trail');
const OLD = Buffer.from('the key before it');
const START = { sequence: 0, tag: '' };

const act = (actor: string): Timed<ActEvent> => ({
  action: 'setting_write',
  actor,
  target: 'mail.password',
  timestamp: '2026-01-01T00:00:00.000Z',
});

describe('a link of the audit chain', () => {
  const chain = auditChain({ current: KEY });
  const first = chain.link(START, act('ada'));
  const second = chain.link(first, act('bob'));

  it('is valid only after its predecessor', () => {
    assert.equal(chain.problemOf(START, first), undefined);
    assert.equal(chain.problemOf(first, second), undefined);
    assert.match(chain.problemOf(START, second) ?? '', /missing before/);
    const twin = chain.link(START, act('eve'));
    assert.match(chain.problemOf(twin, second) ?? '', /does not follow/);
  });

  const changes: [string, Partial<ChainedRecord>, RegExp][] = [
    ['its text', { record: second.record.replace('bob', 'eve') }, /was changed/],
    ['its tag', { tag: first.tag }, /was changed/],
    ['its action', { action: 'setting_delete' }, /columns differ/],
    ['its actor', { actor: 'eve' }, /columns differ/],
    ['its time', { recorded_at: '2026-01-01T00:00:00.001Z' }, /columns differ/],
    ['its subject', { subject: '' }, /columns differ/],
    ['its key', { key_id: 'unknown0' }, /a key that is not available/],
  ];
  for (const [what, change, problem] of changes)
    it(`shows that ${what} was changed`, () => {
      assert.match(chain.problemOf(first, { ...second, ...change }) ?? '', problem);
    });

  it('of an unavailable key is accepted only if a later record vouches for it and its columns match', () => {
    const later = auditChain({ current: OLD });
    assert.equal(later.knows(second), false);
    assert.equal(later.isGenuine(second), false);
    assert.match(later.problemOf(first, second) ?? '', /a key that is not available/);
    assert.match(later.problemOf(first, second, false) ?? '', /a key that is not available/);
    assert.equal(later.problemOf(first, second, true), undefined);
    assert.match(later.problemOf(first, { ...second, actor: 'eve' }, true) ?? '', /columns differ/);
    assert.match(later.problemOf(first, { ...second, record: 'no JSON' }, true) ?? '', /columns differ/);
    // A key that is available is used all the same.
    assert.match(chain.problemOf(first, { ...second, tag: first.tag }, true) ?? '', /was changed/);
  });

  it('of the previous key is genuine beside the current one', () => {
    const old = auditChain({ current: OLD });
    const both = auditChain({ current: KEY, previous: OLD });
    assert.deepEqual(both.keyIds, { current: chain.keyIds.current, previous: old.keyIds.current });
    assert.equal(chain.keyIds.previous, undefined);
    const link = old.link(START, act('ada'));
    assert.equal(both.isGenuine(link), true);
    assert.equal(both.problemOf(START, link), undefined);
    assert.equal(both.link(START, act('ada')).key_id, chain.keyIds.current);
  });

  it('names its actor in well-formed text that fits the column, and whole in the record', () => {
    const long = 'é'.repeat(200);
    const link = chain.link(START, act(`${long}`));
    assert.equal(link.actor, 'é'.repeat(127));
    assert.equal(JSON.parse(link.record).actor, long);
    assert.equal(chain.problemOf(START, link), undefined);
    assert.equal(chain.link(START, act('a\ud800b')).actor, 'a\ufffdb');
  });
});

const queuedAct = (index: number): Timed<ActEvent> => ({
  action: 'proxy_write',
  actor: 'anonymous',
  target: `/api/identity-admin/${index}`,
  timestamp: '2026-01-01T00:00:00.000Z',
});

describe('the audit queue', () => {
  function queueOf(
    append: (events: readonly Timed<ActEvent>[]) => Promise<void>,
    capacity = 10_000,
    retryMs = 1,
    waitMs = 600_000,
  ) {
    const lines: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    const queue = auditQueue({ append, log, capacity, retryMs, waitMs });
    return { queue, logged: () => lines.map((line) => JSON.parse(line) as { msg: string; dropped?: number }) };
  }

  it('appends in order, in small batches', async () => {
    const batches: (readonly Timed<ActEvent>[])[] = [];
    const { queue } = queueOf(async (events) => void batches.push(events));
    const events = Array.from({ length: 1_000 }, (_, index) => queuedAct(index));
    for (const event of events) void queue.add(event);
    await queue.drain();
    assert.deepEqual(batches.flat(), events);
    assert.ok(batches.every((batch) => batch.length <= 50));
  });

  it('drops what finds no room, and says how many', async () => {
    const seen: Timed<ActEvent>[] = [];
    const { queue, logged } = queueOf(async (events) => void seen.push(...events), 100);
    for (let index = 0; index < 250; index += 1) void queue.add(queuedAct(index));
    await queue.drain();
    assert.equal(seen.length, 100);
    assert.deepEqual(
      logged().map(({ msg, dropped }) => [msg, dropped]),
      [
        ['the audit queue is full', undefined],
        ['audit records dropped', 150],
      ],
    );
  });

  it('retries after a failure, loses nothing and keeps the order', async () => {
    const seen: Timed<ActEvent>[] = [];
    let failures = 3;
    const { queue } = queueOf(async (events) => {
      failures -= 1;
      if (failures >= 0) throw new Error('away');
      seen.push(...events);
    });
    const events = Array.from({ length: 120 }, (_, index) => queuedAct(index));
    for (const event of events) void queue.add(event);
    await until(() => queue.state().waiting === 0);
    assert.deepEqual(seen, events);
  });

  it('reports its length, and the start of an outage once', async () => {
    let away = true;
    let attempts = 0;
    const { queue, logged } = queueOf(async () => {
      attempts += 1;
      if (away) throw new Error('away');
    }, 2);
    assert.deepEqual(queue.state(), { taken: 0, waiting: 0, dropped: 0, failing: false });
    for (let index = 0; index < 3; index += 1) void queue.add(queuedAct(index));
    while (attempts < 4) await afterPromises();
    assert.deepEqual(queue.state(), { taken: 3, waiting: 2, dropped: 1, failing: true });
    away = false;
    while (queue.state().waiting > 0) await afterPromises();
    assert.deepEqual(queue.state(), { taken: 3, waiting: 0, dropped: 1, failing: false });
    assert.equal(logged().filter(({ msg }) => msg === 'audit records are waiting for the database').length, 1);
  });

  it('gives up what cannot be recorded when the process ends, without waiting for its next attempt', async () => {
    let attempts = 0;
    const { queue, logged } = queueOf(
      async () => {
        attempts += 1;
        throw new Error('away');
      },
      100,
      600_000,
    );
    for (let index = 0; index < 70; index += 1) void queue.add(queuedAct(index));
    while (!queue.state().failing) await afterPromises();
    await queue.drain();
    assert.equal(attempts, 2);
    assert.equal(logged().at(-1)?.dropped, 70);
    await queue.drain();
  });

  describe('who waits for a record', () => {
    /** A database that stores a batch when it is told to. */
    function slowQueue(options: { capacity?: number; waitMs?: number } = {}) {
      const stores: (() => void)[] = [];
      const { queue } = queueOf(
        () => new Promise((resolve) => void stores.push(resolve)),
        options.capacity,
        1,
        options.waitMs,
      );
      const settled: number[] = [];
      const add = (index: number): Promise<void> => queue.add(queuedAct(index)).then(() => void settled.push(index));
      return { queue, stores, settled, add };
    }

    it('waits until the batch that holds it is stored', async () => {
      const { stores, settled, add } = slowQueue();
      const [first, second, third] = [add(1), add(2), add(3)];
      await afterPromises();
      assert.deepEqual([stores.length, settled], [1, []]);
      stores[0]?.();
      await first;
      assert.deepEqual(settled, [1]);
      await until(() => stores.length === 2);
      stores[1]?.();
      await Promise.all([second, third]);
      assert.deepEqual([stores.length, settled], [2, [1, 2, 3]]);
    });

    it('is released when an attempt fails, and does not wait again until one succeeds', async () => {
      const attempts: ((error: Error) => void)[] = [];
      let away = true;
      const append = (): Promise<void> =>
        away ? new Promise((_resolve, reject) => void attempts.push(reject)) : Promise.resolve();
      const { queue } = queueOf(append, 10_000, 20);
      const waiting = [queue.add(queuedAct(1)), queue.add(queuedAct(2))];
      attempts[0]?.(new Error('away'));
      await Promise.all(waiting);
      // While the next attempt is on its way.
      await until(() => attempts.length === 2);
      await queue.add(queuedAct(3));
      assert.deepEqual(queue.state(), { taken: 3, waiting: 3, dropped: 0, failing: true });
      away = false;
      attempts[1]?.(new Error('away'));
      await until(() => !queue.state().failing);
      await queue.add(queuedAct(4));
      assert.equal(queue.state().waiting, 0);
    });
  });
});

const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';
const OTHER = '00000000-0000-4000-8000-00000000000f';

const actOn = (action: ActEvent['action'], target: string | null, details?: ActEvent['details']): AuditEvent => ({
  action,
  actor: OTHER,
  target,
  details,
});
const write = (path: string, location?: string): AuditEvent =>
  actOn('proxy_write', path, {
    method: 'POST',
    status: 201,
    peer: '::1',
    ...(location === undefined ? {} : { location }),
  });

describe('the subject of an audit record', () => {
  const fits = 'ü'.repeat(516);
  const IDENTITIES = '/api/identity-admin/admin/identities';
  const CLIENTS = '/api/oauth-admin/admin/clients';
  const CONSENT = '/api/oauth-admin/admin/oauth2/auth/sessions/consent';
  const SUBJECTS: [title: string, event: AuditEvent, subject: string | null][] = [
    ['a sign-in is its session', actOn('login', ID), `session:${ID}`],
    ['a sign-out is its session, in lower case', actOn('logout', ID.toUpperCase()), `session:${ID}`],
    ['a refused sign-in is nothing', actOn('login_refused', null), null],
    ['a written setting is that setting', actOn('setting_write', 'mail.password'), 'setting:mail.password'],
    ['a deleted setting is that setting', actOn('setting_delete', 'a/b %🔑'), 'setting:a/b %🔑'],
    ['a setting read in plain text is that setting', actOn('setting_decrypt', 'x'), 'setting:x'],
    ['a restored setting is that setting', actOn('setting_restore', 'x'), 'setting:x'],
    ['a setting whose history is removed is that setting', actOn('setting_forget', 'x'), 'setting:x'],
    ['a value encrypted for a setting is that setting', actOn('value_encrypt', 'x'), 'setting:x'],
    ['a value encrypted for no setting is nothing', actOn('value_encrypt', null), null],
    ['the end of somebody’s sessions is the person', actOn('session_revoke', ID), `identity:${ID}`],
    ['an unlocked account is nothing that has an id', actOn('account_unlock', 'ada@example.com'), null],
    ['an anchor is nothing', actOn('audit_anchor', null, { up_to: 7, tag: 'a', digest: 'b' }), null],
    ['a prune is nothing', actOn('audit_prune', null, { after: 7, after_tag: 'a' }), null],
    ['a search is nothing', { action: 'identity_search', adminId: ID, searchFilter: ID }, null],
    ['an act of a later release is nothing', { ...actOn('login', ID), action: 'later' } as unknown as AuditEvent, null],

    ['a changed identity is the person', write(`${IDENTITIES}/${ID}`), `identity:${ID}`],
    ['the short path is the same', write(`/api/iam-identity-admin/identities/${ID}`), `identity:${ID}`],
    ['a credential is the person', write(`${IDENTITIES}/${ID.toUpperCase()}/credentials/totp`), `identity:${ID}`],
    ['an extended session is it', write(`/api/identity-admin/admin/sessions/${ID}/extend`), `session:${ID}`],
    ['a client is the client', write(`${CLIENTS}/shop`), 'client:shop'],
    ['a client’s id is unescaped', write('/api/oauth-admin/clients/https:%2F%2Fshop/x'), 'client:https://shop'],
    ['a broken escape is nothing', write(`${CLIENTS}/%E0%A4%A`), null],
    ['an id that just fits its column, in bytes, is the client', write(`${CLIENTS}/x${fits}`), `client:x${fits}`],
    ['one of a byte more is nothing', write(`${CLIENTS}/xx${fits}`), null],
    ['what only begins like a path is nothing', write(`${IDENTITIES}/${ID}0`), null],
    ['many identities at once are nothing', write(IDENTITIES), null],
    ['an identity by another name is nothing', write(`${IDENTITIES}/by/external/7`), null],
    ['a path under another prefix is nothing', write(`/api/oauth-admin/admin/identities/${ID}`), null],

    ['a new identity is the one in the response', write(IDENTITIES, `${IDENTITIES}/${ID}`), `identity:${ID}`],
    ['a new client is the one in the response', write(CLIENTS, `${CLIENTS}/a%20b`), 'client:a b'],
    ['the path goes before the response', write(`${IDENTITIES}/${ID}`, `${IDENTITIES}/${OTHER}`), `identity:${ID}`],
    ['a revoked consent is whose it was', write(CONSENT, `${IDENTITIES}/${ID}`), `identity:${ID}`],
    ['a revoked consent of nobody with an id is nothing', write(CONSENT), null],
    ['a response that names another site is nothing', write(CLIENTS, 'https://evil.example/x'), null],
  ];
  for (const [title, event, subject] of SUBJECTS)
    it(`of ${title}`, () => {
      assert.equal(subjectOf(event), subject);
    });

  it('is decided for every action', () => {
    const covered = new Set(SUBJECTS.map(([, { action }]) => action));
    assert.deepEqual(
      AUDIT_ACTIONS.filter((action) => !covered.has(action)),
      [],
    );
  });
});
