import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { mapConcurrently } from '../../server/caches.ts';
import type { Database } from '../../server/db/database.ts';
import { DatabaseUnavailable } from '../../server/db/errors.ts';
import type { EventRow } from '../../server/events/event-row.ts';
import { createLog } from '../../server/log.ts';
import { SIGN_IN_EVENTS } from '../../shared/sign-ins.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import * as otlp from '../support/otlp.ts';
import { startServiceProcess } from '../support/processes.ts';
import { readText } from '../support/repository-files.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const START = Date.UTC(2026, 10, 30, 12);
const [ADA, BOB] = ['7edabc77-767e-4567-ad22-da19b2d46202', '00000000-0000-4000-8000-000000000000'];
const TABLES = ['sign_in_events', 'event_counts', 'client_uses', 'event_sources', 'identity_changes'];
const ATTRIBUTES =
  'IdentityID SessionID SelfServiceMethodUsed SelfServiceSSOProviderUsed Reason ErrorReason ClientIP OAuth2ClientID OAuth2GrantType OAuth2Subject FlowID exception.message exception.stacktrace db.query.text WebhookRequestBody JsonnetInput url.path url.query http.target user_agent.original';
const SECRETS = `"p1anted" in quotes|'p1anted|p1anted@example.com|Bearer p1anted012345678|ory_st_p1anted|https://p1anted.test/`;
const OTHER_EVENTS =
  'OAuth2AccessTokenIssued IdentityUpdated IdentityDeleted WebhookDelivered JsonnetMappingFailed exception';

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const traceOf = (value: unknown): string => createHash('md5').update(JSON.stringify(value)).digest('hex');
/** A request with these events, each in a trace of its own. */
const requestWith = (...events: otlp.SentEvent[]): Buffer =>
  otlp.exportRequest(...events.map((event) => ({ trace: traceOf(event), events: [event] })));
const success = (at: number, IdentityID = ADA): otlp.SentEvent => ['LoginSucceeded', at, { IdentityID }];
const failures = (from: number, to: number, ip: (i: number) => string, IdentityID = ''): Buffer =>
  requestWith(...range(from, to).map((i) => ['LoginFailed', START + i, { ClientIP: ip(i), IdentityID }] as const));

