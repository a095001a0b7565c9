import { Anchor, VisuallyHidden } from '@mantine/core';
import { focusManager, type Query, type QueryClient, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ServiceState } from '../../shared/services.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { sleep } from '../api/polling.ts';
import { RequestError } from '../api/request.ts';
import { SERVICE_FRESH_MS, serviceStateQuery, servicesQuery } from '../api/services.ts';
import { formatOutage } from '../lib/service-state.ts';
import { useSessionEnded } from '../lib/sign-in.ts';
import { StatusDot } from '../ui/facts.tsx';
import { useNow } from '../ui/hooks.tsx';
import { askAgain } from './query-client.ts';
import classes from './shell.module.css';

const EVERY_MS = 30_000;
const COUNTED_EVERY_MS = 10_000;

/** While a service is down: which, since when, what it affects and where to look. */
export function OutageLine() {
  const ended = useSessionEnded();
  const { data } = useQuery({ ...servicesQuery(EVERY_MS), enabled: !ended });
  const now = useNow(COUNTED_EVERY_MS) + (data?.clockAheadMs ?? 0);
  const [wasDown, setWasDown] = useState(false);
  const outage = formatOutage(data?.services ?? [], now);
  if (outage !== undefined && !wasDown) setWasDown(true);
  return (
    <>
      {/* Announced when it begins and ends, not whenever a minute has passed. */}
      <VisuallyHidden role="status">
        {outage !== undefined ? `${outage.what}. ${outage.hurts}` : wasDown && 'Nothing is down any more.'}
      </VisuallyHidden>
      {outage !== undefined && (
        <section className={classes.line} aria-label="Outage" data-unprinted>
          <StatusDot status="bad">
            <strong>
              {outage.what}
              {outage.lasting !== undefined && `, ${outage.lasting}`}.
            </strong>{' '}
            {outage.hurts}{' '}
            <Anchor size="sm" underline="always" renderRoot={(link) => <Link {...link} to="/system" />}>
              See System
            </Anchor>
          </StatusDot>
        </section>
      )}
    </>
  );
}

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
