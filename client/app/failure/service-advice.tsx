import { Anchor, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import type { UpstreamName } from '../../../shared/upstreams.ts';
import { RequestError } from '../../api/request-error.ts';
import { SERVICE_FRESH_MS, serviceStateQuery } from '../../api/services.ts';
import { useCan } from '../../api/session.ts';
import { formatSince } from '../../format/since.ts';
import { useNow } from '../../ui/hooks/use-now.ts';
import { askAgainOnceUp } from './ask-again-once-up.ts';
import { formatProblem } from './service-problem.ts';

const COUNTED_EVERY_MS = 10_000;

/** Advice on the failed service, if one is involved; otherwise `children`. */
export const AdviceOnFailure = ({ error, children }: { error: Error; children: ReactNode }): ReactNode =>
  error instanceof RequestError && error.service !== undefined ? (
    <ServiceAdvice service={error.service} error={error}>
      {children}
    </ServiceAdvice>
  ) : (
    children
  );

/** Which service failed and what to do about it; the error itself may not say so (docs/api.md#errors). */
function ServiceAdvice(props: { service: UpstreamName; error: RequestError; children: ReactNode }): ReactNode {
  const { service, error } = props;
  const [failedAt] = useState(Date.now);
  // The server caches states this long: an older one may predate the failure and is fetched again.
  const mayBeOlder = (at: number): boolean => at - failedAt < SERVICE_FRESH_MS;
  const { data, dataUpdatedAt } = useQuery({
    ...serviceStateQuery(service),
    refetchInterval: ({ state }) =>
      mayBeOlder(state.dataUpdatedAt) && state.status === 'success' ? SERVICE_FRESH_MS : false,
  });
  const now = useNow(COUNTED_EVERY_MS) + (data?.clockAheadMs ?? 0);
  const queryClient = useQueryClient();
  useEffect(() => void askAgainOnceUp(queryClient, service), [queryClient, service]);
  const may = useCan();
  const isSettled = data?.problem !== null || !mayBeOlder(dataUpdatedAt);
  const advice = data && isSettled ? formatProblem(service, data, error.status) : undefined;
  if (advice === undefined) return props.children;
  return (
    <>
      <Text size="sm">
        {advice.what} {data?.status === 'down' && data.since !== null && `Down ${formatSince(data.since, now)}. `}
        {advice.helps}{' '}
        {advice.setting === undefined ? (
          may('configuration.read') && (
            <Anchor size="sm" underline="always" renderRoot={(link) => <Link {...link} to="/system" />}>
              See the System page
            </Anchor>
          )
        ) : may('settings.read') ? (
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(link) => <Link {...link} to="/settings" search={{ key: advice.setting }} preload={false} />}
          >
            Open this setting
          </Anchor>
        ) : null}
      </Text>
      {/* What the upstream itself gave as its reason. */}
      {error.code === 'upstream_error' && props.children}
    </>
  );
}