describeOnDatabases(
  'the sign-in log',
  (databases) => {
    let [database, url, log]: [Database, string, otlp.TestLog] = [] as never;
    let time: { now: number };
    let opened: otlp.TestLog[];
    async function start(options?: otlp.LogOptions, on = database): Promise<otlp.TestLog> {
      opened.push(await otlp.startSignInLog(on, time, options));
      return opened.at(-1) as otlp.TestLog;
    }
    beforeEach(async () => {
      ({ url, database } = await databases.createMigrated());
      [time, opened] = [{ now: START }, []];
      log = await start();
    });
    afterEach(async () => {
      for (const one of opened) await one.close();
    });
    async function restart(afterMs: number, options?: otlp.LogOptions, on?: Database): Promise<void> {
      await log.close();
      time.now += afterMs;
      log = await start(options, on);
    }
    /** Does what is done regularly, after some time. */
    async function after(ms: number): Promise<void> {
      time.now += ms;
      await log.upkeep();
    }
    async function rowsOf(table = 'sign_in_events'): Promise<EventRow[]> {
      const rows = await database.knex(table).select<EventRow[]>();
      return rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    }
    /** Causes, and times in seconds since the start. */
    async function gaps(): Promise<string[]> {
      const seconds = (at: string): number => (Date.parse(at) - START) / SECOND;
      const { gaps } = await log.coverage();
      const shown = gaps.map((gap) => [gap.cause, gap.detail, seconds(gap.from), seconds(gap.to), gap.count].join(' '));
      return shown.sort();
    }

    it('has exactly what the recorded requests say, whoever repeats them, however they are compressed or batched', async () => {
      const stored = async () =>
        Object.fromEntries(await Promise.all(TABLES.map(async (name) => [name, await rowsOf(name)])));
      const bodies = [...otlp.recordedRequests.values()];
      for (const body of bodies) assert.equal(await log.send(body), 200);
      const expected = JSON.parse(readText('test/fixtures/otlp/stored.json'));
      assert.deepEqual(await stored(), expected);
      for (const replica of [log, await start()])
        for (const body of bodies) {
          assert.equal(await replica.send(body), 200);
          assert.equal(await replica.send(gzipSync(body), { 'content-encoding': 'gzip' }), 200);
        }
      // A token has nothing by which it could be recognised in another request.
      await log.send(Buffer.concat(bodies.filter((body) => !/TokenIssued|IdentityDeleted/.test(String(body)))));
      assert.deepEqual(await stored(), expected);
    });

    it('has twenty failures a minute from one network, and one row for all further ones, whichever replica they reach', async () => {
      const replicas = [log, await start({}, databases.open(url))];
      const parts = range(0, 6).map((index) => [index * 6, index * 6 + 6] as const);
      const requests = [
        // More than databases allow in one statement.
        requestWith(...range(1, 2_501).map((ms) => success(START - ms))),
        ...parts.map(([from, to]) => failures(from, to, () => '198.51.100.7')),
        ...parts.map(([from, to]) => failures(from, to, (host) => `2001:db8::${host + 1}`)),
        ...[failures(0, 30, (host) => `2001:db8:1:${host}::1`), failures(MINUTE, MINUTE + 2, () => '198.51.100.7')],
        failures(0, 30, () => '198.51.100.8', ADA),
      ];
      // Senders repeat what a slow database did not store.
      await Promise.all(requests.map((body, index) => eventually(() => replicas[index % 2]?.send(body), 200)));
      const rows = await rowsOf();
      const sums = rows.flatMap(({ at, address, number }) => (number > 1 ? `${at} ${address} ${number}` : []));
      const end = '2026-11-30T12:00:59.999999999Z';
      assert.deepEqual(sums.sort(), [`${end} 198.51.100.7 16`, `${end} 2001:db8::/64 16`]);
      assert.equal(rows.length, 2_500 + 20 + 20 + 30 + 30 + 2 + 2);
      assert.equal((await rowsOf('event_counts'))[0]?.number, 134);
    });

    it('has a limit of rows: failures that name nobody are deleted first, then the oldest', async () => {
      await log.send(requestWith(...range(0, 30).map((ms) => success(START - DAY + ms))));
      await log.send(failures(0, 10, (host) => `198.51.100.${host}`));
      await restart(0, { rowsMax: 36 });
      assert.equal((await rowsOf()).filter((row) => row.failure).length, 6);
      await restart(0, { rowsMax: 20 });
      assert.deepEqual(new Set((await rowsOf()).map(({ at }) => Date.parse(at) - START + DAY)), new Set(range(10, 30)));
    });

    it('is deleted after its retention, and the digests of requests after an hour', async () => {
      await restart(0, { days: 2 });
      await log.send(requestWith(...[START - 3 * DAY, START - DAY, START + HOUR, START].map((at) => success(at))));
      const tables = ['sign_in_events', 'event_counts', 'event_digests'];
      const sizes = async () => (await Promise.all(tables.map(rowsOf))).map((rows) => rows.length).join();
      assert.equal(await sizes(), '3,2,1', 'not older, and not from the future but from now');
      for (const [left, ms] of Object.entries({ '3,2,0': HOUR + 1, '2,1,0': DAY, '0,0,0': DAY })) {
        await after(ms);
        assert.equal(await sizes(), left);
      }
    });

    it('has nothing of a deleted identity, nor an hour later what came late', async () => {
      const deleted = () => requestWith(['IdentityDeleted', time.now, { IdentityID: ADA }]);
      for (const remove of [() => log.identityDeleted(ADA), () => log.send(deleted())]) {
        await log.send(requestWith(success(time.now), success(START, BOB)));
        await remove();
        await eventually(async () => (await rowsOf()).map(({ identity }) => identity), [BOB]);
        await log.send(requestWith(success(time.now - 1)));
        await after(HOUR / 2);
        assert.equal((await rowsOf()).length, 2);
        await after(2 * HOUR);
        assert.equal((await rowsOf()).length, 1);
      }
    });

    it('has gaps for times without a listener that are longer than senders retry, whatever the clock does', async () => {
      await after(10 * SECOND);
      await restart(44 * SECOND);
      assert.deepEqual(await gaps(), []);
      await restart(46 * SECOND);
      await after(-HOUR);
      await restart(10 * SECOND);
      await restart(46 * SECOND);
      assert.deepEqual(await gaps(), ['not_listening  -3490 -3444 0', 'not_listening  54 100 0']);
    });

    it('has gaps for refused requests with their reason and number, also after an outage of the database', async () => {
      let isAway = false;
      const transaction: Database['transaction'] = (work) =>
        isAway ? Promise.reject(new DatabaseUnavailable()) : database.transaction(work);
      await restart(0, {}, { ...database, transaction });
      const body = requestWith(success(START));
      const refuse = async () => assert.equal(await log.send(body, { authorization: 'Bearer other' }), 401);
      isAway = true;
      await refuse();
      await after(5 * SECOND);
      assert.equal(await log.send(body), 503);
      await after(5 * SECOND);
      isAway = false;
      assert.deepEqual([await log.send(body), await log.send(body), await log.send(Buffer.from('x'))], [200, 200, 400]);
      await after(MINUTE);
      await refuse();
      await after(SECOND);
      assert.deepEqual(await gaps(), ['refused database 5 5 1', 'refused key 0 70 2', 'refused malformed 10 10 1']);
      assert.equal((await rowsOf()).length, 1);
    });

    it('has gaps where a service that sends everything is silent although it responds', async () => {
      let since: string | undefined = new Date(START).toISOString();
      await restart(0, { answersSince: async () => since });
      const look = { attributes: { 'url.path': '/admin/identities' } };
      const sendAll = () => log.send(otlp.exportRequest(look, { service: 'behind a filter' }));
      await sendAll();
      for (const [seconds, found] of Object.entries({
        119: [],
        121: ['silent kratos 0 121 0'],
        181: ['silent kratos 0 181 0'],
      })) {
        await after(START + Number(seconds) * SECOND - time.now);
        assert.deepEqual(await gaps(), found);
      }
      await sendAll();
      since = undefined;
      await after(10 * MINUTE);
      assert.equal((await gaps()).length, 1, 'it does not respond');
      await sendAll();
      await restart(10 * MINUTE, { answersSince: async () => new Date(START).toISOString() });
      assert.match((await gaps()).join(), /^not_listening .*,silent kratos 0 181 0$/, 'nobody listened');
    });

    it('has no text of attributes but known words, in the database or in the log of the service', async () => {
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      await restart(0, { log: createLog({ level: 'trace', production: false }, { write }) });
      const spansWith = (secret: string) => {
        const attributes = Object.fromEntries(ATTRIBUTES.split(' ').map((name) => [name, `of ${secret}`]));
        return [...SIGN_IN_EVENTS, ...OTHER_EVENTS.split(' '), secret].map((name) => ({
          ...{ service: secret.replaceAll('_', ' '), trace: traceOf([secret, name]), attributes },
          events: [[name, START, attributes] as otlp.SentEvent],
        }));
      };
      const bodies = SECRETS.split('|').map((secret) => otlp.exportRequest(...spansWith(secret)));
      for (const body of bodies)
        assert.deepEqual([await log.send(body.subarray(0, -1)), await log.send(body)], [400, 200]);
      const tables = await Promise.all(TABLES.map(rowsOf));
      assert.equal(tables[0]?.length, SIGN_IN_EVENTS.length * bodies.length);
      await database.knex.schema.dropTable('event_counts');
      assert.equal(await log.send(requestWith(['LoginFailed', START, { Reason: SECRETS, ClientIP: SECRETS }])), 500);
      assert.match(lines.join(), /events could not be stored/);
      assert.doesNotMatch(JSON.stringify([tables, lines]), /p1anted/);
    });

    it('has every event once if a replica is killed while it stores them and everything is sent again', async () => {
      const at = Date.now() - MINUTE;
      const token = (ms: number): otlp.SentEvent => ['OAuth2AccessTokenIssued', ms, { OAuth2ClientID: 'shop' }];
      const requests = range(0, 60).map((i) =>
        requestWith(...range(0, 10).map((ms) => success(at + i * 10 + ms)), token(at + i)),
      );
      for (const isKilled of [true, false]) {
        const service = await startServiceProcess({ DATABASE_URL: url, EVENTS_PORT: '0', EVENTS_KEY: otlp.EVENTS_KEY });
        const [, port] = await service.running.untilPrinted(/"eventsPort":(\d+)/);
        let stored = 0;
        const sent = mapConcurrently(requests, async (body) => {
          assert.equal(await otlp.sendEvents(Number(port), body), 200);
          stored += 1;
          if (isKilled && stored === 10) service.running.stop('SIGKILL');
        });
        await (isKilled ? assert.rejects(sent, /fetch failed/) : sent);
        await service.close();
      }
      const sums = new Map<string, number>();
      for (const { event, number } of await rowsOf('event_counts')) sums.set(event, (sums.get(event) ?? 0) + number);
      assert.deepEqual([(await rowsOf()).length, ...sums], [600, ['succeeded', 600], ['token', 60]]);
    });
  },
  { server: true },
);
