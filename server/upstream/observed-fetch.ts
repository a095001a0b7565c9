import { failureOf } from './upstream-failure.ts';
import { type UpstreamAnswer, type UpstreamRequest, upstreamFetch } from './upstream-fetch.ts';
import { classOf, type UpstreamOutcome } from './upstream-outcome.ts';

/** Told how each request ended. @param seconds to the end of the answer */
export type ObserveRequest = (outcome: UpstreamOutcome, seconds: number) => void;

/** `upstreamFetch`, observed; without an observer it is that function itself. */
export function observedFetch(observe: ObserveRequest | undefined): typeof upstreamFetch {
  if (observe === undefined) return upstreamFetch;
  return async (url: string | URL, request: UpstreamRequest): Promise<UpstreamAnswer> => {
    const began = performance.now();
    const since = (): number => (performance.now() - began) / 1000;
    try {
      const answer = await upstreamFetch(url, request);
      observe(classOf(answer.status), since());
      return answer;
    } catch (error) {
      observe(failureOf(error).kind, since());
      throw error;
    }
  };
}
