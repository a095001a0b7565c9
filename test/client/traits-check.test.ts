import assert from 'node:assert/strict';
import { schemaCheck } from '../../client/record/schema-check.ts';
import type { CheckRequest } from '../../client/record/schema-check-worker.ts';
import { type CheckResult, type CheckWorker, type TraitsCheck, traitsCheck } from '../../client/record/traits-check.ts';
import { membersOf } from '../../shared/json.ts';
import { threadWorker } from '../support/app-in-dom.tsx';
import { recordedExchanges } from '../support/contract-replay-files.ts';

const MODULE = new URL('../../client/record/schema-check-worker.ts', import.meta.url).href;
/** A schema with a pattern that takes a year to check against 40 letters. */
const HOSTILE = { properties: { traits: { properties: { a: { type: 'string', pattern: '^(a+)+$' } } } } };
const LETTERS = `${'a'.repeat(40)}!`;
const traits = (a: unknown): string => JSON.stringify({ a });

/** Formats, values that Kratos accepts, and values that it refuses, separated by bars. */
const FORMATS: [names: string, accepted: string, refused: string][] = [
  ['email', 'a@x|ü@example.org|"a b"@x.org|o\'n+b/c@x.org|a@1.2.3.4|a@b.-x.org', `${'ü'.repeat(33)}@x.org`],
  ['email', `${'a'.repeat(64)}@x.org`, `a@${'b'.repeat(64)}.org|a@${'b.'.repeat(126)}org`],
  ['email', 'a@x', 'mailto:a@x|a@x;b@y|a@x.org,b@x.org|A <a@x>|<a@x>|a@b@c|a@-x.org|a@x-.org|a@x.org.|x@münchen.de'],
  ['email', 'a@x', '.a@x|a.@x|a..b@x|a b@x|a,b@x|a(c)@x.org|""@x|a@[1.2.3.4]|@x|a@|a|'],
  ['hostname', 'a|A.b-c.|a.-b', `.|-a|a-|a..b|a_b|ü.de|${'b'.repeat(64)}`],
  ['date-time', '2026-01-31T10:00:00.1234567890+01:00|2026-01-31T9:00:00,5Z', '2026-02-30T10:00:00Z|2026-01-31'],
  ['date-time', '2026-01-31T10:00:00Z', '2026-01-31 10:00:00Z|2026-01-31t10:00:00z|2026-01-31T23:59:60Z'],
  ['date', '2024-02-29|0000-01-01', '2026-02-29|31.01.2026|2026-1-31'],
  ['time', '10:00:00Z|1:00:00+01:00', '10:00:00|24:00:00Z|10:00Z'],
  ['tel', '+49 30 123456|tel:+1-202-555-0123', '030 123456|+49|+1 555 0100|49 30 123456'],
  ['ipv4 ip-address', '1.2.3.4|01.2.3.4', '256.1.1.1|1.2.3|1.2.3.4.5'],
  ['ipv6', '::1|1:2:3:4:5:6:7::|::ffff:1.2.3.4', '1.2.3.4|:::|fe80::1%eth0|12345::'],
  ['uri iri', 'https://münchen.de/ä b?%zz|mailto:a|http://[::1]:80/|http://u:p@x|a:%zz', 'example.org|//x.org|1a:b'],
  ['uri iri', 'https://x', 'http://exa mple|https://x/%zz|https://x/\u0001'],
  ['uri-reference uriref iri-reference', '|/a|a/b:c|//x.org|?%zz', 'a b:c|//exa mple|/%zz'],
  ['uri-template', '/{a}{b}?{', '/{a|/{a{b}}|/a}'],
  ['regex', '(?i)^a+$|\\d{2}|\\-', '(|[|(?=a)'],
  ['json-pointer', '|/a~0b', 'a|/~|/~2'],
  ['relative-json-pointer', '0|1/a|0#', '|01|#|/a'],
];

