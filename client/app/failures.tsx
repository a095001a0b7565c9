import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import type { ServiceState } from '../../shared/services.ts';
import { apiKeySetting, UPSTREAMS, type UpstreamName } from '../../shared/upstreams.ts';
import { RequestError } from '../api/request.ts';
import { SERVICES_EVERY_MS, serviceStateQuery } from '../api/services.ts';
import { useCan } from '../api/session.ts';
import { formatSince } from '../lib/format-time.ts';
import { LinkButton } from '../ui/buttons.tsx';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { useNow } from '../ui/hooks.tsx';
import { PageHeading, TextLink } from '../ui/layout.tsx';
import { MissingPart } from '../ui/lazy-part.tsx';
import { StatePanel } from '../ui/state-panel.tsx';
import { refetchOnceUp } from './query-client.ts';

export interface ProblemText {
  what: string;
  /** For an administrator. */
  advice: string;
  setting?: string;
}

const NAMES: Record<UpstreamName, string> = {
  identity: 'The identity service’s public API',
  'identity-admin': 'The identity service’s admin API',
  'iam-identity': 'The workforce identity service’s public API',
  'iam-identity-admin': 'The workforce identity service’s admin API',
  oauth: 'The OAuth 2.0 server’s public API',
  'oauth-admin': 'The OAuth 2.0 server’s admin API',
};

/**
 * Explains a failed call by the health check of its upstream.
 * @param status of the failed call, which may fail even though the health check succeeds
 * @returns undefined if the health check does not explain the failure
 */
export function formatProblem(
  name: UpstreamName,
  { status: state, problem, code }: Pick<ServiceState, 'status' | 'problem' | 'code'>,
  status: number | undefined,
): ProblemText | undefined {
  const subject = NAMES[name];
  const variable = UPSTREAMS.find((upstream) => upstream.name === name)?.urlVariable;
  const setting = apiKeySetting(name);
  if (state === 'not_configured')
    return {
      what: `${subject} is not configured.`,
      advice: `Set ${variable} in the dashboard’s environment, then restart the dashboard.`,
    };
  switch (status === 429 ? 'too_many_requests' : problem) {
    case 'unreachable':
      return {
        what: `${subject} cannot be reached: nothing responds at the address in ${variable}.`,
        advice: 'Check that the service is running and that the dashboard’s host can connect to it.',
      };
    case 'certificate':
      return {
        what: `${subject} cannot be reached: a TLS certificate was refused${code === undefined ? '' : ` (${code})`}.`,
        advice: `Check that service’s certificate and the host in ${variable}; NODE_EXTRA_CA_CERTS names a private authority.`,
      };
    case 'slow':
      return {
        what: `${subject} is too slow or does not respond.`,
        advice: 'It may be overloaded. PROXY_TIMEOUT_MS sets how long the dashboard waits.',
      };
    case 'refuses_key':
      return {
        what: `${subject} rejects the dashboard’s API key.`,
        advice: `The setting ${setting} is missing or wrong.`,
        setting,
      };
    case 'key_unreadable':
      return {
        what: `The stored API key for ${subject.replace('The', 'the')} cannot be used, so no request was sent.`,
        advice: `The setting ${setting} cannot be decrypted, or contains characters that a header does not allow. Save the key again.`,
        setting,
      };
    case 'too_many_requests':
      return { what: `${subject} is receiving too many requests.`, advice: 'Wait a moment, then try again.' };
    case 'failing':
      return {
        what: `${subject} returns errors or drops connections.`,
        advice: 'Check the log of that service.',
      };
    case 'nonsense':
      return {
        what: `A different service responds at the address of ${subject.replace('The', 'the')}.`,
        advice: `Check the host, port and path in ${variable}.`,
      };
    case null:
      return status !== undefined && status >= 500
        ? { what: `${subject} failed a moment ago but is responding now.`, advice: 'Try again.' }
        : undefined;
  }
}

/** Advice about the upstream that failed; `children` if none did. */
export const AdviceOnFailure = ({ error, children }: { error: Error; children: ReactNode }): ReactNode =>
  error instanceof RequestError && error.service !== undefined ? (
    <ServiceAdvice service={error.service} error={error}>
      {children}
    </ServiceAdvice>
  ) : (
    children
  );

/** Names the failed service and gives advice; the error may contain neither (docs/api.md#errors). */
function ServiceAdvice(props: { service: UpstreamName; error: RequestError; children: ReactNode }): ReactNode {
  const { service, error } = props;
  const [failedAt] = useState(Date.now);
  // The server caches states for this long, so an earlier response may predate the failure.
  const mayPredate = (at: number): boolean => at - failedAt < SERVICES_EVERY_MS;
  const { data, dataUpdatedAt } = useQuery({
    ...serviceStateQuery(service),
    refetchInterval: ({ state }) =>
      mayPredate(state.dataUpdatedAt) && state.status === 'success' ? SERVICES_EVERY_MS : false,
  });
  const now = useNow() + (data?.clockAheadMs ?? 0);
  const queryClient = useQueryClient();
  useEffect(() => void refetchOnceUp(queryClient, service), [queryClient, service]);
  const may = useCan();
  const isSettled = data?.problem !== null || !mayPredate(dataUpdatedAt);
  const problem = data && isSettled ? formatProblem(service, data, error.status) : undefined;
  if (problem === undefined) return props.children;
  return (
    <>
      <Text size="sm">
        {problem.what} {data?.status === 'down' && data.since !== null && `Down ${formatSince(data.since, now)}. `}
        {problem.advice}{' '}
        {problem.setting === undefined ? (
          may('configuration.read') && (
            <TextLink size="sm" underline="always" to="/system">
              See the System page
            </TextLink>
          )
        ) : may('settings.read') ? (
          <TextLink size="sm" underline="always" to="/settings" search={{ key: problem.setting }}>
            Open this setting
          </TextLink>
        ) : null}
      </Text>
      {/* The reason that the upstream gave. */}
      {error.code === 'upstream_error' && props.children}
    </>
  );
}

/**
 * Replaces a page that crashed or whose chunk did not load. The explicit return type breaks a cycle: the router's type
 * depends on this component.
 */
export function PageFailure({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  const title = error instanceof MissingPart ? 'This page could not be loaded' : 'Something went wrong on this page';
  return (
    <Stack>
      <PageHeading title={title} />
      <FailurePanel error={error instanceof Error ? error : new Error(String(error))} onRetry={retry} />
    </Stack>
  );
}

export function NotFoundPage() {
  return (
    <>
      <PageHeading title="Page not found" />
      <StatePanel
        kind="no-page"
        title="There is no page at this address"
        actions={
          <LinkButton to="/dashboard" variant="light">
            Go to the overview
          </LinkButton>
        }
      />
    </>
  );
}
