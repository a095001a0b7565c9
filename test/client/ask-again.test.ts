import assert from 'node:assert/strict';
import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import type { WithClock } from '../../client/api/polling.ts';
import { RequestError } from '../../client/api/request.ts';
import { serviceStateQuery } from '../../client/api/services.ts';
import { createQueryClient, refetchOnceUp } from '../../client/app/query-client.ts';
import type { ServiceState, ServiceStatus } from '../../shared/services.ts';

const SERVICE = 'identity-admin';
const failure = (status: number): RequestError =>
  new RequestError({ status, code: 'bad_gateway', message: 'Away.', service: SERVICE });

describe('queries that failed because a service is down', () => {
  let client: QueryClient;
  let waits: number[];
  /** What each check of the service finds; the last one repeats. */
  let found: (ServiceStatus | Error)[];
  let looks: number;
  let asked: number;
  let responses: () => string;
  let leave: () => void;

  const wait = async (milliseconds: number): Promise<void> => void waits.push(milliseconds / 1_000);
  const look = async () => {
    const state = found[Math.min(looks, found.length - 1)] ?? assert.fail('not to be looked at');
    looks += 1;
    if (state instanceof Error) throw state;
    return (
      client.setQueryData(serviceStateQuery(SERVICE).queryKey, { status: state } as WithClock<ServiceState>) ??
      assert.fail()
    );
  };
  const watch = (): Promise<void> => refetchOnceUp(client, SERVICE, wait, look);
  const failing = (): never => {
    throw failure(502);
  };

  beforeEach(async () => {
    client = createQueryClient();
    client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } });
    [waits, found, looks, asked, responses] = [[], [], 0, 0, failing];
    const observer = new QueryObserver(client, {
      queryKey: ['list'],
      queryFn: async () => {
        asked += 1;
        return responses();
      },
    });
    leave = observer.subscribe(() => {});
    await client.refetchQueries({ queryKey: ['list'] });
    asked = 0;
  });
  afterEach(() => {
    leave();
    client.clear();
  });

  it('are refetched once it is up; until then, it is polled less and less often', async () => {
    found = ['down', 'down', new Error('no connection'), 'degraded', 'down', 'up'];
    responses = () => 'rows';
    await watch();
    assert.deepEqual(waits, [5, 10, 20, 40, 60, 60, 60]);
    assert.deepEqual([looks, asked, client.getQueryData(['list'])], [6, 1, 'rows']);
  });

  it('are dropped if they are not on screen, and nothing else is refetched', async () => {
    const ahead = (key: string, fails: () => never) =>
      client.prefetchQuery({ queryKey: [key], queryFn: fails, staleTime: Number.POSITIVE_INFINITY });
    await ahead('not shown', failing);
    await ahead('of another', () => {
      throw new Error('Another.');
    });
    found = ['down', 'up'];
    responses = () => 'rows';
    await watch();
    assert.equal(client.getQueryState(['not shown']), undefined);
    assert.equal(client.getQueryState(['of another'])?.status, 'error');
    assert.equal(asked, 1);
  });

  it('are left to the operator to retry if the service was never seen down', async () => {
    found = ['up'];
    await watch();
    assert.deepEqual([looks, asked], [1, 0]);
    client.setQueryData(serviceStateQuery(SERVICE).queryKey, { status: 'degraded' } as WithClock<ServiceState>);
    await watch();
    assert.deepEqual([looks, asked], [3, 1], 'somebody else has seen it');
  });

  it('are left alone once the session has ended', async () => {
    found = [new RequestError({ status: 401, code: 'not_authenticated', message: 'Ended.' })];
    await watch();
    assert.deepEqual([looks, asked], [1, 0]);
  });
});