describe('a schema in the browser', () => {
  const refused = (a: object, values: readonly unknown[]): unknown[] => {
    const check = schemaCheck({ properties: { traits: { properties: { a } } } });
    return values.filter((value) => check({ a: value })?.length !== 0);
  };

  it('has the formats of Kratos, and ignores others', () => {
    for (const [names, accepted, wrong] of FORMATS)
      for (const format of names.split(' ')) {
        const [good = [], bad = []] = [accepted, wrong].map((values) => values.split('|'));
        assert.deepEqual(refused({ format }, [...good, ...bad]), bad, format);
      }
    assert.deepEqual(refused({ anyOf: ['uuid', 'duration', 'idn-email'].map((format) => ({ format })) }, ['x']), []);
  });

  it('has the keywords of Kratos, and requires text and addresses where Kratos does', () => {
    const contact = (extension: object) => ({ 'ory.sh/kratos': extension });
    for (const [schema, accepted, wrong] of [
      [{ type: ['string', 'null'], format: 'date' }, ['2026-01-31'], [null]],
      [{ not: { format: 'uuid' } }, [], ['x']],
      [{ anyOf: [{ format: 'email' }, { const: '-' }] }, ['-'], ['mailto:a@x']],
      [
        { properties: { const: { format: 'uuid' }, format: { const: 1 } } },
        [{ const: 'x', format: 1 }],
        [{ format: 2 }],
      ],
      [{ dependencies: { b: ['c'] } }, [{ b: 1, c: 1 }], [{ b: 1 }]],
      [{ dependentRequired: { b: ['c'] }, prefixItems: [false], unevaluatedProperties: false }, [{ b: 1 }, [1]], []],
      [{ additionalItems: false }, [[1]], []],
      [contact({ recovery: { via: 'email' } }), ['a@x'], ['x']],
      [contact({ verification: { via: 'email' } }), ['a@x'], ['x']],
      [{ format: 'idn-email', ...contact({ verification: { via: 'email' } }) }, ['x'], []],
      [contact({ recovery: { via: 'sms' } }), ['+4930123456'], ['x']],
      [contact({ credentials: { code: { via: 'sms' } } }), ['+4930123456'], ['x']],
    ] as const)
      assert.deepEqual(refused(schema, [...accepted, ...wrong]), wrong, JSON.stringify(schema));
  });

  it('finds a fault exactly in the traits that Kratos has refused', () => {
    const exchanges = recordedExchanges();
    const schema = exchanges.find(({ request }) => request.path === '/schemas/operator')?.response.json;
    const check = schemaCheck(membersOf(schema));
    let refusals = 0;
    for (const { request, response } of exchanges) {
      const { traits, schema_id: schemaId } = membersOf(request.json);
      if (`${request.method} ${request.path}` !== 'POST /admin/identities' || schemaId !== 'operator') continue;
      const isRefused = /"reason":"I\[#\/traits/.test(JSON.stringify(response));
      if (isRefused) refusals += 1;
      assert.equal(check(traits ?? {})?.length !== 0, isRefused, JSON.stringify(traits));
    }
    assert.ok(refusals > 5);
  });
});

describe('the check of traits', () => {
  it('terminates a worker that is stuck in a pattern, and continues in another one', async () => {
    let minutes = 0;
    const check = traitsCheck(() => threadWorker(MODULE), { now: () => 60_000 * minutes++ });
    assert.deepEqual(await check(HOSTILE, [traits(LETTERS)]), [undefined]);
    const found = async (): Promise<CheckResult[]> => check(HOSTILE, [traits('aa'), traits(1), traits('b')]);
    let responses = await found();
    // A result is undefined if the machine was too busy to check the traits in time.
    while (responses.includes(undefined)) responses = await found();
    assert.deepEqual(
      responses.map((objections) => objections?.map(({ path, words }) => `${path.join('.')} ${words}`)),
      [[], ['traits.a must be text'], ['traits.a does not match the pattern ^(a+)+$']],
    );
  });

  describe('in a simulated worker', () => {
    let started = 0;
    type Response = CheckResult[] | 'never' | 'fails';
    /** A worker without a thread; a check that would take forever gets no response. */
    function start(
      respond = ({ schema, traits: all }: CheckRequest): Response =>
        all.some((text) => text.includes(LETTERS))
          ? 'never'
          : all.map((text) => schemaCheck(JSON.parse(schema))(JSON.parse(text))),
    ): CheckWorker {
      started += 1;
      const worker: CheckWorker = {
        postMessage(request: CheckRequest) {
          const response = respond(request);
          if (response === 'fails') queueMicrotask(() => worker.onerror?.call(worker as Worker, {} as ErrorEvent));
          else if (response !== 'never') respondLater(response);
        },
        terminate: () => {},
        onmessage: null,
        onerror: null,
      };
      const respondLater = (data: unknown): void =>
        queueMicrotask(() => worker.onmessage?.call(worker as Worker, { data } as MessageEvent));
      respondLater('ready');
      return worker;
    }
    /** @param first the functions that start the first workers; `start` starts the others */
    function checkIn(first: (() => CheckWorker)[] = [], now = () => 0): TraitsCheck {
      started = 0;
      return traitsCheck(() => (first.shift() ?? start)(), { checkMs: 1, now });
    }

    it('continues with the rest of a batch and with later batches after a timeout', async () => {
      const check = checkIn();
      const found = await check(HOSTILE, [traits('aa'), traits(LETTERS), traits('b')]);
      assert.deepEqual(
        found.map((objections) => objections?.length),
        [0, undefined, 1],
      );
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
    });

    it('gives up on a schema after several timeouts within a minute, and tries it again later', async () => {
      let now = 0;
      const check = checkIn([], () => now);
      const all = await check(HOSTILE, Array(1_000).fill(traits(LETTERS)));
      assert.deepEqual([all.length, new Set(all)], [1_000, new Set([undefined])]);
      assert.ok(started < 10, `${started} workers`);
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [undefined]);
      assert.deepEqual(await check({ type: 'object' }, [traits('aa')]), [[]]);
      now = 60_000;
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
    });

    it('skips a batch if the worker fails or does not start, and tries again with the next batch', async () => {
      const startFails = (): never => {
        throw new Error('refused');
      };
      const check = checkIn([startFails, () => start(() => 'fails')]);
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [undefined]);
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [undefined]);
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
    });
  });
});
