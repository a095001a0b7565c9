import { focusManager, type Query, type QueryClient } from '@tanstack/react-query';
import type { ServiceState } from '../../../shared/services.ts';
import type { UpstreamName } from '../../../shared/upstreams.ts';
import { sleep } from '../../api/back-off.ts';
import { RequestError } from '../../api/request-error.ts';
import { SERVICE_FRESH_MS, serviceStateQuery } from '../../api/services.ts';
import { askAgain } from './ask-again-online.ts';

const LONGEST_WAIT_MS = 60_000;
/** About half an hour. */
const LOOKS_MAX = 30;

const watched = new WeakMap<QueryClient, Set<UpstreamName>>();

/**
 * Polls an unavailable service with exponential backoff and, once it is up, refetches what the page shows as failed
 * because of it. Pauses while the tab is hidden. Ends when nothing shown has failed any more, with the session, or
 * after half an hour.
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
    await wait(Math.min(LONGEST_WAIT_MS, SERVICE_FRESH_MS * 2 ** looks));
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
    // If the service is up and calls still fail, they may never succeed: retrying is up to the operator.
    if (!wasAway) break;
    await askAgain(client, hasFailed);
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
