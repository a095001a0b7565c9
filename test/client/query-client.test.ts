import assert from 'node:assert/strict';
import { QueryObserver } from '@tanstack/react-query';
import { createQueryClient } from '../../client/app/query-client.ts';

describe('the refresh after a change', () => {
  let reads: { response: (text: string) => void; signal: AbortSignal }[];
  const question = (key: string) => ({
    queryKey: [key],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      new Promise<string>((response) => {
        reads.push({ response, signal });
      }),
  });
  beforeEach(() => {
    reads = [];
  });

  it('also restarts a first load in flight, whose response predates the change', async () => {
    const client = createQueryClient();
    const observer = new QueryObserver(client, question('shown'));
    const shown: (string | undefined)[] = [];
    const stop = observer.subscribe(({ data }) => shown.push(data));
    const changed = client.invalidateQueries({ queryKey: ['shown'] });
    assert.equal(reads.length, 2);
    assert.equal(reads[0]?.signal.aborted, true);
    reads[1]?.response('after');
    reads[0]?.response('before');
    await changed;
    assert.equal(observer.getCurrentResult().data, 'after');
    assert.ok(!shown.includes('before'));
    stop();
    client.clear();
  });

  it('also affects preloaded data once it is shown', async () => {
    const client = createQueryClient();
    const ahead = client.prefetchQuery(question('ahead'));
    await client.invalidateQueries({ queryKey: ['ahead'] });
    reads[0]?.response('before');
    await ahead;
    const observer = new QueryObserver(client, question('ahead'));
    const stop = observer.subscribe(() => {});
    assert.equal(reads.length, 2);
    reads[1]?.response('after');
    assert.equal((await observer.fetchOptimistic(client.defaultQueryOptions(question('ahead')))).data, 'after');
    stop();
    client.clear();
  });
});
