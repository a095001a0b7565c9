import { focusManager, type Query, type QueryClient } from '@tanstack/react-query';
import type { ServiceState } from '../../../shared/services.ts';
import type { UpstreamName } from '../../../shared/upstreams.ts';
import { sleep } from '../../api/back-off.ts';
import { RequestError } from '../../api/request-error.ts';
import { FRESH_MS, serviceStateQuery } from '../../api/service-state.ts';

const LONGEST_WAIT_MS = 60_000;
/** Some half an hour of them. */
const LOOKS_MAX = 30;

const watched = new WeakMap<QueryClient, Set<UpstreamName>>();

/**
 * Looks whether a service that is away is up again, each time after twice as long, and then asks once more for whatever
 * the page shows as failed through it. It rests while nobody sees the tab, and ends with the failure, with the session,
 * or after half an hour.
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
  const hasFailed = ({ state: { error } }: Query): boolean =>
    error instanceof RequestError && error.service === service;
  let wasAway = false;
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    await wait(Math.min(LONGEST_WAIT_MS, FRESH_MS * 2 ** looks));
    await visible();
    if (client.getQueryCache().findAll({ type: 'active', predicate: hasFailed }).length === 0) break;
    const { data: before } = client.getQueryState(serviceStateQuery(service).queryKey) ?? {};
    wasAway ||= before !== undefined && before.status !== 'up';
    const found = await look().catch((error: Error) => error);
    if (found instanceof RequestError && found.status === 401) break;
    if (found instanceof Error || found.status !== 'up') {
      wasAway = true;
      continue;
    }
    // What fails of a service that is up may fail for ever: asking once more is for the operator to decide.
    if (!wasAway) break;
    // What is not shown yet is asked for when it is: the failure must not stand in its place then.
    client.removeQueries({ type: 'inactive', predicate: hasFailed });
    await client.refetchQueries({ type: 'active', predicate: hasFailed });
    wasAway = false;
  }
  services.delete(service);
}

const visible = (): Promise<void> =>
  new Promise((resolve) => {
    const end = focusManager.subscribe((isVisible) => isVisible && done());
    const done = (): void => {
      end();
      resolve();
    };
    if (focusManager.isFocused()) done();
  });
