import { focusManager, type Query, type QueryClient } from '@tanstack/react-query';
import type { ServiceState } from '../../shared/services.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { sleep } from '../api/back-off.ts';
import { RequestError } from '../api/request-error.ts';
import { FRESH_MS, serviceStateQuery } from '../api/service-state.ts';

const LONGEST_WAIT_MS = 60_000;
/** Some half an hour of them. */
const LOOKS_MAX = 30;

const watched = new WeakMap<QueryClient, Set<UpstreamName>>();
/** Failures of what was asked again although its service was up: asking once more is for the operator to decide. */
const inVain = new WeakSet<Error>();

/**
 * Looks whether a service is up again, each time after twice as long, and then asks once more for whatever the page shows
 * as failed through it. It rests while nobody sees the tab, and ends with the failure, with the session, or after half
 * an hour.
 */
export async function askAgainOnceUp(
  client: QueryClient,
  service: UpstreamName,
  wait: (milliseconds: number) => Promise<void> = sleep,
  look = (): Promise<Pick<ServiceState, 'status'>> =>
    client.fetchQuery({ ...serviceStateQuery(service), staleTime: 0 }),
): Promise<void> {
  const services = watched.get(client) ?? new Set();
  watched.set(client, services);
  if (services.has(service)) return;
  services.add(service);
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    await wait(Math.min(LONGEST_WAIT_MS, FRESH_MS * 2 ** looks));
    await visible();
    const failed = failedThrough(service, client);
    if (failed.length === 0) break;
    const found = await look().catch((error: Error) => error);
    if (found instanceof RequestError && found.status === 401) break;
    if (found instanceof Error || found.status !== 'up') continue;
    await client.refetchQueries({ predicate: (query) => failed.includes(query) });
    for (const { state } of failed) if (state.error !== null) inVain.add(state.error);
  }
  services.delete(service);
}

const failedThrough = (service: UpstreamName, client: QueryClient): Query[] =>
  client.getQueryCache().findAll({
    type: 'active',
    predicate: ({ state: { error } }) =>
      error instanceof RequestError && error.service === service && !inVain.has(error),
  });

const visible = (): Promise<void> =>
  new Promise((resolve) => {
    const end = focusManager.subscribe((isVisible) => isVisible && done());
    const done = (): void => {
      end();
      resolve();
    };
    if (focusManager.isFocused()) done();
  });
