import assert from 'node:assert/strict';
import {
  formatSamples,
  SAMPLES_MAX,
  type Samples,
  spreadOf,
  withAnswer,
} from '../../client/features/system/latency-samples.ts';
import { adviceOn } from '../../client/features/system/service-advice.ts';
import type { ServiceState } from '../../shared/services.ts';

const state = (second: number, more: Partial<ServiceState> = {}): ServiceState => ({
  name: 'oauth',
  status: 'up',
  version: null,
  latency_ms: second,
  checked_at: new Date(second * 1_000).toISOString(),
  problem: null,
  since: null,
  ...more,
});
const checked = (...states: ServiceState[]): Samples =>
  states.reduce<Samples>((samples, one) => withAnswer(samples, [one]), new Map());

describe('the latencies since the page was opened', () => {
  it('count each check once, however often it is answered', () =>
    assert.equal(checked(state(1), state(1), state(2)).get('oauth')?.length, 2));

  it('hold a bounded number of checks, the latest', () => {
    const samples = checked(...Array.from({ length: SAMPLES_MAX + 5 }, (_, second) => state(second))).get('oauth');
    assert.equal(samples?.length, SAMPLES_MAX);
    assert.equal(samples?.at(-1)?.latencyMs, SAMPLES_MAX + 4);
  });

  it('leave out what is not configured', () =>
    assert.equal(checked(state(1, { status: 'not_configured', latency_ms: null })).size, 0));

  it('have a spread of the checks that were answered', () => {
    const samples =
      checked(state(9), state(20, { status: 'down', latency_ms: null }), state(30), state(40)).get('oauth') ?? [];
    assert.deepEqual(spreadOf(samples), { least: 9, median: 30, most: 40 });
    assert.equal(formatSamples(samples), '4 checks, 3 of them up, 9 to 40 ms');
  });

  it('are told in words, also of one check and of none', () => {
    assert.equal(formatSamples(checked(state(7)).get('oauth') ?? []), '1 check, up, 7 ms');
    assert.equal(formatSamples([]), 'Not checked yet');
    const down = checked(state(7, { status: 'down', latency_ms: null })).get('oauth') ?? [];
    assert.equal(formatSamples(down), '1 check, 0 of them up');
  });
});

describe('advice on a service', () => {
  it('is of its own where files or the database are meant', () => {
    assert.match(adviceOn('geo', 'unreachable'), /geolocation file/);
    assert.match(adviceOn('oauth-admin', 'unreachable'), /Nothing answers/);
  });
});
